// A program whose kernel is an instance of a template that it does not have itself.
#include <cstdio>
#include <vector>

namespace ns {
__constant__ float offset;

template <class T, int N> __global__ void instance(T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * N + offset;
}
}

__global__ void instance_ref(float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = y[i] * 3 + ns::offset;
}

int main() {
  std::vector<float> v(10);
  float *y;
  cudaMalloc(&y, v.size() * sizeof(float));
  ns::instance<float, 2><<<1, 32>>>(y, v.size());
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
