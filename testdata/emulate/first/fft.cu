// 64 points by a half-warp pair: each of 32 lanes holds two, exchanged by shuffles
__global__ void fft64(const float2 *__restrict__ in, float2 *__restrict__ out, int batch) {
  int lane = threadIdx.x & 31, f = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (f >= batch) return;
  float2 a = in[f * 64 + lane], b = in[f * 64 + 32 + lane];
  for (int s = 32; s >= 1; s >>= 1) {
    float2 sum = make_float2(a.x + b.x, a.y + b.y), d = make_float2(a.x - b.x, a.y - b.y);
    float angle = -3.14159265f * (lane & (s - 1)) / s, sn, cs;
    __sincosf(angle, &sn, &cs);
    d = make_float2(d.x * cs - d.y * sn, d.x * sn + d.y * cs);
    int h = s >> 1;
    if (h) {
      bool up = lane & h;
      float2 give = up ? sum : d;
      give.x = __shfl_xor_sync(0xffffffff, give.x, h);
      give.y = __shfl_xor_sync(0xffffffff, give.y, h);
      a = up ? give : sum;
      b = up ? d : give;
    } else {
      a = sum;
      b = d;
    }
  }
  int r = __brev(2 * lane) >> 26;
  out[f * 64 + r] = a;
  out[f * 64 + r + 32] = b;
}

// 16 points in registers, radix 4 twice
__device__ __forceinline__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ void four(float2 &a, float2 &b, float2 &c, float2 &d) {
  float2 s = {a.x + c.x, a.y + c.y}, t = {a.x - c.x, a.y - c.y}, u = {b.x + d.x, b.y + d.y}, v = {b.y - d.y, d.x - b.x};
  a = {s.x + u.x, s.y + u.y};
  b = {t.x + v.x, t.y + v.y};
  c = {s.x - u.x, s.y - u.y};
  d = {t.x - v.x, t.y - v.y};
}
__global__ void fft16(const float2 *__restrict__ in, float2 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 v[16];
#pragma unroll
  for (int k = 0; k < 16; k++) v[k] = in[k * n + i];
#pragma unroll
  for (int k = 0; k < 4; k++) four(v[k], v[k + 4], v[k + 8], v[k + 12]);
  const float c1 = 0.92387953f, s1 = 0.38268343f, r = 0.70710678f;
  v[5] = mul(v[5], make_float2(c1, -s1));
  v[6] = mul(v[6], make_float2(r, -r));
  v[7] = mul(v[7], make_float2(s1, -c1));
  v[9] = mul(v[9], make_float2(r, -r));
  v[10] = make_float2(v[10].y, -v[10].x);
  v[11] = mul(v[11], make_float2(-r, -r));
  v[13] = mul(v[13], make_float2(s1, -c1));
  v[14] = mul(v[14], make_float2(-r, -r));
  v[15] = mul(v[15], make_float2(-c1, s1));
#pragma unroll
  for (int k = 0; k < 4; k++) four(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
#pragma unroll
  for (int k = 0; k < 16; k++) out[(k % 4 * 4 + k / 4) * n + i] = v[k];
}
