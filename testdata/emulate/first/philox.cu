// Philox 4x32 with ten rounds
struct State { unsigned c[4], k[2]; };
__device__ __forceinline__ void round_(State &s) {
  unsigned h0 = __umulhi(0xD2511F53u, s.c[0]), l0 = 0xD2511F53u * s.c[0];
  unsigned h1 = __umulhi(0xCD9E8D57u, s.c[2]), l1 = 0xCD9E8D57u * s.c[2];
  unsigned n0 = h1 ^ s.c[1] ^ s.k[0], n2 = h0 ^ s.c[3] ^ s.k[1];
  s.c[0] = n0; s.c[1] = l1; s.c[2] = n2; s.c[3] = l0;
  s.k[0] += 0x9E3779B9u; s.k[1] += 0xBB67AE85u;
}
__device__ uint4 philox(unsigned long long at, unsigned long long key) {
  State s = {{(unsigned)at, (unsigned)(at >> 32), 0, 0}, {(unsigned)key, (unsigned)(key >> 32)}};
  int left = 10;
  do { round_(s); } while (--left);
  return make_uint4(s.c[0], s.c[1], s.c[2], s.c[3]);
}
extern "C" __global__ void uniform_fill(float4 *out, int n4, unsigned long long seed) {
  const int total = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += total) {
    uint4 r = philox(i, seed);
    const float scale = 2.3283064e-10f;
    out[i] = make_float4(r.x * scale, r.y * scale, r.z * scale, r.w * scale);
  }
}
extern "C" __global__ void normal_fill(float *out, int n, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * 4 >= n) return;
  uint4 r = philox(i, seed);
  const float scale = 2.3283064e-10f;
  float u = sqrtf(-2.0f * logf((r.x + 1.0f) * scale)), w = sqrtf(-2.0f * logf((r.z + 1.0f) * scale));
  float s, c;
  sincosf(6.2831853f * (r.y * scale), &s, &c);
  out[4 * i] = u * c;
  out[4 * i + 1] = u * s;
  sincosf(6.2831853f * (r.w * scale), &s, &c);
  out[4 * i + 2] = w * c;
  out[4 * i + 3] = w * s;
}
