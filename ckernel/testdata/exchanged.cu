// --local 64 --groups g
// A structure that work-items exchange, as functions over a sub-group do that take any type: each of its members is
// exchanged. A closure has parameters of a template.
struct Best {
  float value[2];
  int at;
};
template <class T> __device__ T below(T x, int by) { return __shfl_down_sync(0xffffffff, x, by); }
__global__ void exchanged(float *y, const float *x) {
  int i = blockIdx.x * 64 + threadIdx.x;
  Best b = {{x[i], x[i + 64]}, i};
  for (int by = 16; by > 0; by /= 2) {
    Best other = below(b, by);
    if (other.value[0] > b.value[0]) b = other;
  }
  auto scaled = [&]<int by>(float v) { return v * by; };
  y[b.at] = scaled.template operator()<3>(b.value[1]);
}
