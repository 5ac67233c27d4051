// Neighbours have between 1 and 32 times as many rounds.
__global__ void before(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  int trips = (i % 32 + 1) * 16;
  for (int r = 0; r < trips; r++)
    v = v * 0.75f + 0.125f * v * v; // defect: -, divergence
  y[i] = v;
}

// Neighbours have as many.
__global__ void after(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  int trips = (i / 32 % 32 + 1) * 16;
  for (int r = 0; r < trips; r++)
    v = v * 0.75f + 0.125f * v * v;
  y[i] = v;
}
