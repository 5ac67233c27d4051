// 280 work-groups of 1024 where 264 fit at a time; afterwards they are of 128.
__global__ void before(const float *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * v - 0.75f * v; // defect: -
  y[i] = v;
}
__global__ void after(const float *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * v - 0.75f * v;
  y[i] = v;
}
