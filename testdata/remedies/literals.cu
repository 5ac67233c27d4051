// Literals of float64 in float32 arithmetic.
__global__ void before(const float *x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.75 + 0.125; // defect: -, float64
  y[i] = v;
}

// Of float32.
__global__ void after(const float *x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.75f + 0.125f;
  y[i] = v;
}
