#include <ATen/cuda/detail/TensorInfo.cuh>
