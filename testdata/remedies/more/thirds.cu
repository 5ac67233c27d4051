// Division by a number; afterwards a product with its inverse.
__global__ void before(const float *__restrict__ x, float *__restrict__ y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++)
    v = (v + 2.0f) / 3.0f; // defect: -
  y[i] = v;
}
__global__ void after(const float *__restrict__ x, float *__restrict__ y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++)
    v = (v + 2.0f) * 0.33333334f;
  y[i] = v;
}
