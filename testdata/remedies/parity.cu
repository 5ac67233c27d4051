// Even and odd work-items go different ways.
__global__ void before(const float *x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (i % 2 == 0) {
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f * v * v; // defect: -, divergence
  } else {
    for (int r = 0; r < rounds; r++) v = 0.5f - v * 0.625f * v;
  }
  y[i] = v;
}

// Sub-groups do.
__global__ void after(const float *x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (i / 32 % 2 == 0) {
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f * v * v;
  } else {
    for (int r = 0; r < rounds; r++) v = 0.5f - v * 0.625f * v;
  }
  y[i] = v;
}
