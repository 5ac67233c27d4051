// Four passes over what no cache holds.
__global__ void before(const float *__restrict__ x, float *y, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int p = 0; p < 4; p++) {
    float sum = 0;
    for (int k = 0; k < terms; k++)
      sum += x[k * n + i] * (p + 1); // defect: x, reuse
    y[p * n + i] = sum;
  }
}

// One pass.
__global__ void after(const float *__restrict__ x, float *y, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < terms; k++) {
    float v = x[k * n + i];
#pragma unroll
    for (int p = 0; p < 4; p++)
      sum[p] += v * (p + 1);
  }
#pragma unroll
  for (int p = 0; p < 4; p++)
    y[p * n + i] = sum[p];
}
