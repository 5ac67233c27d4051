// --local 32 --groups 1 --instance k<float>
// Templates that are declared before they are defined, specializations of all kinds, and what is a constant.
template <class T> __device__ T zero();
template <class T> __global__ void k(T *y, int n);
template <> __device__ float zero<float>() { return 1.0f + 2.0f; }
template <class T> struct width { static const int n = 1; };
template <class T> struct width<T *> { enum { n = 2 }; };
template <int N> struct half { static constexpr int value = N / 2; };
static constexpr double HALF = 1.0 / 2;
template <class T> using pointer = T *;
template <class T> __constant__ T mask[4];
template <class T> __global__ void k(T *y, int n) {
  pointer<T> p = y + threadIdx.x;
  for (int i = 0; i < width<T *>::n + half<6>::value; i++) p[32 * i] = zero<T>() * HALF + mask<T>[1];
}
template __global__ void k<float>(float *y, int n);
