// 280 work-groups, of which the device has room for 264 at once.
__global__ void before(const float *__restrict__ x, const float *__restrict__ z, float *y, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
  for (int k = 0; k < points; k++)
    sum += fabsf(v - z[k]) * v; // defect: -, wave
  y[i] = sum;
}

// Smaller ones.
__global__ void after(const float *__restrict__ x, const float *__restrict__ z, float *y, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
  for (int k = 0; k < points; k++)
    sum += fabsf(v - z[k]) * v;
  y[i] = sum;
}
