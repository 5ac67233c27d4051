// Instructions of many kinds.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

__constant__ int table[64];

extern "C" __global__ void integers(const unsigned *x, unsigned *y, long long *z) {
  int i = threadIdx.x;
  unsigned v = x[i];
  unsigned w = __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, w, 0x2143);
  w += __funnelshift_l(v, w, 5) + max((int)v, 3) + min(v, 9u) + abs((int)w) + table[v & 63];
  w += __ballot_sync(~0u, v & 1) + __any_sync(~0u, v > 4) + __reduce_add_sync(~0u, v) + __match_any_sync(~0u, v);
  w += __dp4a((int)v, (int)w, 3) + __mulhi((int)v, (int)w) + __vaddss2(v, w) + __viaddmax_s32((int)v, (int)w, 7);
  y[i] = w + __activemask();
  z[i] = (long long)v * w + clock64() + (((long long)v << 7) >> (w & 31));
}

extern "C" __global__ void floats(const float *x, float *y, const double *d, double *e, __half2 *h) {
  int i = threadIdx.x;
  float v = x[i];
  y[i] = sinf(v) + rsqrtf(v) + tanhf(v) + __fdividef(v, 3.1f) + floorf(v) + rintf(v) + fabsf(v) + fmaxf(v, 1.5f) + (isnan(v) ? 1.0f : 2.0f);
  e[i] = d[i] * 2.5 + fma(d[i], d[i + 1], 1.0) + (double)v + (d[i] > 1.0 ? rint(d[i]) : (double)(int)d[i]);
  h[i] = __hadd2(__hmul2(h[i], h[i + 1]), __hfma2(h[i], h[i], __float2half2_rn(v)));
  h[i + 64] = __hmax2(h[i], h[i + 2]);
}

extern "C" __global__ void atomics(int *a, unsigned long long *b, float *c, double *d, int *out) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i & 63] = i;
  __syncthreads();
  atomicAdd(&s[(i * 7) & 63], 3);
  atomicMax(&s[i & 31], 5);
  out[i] = atomicAdd(a, i) + atomicCAS(a + 1, 3, i) + atomicExch(&s[3], i);
  atomicAdd(b, 1ull);
  atomicAdd(c, 1.5f);
  atomicAdd(d, 2.5);
  __threadfence();
  __threadfence_block();
  __syncwarp(0xff);
  if (__syncthreads_or(i > 5)) out[i] += s[i & 63];
  __nanosleep(20);
}

extern "C" __global__ void pipeline(const float4 *x, float *y) {
  __shared__ float4 s[256];
  int i = threadIdx.x;
  __pipeline_memcpy_async(&s[i], &x[i], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[i] = s[(i + 1) & 255].x + s[(i + 3) & 255].w;
  if (i == 300) printf("%d\n", i);
}

extern "C" __global__ void tensor(const __half *a, const __half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    wmma::load_matrix_sync(fa, a + k, 64);
    wmma::load_matrix_sync(fb, b + k, 64);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void together(float *x) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  x[threadIdx.x] += 1.0f;
  grid.sync();
  x[threadIdx.x] *= x[threadIdx.x + 32];
}
