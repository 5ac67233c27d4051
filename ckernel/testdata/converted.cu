// --local 64 --groups g
// Overloads: what the language converts goes before what a constructor of the program does.
struct Sum {
  float v;
  __device__ Sum(float v) : v(v + 1) {}
};
__device__ float fmaxf(Sum a, Sum b) { return a.v * b.v; }
__device__ float chosen(Sum a) { return a.v * 2; }
__device__ float chosen(double a) { return a; }
__device__ float converted(Sum a, int by) { return a.v * by; }
__global__ void conversions(float *y, const float *x) {
  int i = blockIdx.x * 64 + threadIdx.x;
  y[i] = fmaxf(x[i], 1.0f) + chosen(x[i]) + converted(x[i], 3);
}
