// --local 32 --global n
struct twice { static __device__ float of(float x) { return x * 2; } };
struct more { static __device__ float of(float x) { return x + 1 + x; } };
struct place {
  float *p;
  __device__ place(float *q) : p(q) {}
  __device__ operator float &() { return *p; }
  __device__ place &operator=(float v);
};
__device__ place &place::operator=(float v) {
  *p = v - 1;
  return *this;
}
template <int N> struct view {
  float *p;
  int n;
  __device__ view(float *q, int m);
  __device__ place operator[](int i) const { return place(p + i); }
  __device__ int size() const { return n; }
  __device__ float sum() const;
};
template <int M> __device__ view<M>::view(float *q, int m) : p(q), n(m) {}
template <int M> __device__ float view<M>::sum() const {
  float s = 0;
  for (int k = 0; k < size() - M; k += 4) s += p[k];
  return s;
}
__global__ void classes(float *y, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  view<3> v(x, n), w(y, n);
  for (int k = i; k < v.size(); k += 64) {
    float &t = v[k];
    w[k] = t * 3;
  }
  w[i] = twice::of(v[i]) - more::of(v[i + 0]) + v.sum();
}
