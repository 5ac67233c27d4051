// --local 64 --groups 4
#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <cuda_fp8.h>
__global__ void library(float *y, const float *x, const __nv_fp8_e4m3 *q, __nv_fp8_e5m2 *r, unsigned *u, double *d, int n) {
  typedef cub::BlockLoad<float, 64, 2, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
  __shared__ typename Load::TempStorage in;
  float v[2];
  Load(in).Load(x + 128 * blockIdx.x, v, 100, 0.0f);
  typedef cub::BlockStore<float, 64, 2> Store;
  __shared__ typename Store::TempStorage out;
  Store(out).Store(y + 128 * blockIdx.x, v, 100);
  int i = cooperative_groups::this_grid().thread_rank();
  float w = float(q[i]) * 2.0f;
  r[i] = __nv_fp8_e5m2(w);
  u[i] = __funnelshift_r(u[i], u[i], 7);
  d[i] = __hiloint2double(u[i], 0);
  if (__syncthreads_or(v[0] > 0 and v[1] > 0)) y[i] = w;
}
