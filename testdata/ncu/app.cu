// An application whose launches are profiled: see record.sh.
#include <cstdio>

namespace app {
template <class T> __global__ void scale(T *x, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
namespace {
__global__ void transpose(const float *x, float *y, int n) {
  __shared__ float tile[32][33];
  int i = 32 * blockIdx.x, j = 32 * blockIdx.y;
  tile[threadIdx.y][threadIdx.x] = x[(j + threadIdx.y) * n + i + threadIdx.x];
  __syncthreads();
  y[(i + threadIdx.y) * n + j + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
}
}

extern "C" __global__ void sum(const float *x, float *total, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  atomicAdd(total, s);
}

int main() {
  const int n = 1 << 22;
  float *x, *y;
  cudaMalloc(&x, 4 * n), cudaMalloc(&y, 4 * n);
  cudaMemset(x, 0, 4 * n);
  for (int k = 0; k < 2; k++) app::scale<float><<<n / 256, 256>>>(x, 2, n);
  app::scale<double><<<(n / 3 + 255) / 256, 256>>>((double *)x, 2, n / 3);
  app::transpose<<<dim3(64, 64), dim3(32, 32)>>>(x, y, 2048);
  sum<<<264, 512>>>(x, y, n);
  cudaError_t e = cudaDeviceSynchronize();
  std::printf("done, with \"%s\", and 1,234 of 5\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
