// Halves of the lanes take turns, step by step; afterwards whole warps do.
__global__ void before(const float *__restrict__ x, float *__restrict__ y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) {
    if (threadIdx.x % 2 == 0)
      for (int j = 0; j < 64; j++) v = v * 0.5f + 1.0f; // defect: v or -
    else
      for (int j = 0; j < 64; j++) v = v * 0.25f - 1.0f;
  }
  y[i] = v;
}
__global__ void after(const float *__restrict__ x, float *__restrict__ y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) {
    if (threadIdx.x / 32 % 2 == 0)
      for (int j = 0; j < 64; j++) v = v * 0.5f + 1.0f;
    else
      for (int j = 0; j < 64; j++) v = v * 0.25f - 1.0f;
  }
  y[i] = v;
}
