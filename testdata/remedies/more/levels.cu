// Division by a constant that is no power of two; afterwards a product.
__global__ void before(const float *__restrict__ x, float *y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++)
    v = (v * 3.0f + 1.0f) / 255.0f; // defect: -
  y[i] = v;
}
__global__ void after(const float *__restrict__ x, float *y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++)
    v = (v * 3.0f + 1.0f) * (1.0f / 255.0f);
  y[i] = v;
}
