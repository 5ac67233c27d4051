// Work-groups of four work-items leave most lanes empty.
__global__ void before(const float *x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.75f + 0.125f; // defect: -, groups
  y[i] = v;
}

// Of 256.
__global__ void after(const float *x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.75f + 0.125f;
  y[i] = v;
}
