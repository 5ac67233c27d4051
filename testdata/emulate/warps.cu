// Exchange between the lanes of a warp.

// Transforms of 32 points, one for each warp: butterflies by shuffles.
__global__ void butterflies(float2 *x, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float2 v = x[i];
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int d = 16; d; d /= 2) {
      float2 u = make_float2(__shfl_xor_sync(~0u, v.x, d), __shfl_xor_sync(~0u, v.y, d));
      float s, c;
      __sincosf((lane & (d - 1)) * 3.14159265f / d, &s, &c);
      bool low = !(lane & d);
      float2 w = low ? make_float2(v.x + u.x, v.y + u.y) : make_float2(u.x - v.x, u.y - v.y);
      v = low ? w : make_float2((w.x * c - w.y * s) * 0.5f, (w.x * s + w.y * c) * 0.5f);
    }
  x[i] = v;
}

// Transposes 32 x 32 numbers in the registers of a warp.
__global__ void transpose(const int *__restrict__ x, int *y) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, v[32];
#pragma unroll
  for (int k = 0; k < 32; k++) v[k] = x[(warp * 32 + k) * 32 + lane];
#pragma unroll
  for (int d = 16; d; d /= 2)
#pragma unroll
    for (int k = 0; k < 32; k++)
      if (!(k & d)) {
        bool up = lane & d;
        int give = up ? v[k] : v[k + d], got = __shfl_xor_sync(~0u, give, d);
        if (up) v[k] = got; else v[k + d] = got;
      }
#pragma unroll
  for (int k = 0; k < 32; k++) y[(warp * 32 + k) * 32 + lane] = v[k];
}

// Votes and matches of random bits.
__global__ void votes(const unsigned *__restrict__ x, unsigned *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i] * 2654435761u + i, s = 0;
  for (int r = 0; r < rounds; r++) {
    unsigned b = __ballot_sync(~0u, v & 1);
    s += __popc(b) + (__any_sync(~0u, v > 4000000000u) ? r : 0) + __reduce_add_sync(~0u, v & 255);
    v = v * 1664525u + s;
  }
  y[i] = s;
}
