// --local 64 --global n --instance functor<twice, 3>
// Functions as objects of a type that is a parameter, types within types, and attributes.
struct twice {
  template <class U> struct pair { U first; U second; [[nodiscard]] __device__ U both() const noexcept(true) { return first + second; } };
  __device__ float operator()(float a, float b) const { return a * b + a; }
};
template <class F, int N> __global__ void functor(float *y, const float *x, int n) {
  [[maybe_unused]] int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  typename F::template pair<float> p;
  p.first = x[i];
  p.second = F()(x[i], y[i]);
  F f;
  y[i] = f(p.both(), 1.5f) * N;
}
