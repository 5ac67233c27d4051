// A literal of float64 among floats; afterwards of float32.
__global__ void before(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float u = a[i], v = b[i];
  for (int k = 0; k < steps; k++)
    u = 0.3 * u + 0.7f * v; // defect: -
  y[i] = u;
}
__global__ void after(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float u = a[i], v = b[i];
  for (int k = 0; k < steps; k++)
    u = 0.3f * u + 0.7f * v;
  y[i] = u;
}
