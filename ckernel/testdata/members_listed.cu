// --local 64 --groups g
// Members that are arrays with lists for their values, a vector by reference that is a value, and what a constructor converts.
struct Ray {
  float from[3], along[2][2];
  float scale;
  int left[2] = {1, 2};
  __device__ Ray(const float *at, const float *from) : from{at[0], at[1], at[2]}, along{{from[0], from[1]}, {from[1]}}, scale(at[3]) {}
};
template <class T, int N> struct Many {
  T v[N];
};
template <int N> using Doubles = Many<double, N>;
struct View {
  const double *data;
  __device__ View(const Doubles<4> &of) : data(of.v) {}
};
template <int N> __device__ double first(const Doubles<N> &x, View by) { return x.v[0]; }
template <> __device__ double first<2>(const Doubles<2> &x, View by) { return x.v[1] * by.data[2]; }
namespace space {
template <class T> struct Pair { T x, y; };
}
typedef struct space::Pair<float> Pair2;
__device__ float inside(const float2 &p, float *out) {
  if (p.x < 0) return p.y;
  *out = p.x * p.y;
  return 1;
}
struct Kept {
  float *at;
};
struct Wrapped : public Kept {
  __device__ float *at_all() { return at; }
  __device__ float *data() { return Kept::at; }
};
__global__ void members(float *y, const float *x, const Doubles<2> *d, const Doubles<4> *by, double *z, const Pair2 *q) {
  int i = blockIdx.x * 64 + threadIdx.x;
  Ray r(x + 4 * i, x);
  float s = 0;
  for (int k = 0; k < 3; k++) s += r.from[k] * r.along[k % 2][0];
  float t = 0;
  s += inside(make_float2(x[i], r.scale), &t);
  y[i] = s + t + r.left[1] + q[i].y;
  Doubles<4> b = by[i];
  z[i] = first(d[i], b);
  Wrapped w;
  w.at = y;
  w.data()[i] += 1;
}
