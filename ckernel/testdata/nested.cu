// --local 64 --global n
// Types within types, attributes of C++, constants by inheritance, guides, and names of functions.
#include <type_traits>
template <class T, int N> struct Outer {
  using size_type = unsigned;
  using iterator = std::no_such_iterator<T>;
  template <class U> struct Inner {
    U x; T y;
    [[nodiscard]] __device__ T sum() const noexcept(true) { return x + y * N; }
  };
  struct Plain { T a; };
  T first;
};
template <class T> struct Span {
  T *data; int size;
  __device__ Span(T *d, int n) : data(d), size(n) {}
  [[nodiscard]] __device__ T &operator[](int i) const & { return data[i]; }
};
template <class T> Span(T *, int) -> Span<T>;
template <int a, int b> struct Sum : std::integral_constant<int, a + b> {};
__global__ void nested(Outer<float, 3>::Inner<float> s, typename Outer<int, 2>::Plain p, Outer<float, 1> o, Span<float> y, std::add_pointer<float>::type x, int n) {
  [[maybe_unused]] int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] < 0) __assert_fail("x", __FILE__, __LINE__, __PRETTY_FUNCTION__);
  y[i] = s.sum() + p.a * Sum<2, 3>::value + o.first;
}
