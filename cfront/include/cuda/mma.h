// Tensor instructions of a sub-group (CUDA C++ Programming Guide 12, 10.24; mma.h of CUDA 12). A tile is loaded and stored once by the sub-group, an
// element of each lane after the other; how lanes share it out is not specified. mma_sync is one instruction.
#pragma once
namespace nvcuda {
namespace wmma {
struct matrix_a { static constexpr int rows_by_k = 1; };
struct matrix_b { static constexpr int k_by_columns = 1; };
struct accumulator { static constexpr int rows_by_columns = 1; };
struct row_major { static constexpr int rows = 1; };
struct col_major { static constexpr int rows = 0; };
namespace precision {
struct tf32 { float x; };
}
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct storage { typedef T type; };
template <> struct storage<precision::tf32> { typedef float type; };
template <class Use, int M, int N, int K> struct extent { static constexpr int rows = M, columns = N; };
template <int M, int N, int K> struct extent<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct extent<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <class Use, int M, int N, int K, class T, class Layout = row_major> struct fragment {
  static constexpr int num_elements = extent<Use, M, N, K>::rows * extent<Use, M, N, K>::columns / 32;
  typedef typename storage<T>::type element_type;
  typedef typename storage<T>::type storage_element_type;
  typename storage<T>::type x[extent<Use, M, N, K>::rows * extent<Use, M, N, K>::columns / 32];
};
__device__ inline int lane_of_sub_group() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32; }
template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &v) {
  for (int i = 0; i < f.num_elements; i++) f.x[i] = v;
}
template <class Use, int M, int N, int K, class T, class Layout, class P>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const P *p, unsigned int ldm) {
  const int inner = Layout::rows ? extent<Use, M, N, K>::columns : extent<Use, M, N, K>::rows;
  for (int i = 0; i < f.num_elements; i++) {
    int e = 32 * i + lane_of_sub_group();
    f.x[i] = p[e / inner * (int)ldm + e % inner];
  }
}
template <int M, int N, int K, class T, class P>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const P *p, unsigned int ldm, layout_t layout) {
  const int inner = layout == mem_row_major ? N : M;
  for (int i = 0; i < f.num_elements; i++) {
    int e = 32 * i + lane_of_sub_group();
    f.x[i] = p[e / inner * (int)ldm + e % inner];
  }
}
template <int M, int N, int K, class T, class P>
__device__ inline void store_matrix_sync(P *p, const fragment<accumulator, M, N, K, T> &f, unsigned int ldm, layout_t layout) {
  const int inner = layout == mem_row_major ? N : M;
  for (int i = 0; i < f.num_elements; i++) {
    int e = 32 * i + lane_of_sub_group();
    p[e / inner * (int)ldm + e % inner] = f.x[i];
  }
}
template <int M, int N, int K, class T, class A, class LA, class LB, class C>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, T> &d, const fragment<matrix_a, M, N, K, A, LA> &a, const fragment<matrix_b, M, N, K, A, LB> &b,
                                const fragment<accumulator, M, N, K, C> &c) {
  asm volatile("wmma.mma.sync" : "=r"(d.x[0]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]));
}
__device__ inline float __float_to_tf32(float x) { return x; }
}
}
