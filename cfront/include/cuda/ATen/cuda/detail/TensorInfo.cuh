// Tensors of any number of axes as kernels of PyTorch take them, and where the element of a linear index lies, as ATen/cuda/detail/TensorInfo.cuh of PyTorch 2 has
// them: the index is divided by the size of each axis but the first, the last axis first. The number of axes is that of the template, or a size of the kernel (-1).
#pragma once
#define MAX_TENSORINFO_DIMS 25
namespace at {
namespace cuda {
namespace detail {
template <class T, class I> struct TensorInfo {
  T *data;
  I sizes[MAX_TENSORINFO_DIMS];
  I strides[MAX_TENSORINFO_DIMS];
  int dims;
};
template <class T, class I, int Dims> struct IndexToOffset {
  static __device__ I get(I index, const TensorInfo<T, I> &x) {
    I offset = 0;
    for (int i = Dims - 1; i > 0; i--) {
      I here = index % x.sizes[i];
      offset += here * x.strides[i];
      index = index / x.sizes[i];
    }
    return offset + index * x.strides[0];
  }
};
template <class T, class I> struct IndexToOffset<T, I, -1> {
  static __device__ I get(I index, const TensorInfo<T, I> &x) {
    I offset = 0;
    for (int i = x.dims - 1; i > 0; i--) {
      I here = index % x.sizes[i];
      offset += here * x.strides[i];
      index = index / x.sizes[i];
    }
    return offset + index * x.strides[0];
  }
};
}
}
}
