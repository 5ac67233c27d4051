// Tensors as kernels of PyTorch's extensions take them: where the elements are, with the size and the stride of each axis, in elements, which are sizes of the kernel:
// x.n1 and x.s1 are those of the second axis. A subscript is what ATen/core/TensorAccessor.h of PyTorch 2 computes: the stride times the index is added.
#pragma once

namespace at {
template <class T> struct DefaultPtrTraits { typedef T *PtrType; };
template <class T> struct RestrictPtrTraits { typedef T *PtrType; };
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = long> struct TensorAccessor {};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 1, P, I> {
  T *data_;
  I n0, s0;
  __device__ T &operator[](I i) const { return data_[i * s0]; }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return n0; }
  __device__ I stride(int axis) const { return s0; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 2, P, I> {
  T *data_;
  I n0, s0; I n1, s1;
  __device__ TensorAccessor<T, 1, P, I> operator[](I i) const {
    TensorAccessor<T, 1, P, I> row;
    row.data_ = data_ + i * s0;
    row.n0 = n1;
    row.s0 = s1;
    return row;
  }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return axis == 0 ? n0 : n1; }
  __device__ I stride(int axis) const { return axis == 0 ? s0 : s1; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 3, P, I> {
  T *data_;
  I n0, s0; I n1, s1; I n2, s2;
  __device__ TensorAccessor<T, 2, P, I> operator[](I i) const {
    TensorAccessor<T, 2, P, I> row;
    row.data_ = data_ + i * s0;
    row.n0 = n1;
    row.s0 = s1;
    row.n1 = n2;
    row.s1 = s2;
    return row;
  }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : n2; }
  __device__ I stride(int axis) const { return axis == 0 ? s0 : axis == 1 ? s1 : s2; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 4, P, I> {
  T *data_;
  I n0, s0; I n1, s1; I n2, s2; I n3, s3;
  __device__ TensorAccessor<T, 3, P, I> operator[](I i) const {
    TensorAccessor<T, 3, P, I> row;
    row.data_ = data_ + i * s0;
    row.n0 = n1;
    row.s0 = s1;
    row.n1 = n2;
    row.s1 = s2;
    row.n2 = n3;
    row.s2 = s3;
    return row;
  }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : axis == 2 ? n2 : n3; }
  __device__ I stride(int axis) const { return axis == 0 ? s0 : axis == 1 ? s1 : axis == 2 ? s2 : s3; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 5, P, I> {
  T *data_;
  I n0, s0; I n1, s1; I n2, s2; I n3, s3; I n4, s4;
  __device__ TensorAccessor<T, 4, P, I> operator[](I i) const {
    TensorAccessor<T, 4, P, I> row;
    row.data_ = data_ + i * s0;
    row.n0 = n1;
    row.s0 = s1;
    row.n1 = n2;
    row.s1 = s2;
    row.n2 = n3;
    row.s2 = s3;
    row.n3 = n4;
    row.s3 = s4;
    return row;
  }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : axis == 2 ? n2 : axis == 3 ? n3 : n4; }
  __device__ I stride(int axis) const { return axis == 0 ? s0 : axis == 1 ? s1 : axis == 2 ? s2 : axis == 3 ? s3 : s4; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 6, P, I> {
  T *data_;
  I n0, s0; I n1, s1; I n2, s2; I n3, s3; I n4, s4; I n5, s5;
  __device__ TensorAccessor<T, 5, P, I> operator[](I i) const {
    TensorAccessor<T, 5, P, I> row;
    row.data_ = data_ + i * s0;
    row.n0 = n1;
    row.s0 = s1;
    row.n1 = n2;
    row.s1 = s2;
    row.n2 = n3;
    row.s2 = s3;
    row.n3 = n4;
    row.s3 = s4;
    row.n4 = n5;
    row.s4 = s5;
    return row;
  }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : axis == 2 ? n2 : axis == 3 ? n3 : axis == 4 ? n4 : n5; }
  __device__ I stride(int axis) const { return axis == 0 ? s0 : axis == 1 ? s1 : axis == 2 ? s2 : axis == 3 ? s3 : axis == 4 ? s4 : s5; }
};
template <class T, template <class> class P, class I> struct TensorAccessor<T, 7, P, I> {
  T *data_;
  I n0, s0; I n1, s1; I n2, s2; I n3, s3; I n4, s4; I n5, s5; I n6, s6;
  __device__ TensorAccessor<T, 6, P, I> operator[](I i) const {
    TensorAccessor<T, 6, P, I> row;
    row.data_ = data_ + i * s0;
    row.n0 = n1;
    row.s0 = s1;
    row.n1 = n2;
    row.s1 = s2;
    row.n2 = n3;
    row.s2 = s3;
    row.n3 = n4;
    row.s3 = s4;
    row.n4 = n5;
    row.s4 = s5;
    row.n5 = n6;
    row.s5 = s6;
    return row;
  }
  __device__ T *data() const { return data_; }
  __device__ I size(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : axis == 2 ? n2 : axis == 3 ? n3 : axis == 4 ? n4 : axis == 5 ? n5 : n6; }
  __device__ I stride(int axis) const { return axis == 0 ? s0 : axis == 1 ? s1 : axis == 2 ? s2 : axis == 3 ? s3 : axis == 4 ? s4 : axis == 5 ? s5 : s6; }
};
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = long> struct PackedTensorAccessor64 : TensorAccessor<T, N, P, I> {};
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = int> struct PackedTensorAccessor32 : TensorAccessor<T, N, P, I> {};
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = long> using GenericPackedTensorAccessor = PackedTensorAccessor64<T, N, P, I>;
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = long> using PackedTensorAccessor = PackedTensorAccessor64<T, N, P, I>;
}
namespace torch {
using namespace at;
}
namespace c10 {
using namespace at;
}
