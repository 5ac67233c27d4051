// The loops of PyTorch's kernels over n elements, which all work-items of a launch share.
#pragma once
#define CUDA_KERNEL_LOOP_TYPE(i, n, type) for (type i = (type)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (type)blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
