// The sum is kept in global memory.
__global__ void before(const float *x, float *y, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0;
  for (int k = 0; k < terms; k++)
    y[i] += x[k * n + i]; // defect: y, reuse
}

// In a register.
__global__ void after(const float *x, float *y, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < terms; k++)
    sum += x[k * n + i];
  y[i] = sum;
}
