// --local 32 --global n --instance packs<float, float, int>
// Functions, records and names of templates with any number of arguments.
template <class T> __device__ T sum(T x) { return x; }
template <class T, class... Rest> __device__ T sum(T x, Rest... rest) { return x + sum(rest...); }
template <class... Ts> __device__ float folded(float from, Ts... xs) { return (from + ... + xs) * sizeof...(Ts); }
template <class F, class... Ts> __device__ float call(F f, const Ts &... xs) { return f(xs...); }
template <int... Is> struct list { enum { size = sizeof...(Is) }; };
template <int... Is> __device__ float gather(const float *x, list<Is...>) { return (x[Is] + ...); }
template <class... Ts> struct record;
template <> struct record<> { __device__ int depth() const { return 0; } };
template <class Head, class... Tail> struct record<Head, Tail...> {
  Head head;
  record<Tail...> tail;
};
template <int... Is> struct total { enum { all = (Is + ... + 0) }; };
template <class... Ts> __device__ void store(float *y, int i, Ts... xs) { ((y[i++] = xs), ...); }
template <int... Is> using doubled = list<Is * 2 ...>;
template <class Op, class... Args> __global__ void packs(float *y, const float *x, Args... args) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = sum(x[i], x[i + 1], x[i + 2]) + sum(x[i]);
  s += folded(1.0f, x[i], 2.0f);
  s += call([&](float a, float b) { return a * b; }, x[i], s);
  s += gather(x, list<0, 3, 5>());
  record<float, int> r;
  r.head = s;
  r.tail.head = 2;
  int more = total<4, 8>::all, two = list<1, 2>::size;
  y[i] = r.head * r.tail.head + more;
  store(y, i * two, s, s * 2.0f);
  y[i + 3] = sum(args...) + gather(x, doubled<1, 2>());
}
template __global__ void packs<float, float, int>(float *, const float *, float, int);
