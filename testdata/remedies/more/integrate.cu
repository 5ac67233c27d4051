// Two sums that grow in global memory; afterwards in registers.
__global__ void before(const float *f, float *sum, float *most, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; s++) {
    sum[i] += f[s * n + i]; // defect: sum or most
    most[i] = fmaxf(most[i], f[s * n + i]);
  }
}
__global__ void after(const float *f, float *sum, float *most, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = sum[i], b = most[i];
  for (int s = 0; s < steps; s++) {
    float v = f[s * n + i];
    a += v;
    b = fmaxf(b, v);
  }
  sum[i] = a;
  most[i] = b;
}
