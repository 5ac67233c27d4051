// Divisions by a number that does not change.
__global__ void before(const float *x, float *y, float s, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = (v + 1.0f) / s; // defect: -, division
  y[i] = v;
}

// Multiplications by its inverse.
__global__ void after(const float *x, float *y, float s, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], t = 1.0f / s;
  for (int r = 0; r < rounds; r++)
    v = (v + 1.0f) * t;
  y[i] = v;
}
