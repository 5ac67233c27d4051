// A filter of 96 taps, of which each of two work-items next to each other holds half.
#define TAPS 48
__global__ void taps(const float *__restrict__ x, const float *__restrict__ c, float *y, int n, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / 2, step = gridDim.x * blockDim.x / 2;
  float h[TAPS];
#pragma unroll
  for (int k = 0; k < TAPS; k++) h[k] = c[(k + t % 2 * TAPS) * 32 + (i & 31)];
  for (int r = 0; r < rounds; r++) {
    float v = x[r * step + i], s = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++) s += h[k], h[k] = h[k] * 0.5f + v;
    s += __shfl_xor_sync(~0u, s, 1);
    if (t % 2 == 0) y[r * step + i] = s;
  }
}
