// --local 64 --global n
#include <ATen/cuda/detail/TensorInfo.cuh>
__global__ void tensor(const float *x, const at::cuda::detail::TensorInfo<long, int> index, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = at::cuda::detail::IndexToOffset<long, int, 3>::get(i, index);
  y[i] = x[index.data[at]];
}
