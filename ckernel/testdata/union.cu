// --local 32 --global n
union bits {
  float f;
  unsigned u;
};
union quad {
  float s[4];
  float4 v;
};
struct cell {
  int tag;
  union {
    float f[2];
    double d;
  };
};
struct pair {
  union {
    float x, r;
  };
  float y;
};
enum class mode { off, twice = 4 };
__device__ bits made(float f) {
  bits b;
  b.f = f;
  return b;
}
template <mode M> __device__ float scaled(float x) { return M == mode::twice ? x * 2 : x; }
__global__ void unions(float *y, const unsigned *x, quad *q, cell *c, pair *p, const void *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bits b, d = made(y[i]);
  b.u = x[i] << 23;
  d.u |= 1;
  y[i] = b.f * d.f + scaled<mode::twice>(((const float *)v)[i]);
  quad a = q[i];
  for (int k = 0; k < 4; k++) a.s[k] += 1;
  q[i] = a;
  cell e = c[i];
  if (i < n / 2) e.d = 1;
  else e.f[1] += 2;
  c[i] = e;
  pair r = p[i];
  r.r += r.y;
  p[i].y = r.x;
}
