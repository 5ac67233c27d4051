#include <cuda_fp16.h>
// one block per (sequence, head): paged attention decode, head dim 128, page 16
__global__ void decode(__half *__restrict__ out, const __half *__restrict__ q, const __half *__restrict__ kc, const __half *__restrict__ vc,
                       const int *__restrict__ table, int ctx, int pages, int heads, float scale) {
  constexpr int D = 128, P = 16, W = 4;
  int head = blockIdx.x, seq = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const __half2 *qp = (const __half2 *)(q + ((size_t)seq * heads + head) * D);
  float2 q0 = __half22float2(qp[lane * 2]), q1 = __half22float2(qp[lane * 2 + 1]);
  float m = -1e30f, l = 0.f; float4 acc = make_float4(0, 0, 0, 0);
  for (int page = warp; page * P < ctx; page += W) {
    int phys = table[seq * pages + page];
    for (int j = 0; j < P; j++) {
      int pos = page * P + j;
      if (pos >= ctx) break;
      size_t at = (((size_t)phys * heads + head) * P + j) * D;
      uint2 kk = *(const uint2 *)(kc + at + lane * 4);
      float2 k0 = __half22float2(*(__half2 *)&kk.x), k1 = __half22float2(*(__half2 *)&kk.y);
      float s = q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y;
      for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
      s *= scale;
      float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
      uint2 vv = *(const uint2 *)(vc + at + lane * 4);
      float2 v0 = __half22float2(*(__half2 *)&vv.x), v1 = __half22float2(*(__half2 *)&vv.y);
      acc.x = acc.x * c + p * v0.x; acc.y = acc.y * c + p * v0.y; acc.z = acc.z * c + p * v1.x; acc.w = acc.w * c + p * v1.y;
      l = l * c + p; m = mn;
    }
  }
  __shared__ float sm[W], sl[W]; __shared__ float4 sa[W][32];
  if (lane == 0) { sm[warp] = m; sl[warp] = l; }
  sa[warp][lane] = acc;
  __syncthreads();
  if (warp == 0) {
    float M = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3])), L = 0; float4 r = make_float4(0, 0, 0, 0);
    for (int w = 0; w < W; w++) { float c = __expf(sm[w] - M); L += sl[w] * c; float4 a = sa[w][lane]; r.x += a.x * c; r.y += a.y * c; r.z += a.z * c; r.w += a.w * c; }
    __half2 *o = (__half2 *)(out + ((size_t)seq * heads + head) * D);
    o[lane * 2] = __floats2half2_rn(r.x / L, r.y / L); o[lane * 2 + 1] = __floats2half2_rn(r.z / L, r.w / L);
  }
}
