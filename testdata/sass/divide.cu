__noinline__ __device__ float horner(const float *c, int n, float x) {
  float v = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i++)
    v = v * x + c[i];
  return v;
}

extern "C" __global__ void divide(int n, const float *a, const float *b, const double *c, float *q, double *d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  q[i] = a[i] / b[i];
  d[i] = sqrt(c[i]) / c[i + n];
}

extern "C" __global__ void divide_whole(int n, const long *a, const long *b, long *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    q[i] = a[i] / b[i];
}

extern "C" __global__ void polynomial(int n, const float *c, int degree, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = horner(c, degree, x[i]);
}
