// --local 64 --global n --instance k<float> --assume n%64=0
// Of functions for several kinds of numbers the one is called whose constraints hold.
#include <concepts>
template <class T> concept whole = std::integral<T>;
template <class T> concept number = whole<T> || std::floating_point<T>;
template <whole T> __device__ T scaled(T x) { return x; }
template <std::floating_point T> __device__ T scaled(T x) { return x * 3; }
template <class T> requires(sizeof(T) == 4) __device__ T moved(T x) { return x + 1; }
template <class T> requires(sizeof(T) == 8) __device__ T moved(T x) { return x; }
template <number T> __global__ void k(T *y, const T *x, const int *i) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  y[g] = moved(scaled(x[g])) + scaled(i[g]);
}
