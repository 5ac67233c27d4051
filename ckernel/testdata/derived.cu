// --local 32 --global n
// A structure that derives from a vector has its lanes as members; an extent may ask for the size of a type.
struct wide : public uint2 {
  __device__ wide() {}
  __device__ wide(unsigned a, unsigned b) {
    uint2::x = a;
    uint2::y = b;
  }
  __device__ wide operator^=(const wide &o) {
    uint2::x ^= o.x;
    y ^= o.y;
    return *this;
  }
};
typedef struct {
  float part[8 / sizeof(float)];
  int count, most;
} sums;
__device__ void add(sums *s, float v) {
  s->part[s->count & 1] += v;
  s->count++;
}
__global__ void derived(unsigned *y, const unsigned *x, wide *z, float *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  wide w(x[i], 1u);
  w ^= z[i];
  y[i] = w.x + w.y;
  sums s;
  s.count = 0;
  add(&s, f[i]);
  f[i] = s.part[0] * norm3df(f[i], 2.0f, s.part[1]);
}
