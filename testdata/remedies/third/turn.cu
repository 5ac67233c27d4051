// Turns tiles of 64 × 64 half-precision numbers by way of shared memory, whose rows are afterwards a pair longer.
#include <cuda_fp16.h>
__global__ void before(const __half *a, __half *b, int n) {
  __shared__ __half tile[64][64];
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 64;
  for (int k = threadIdx.y; k < 64; k += 4) tile[k][threadIdx.x] = a[(y + k) * n + x];
  __syncthreads();
  int u = blockIdx.y * 64 + threadIdx.x, v = blockIdx.x * 64;
  for (int k = threadIdx.y; k < 64; k += 4)
    b[(v + k) * n + u] = tile[threadIdx.x][k]; // defect: tile
}

__global__ void after(const __half *a, __half *b, int n) {
  __shared__ __half tile[64][66];
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 64;
  for (int k = threadIdx.y; k < 64; k += 4) tile[k][threadIdx.x] = a[(y + k) * n + x];
  __syncthreads();
  int u = blockIdx.y * 64 + threadIdx.x, v = blockIdx.x * 64;
  for (int k = threadIdx.y; k < 64; k += 4)
    b[(v + k) * n + u] = tile[threadIdx.x][k];
}
