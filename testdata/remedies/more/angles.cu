// All numbers are gone through once for each angle; afterwards each number is multiplied by all.
__global__ void before(const float *__restrict__ x, const float *__restrict__ w, float *out, int n, int angles) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (int a = 0; a < angles; a++)
    for (int i = first; i < n; i += step)
      out[a * n + i] = x[i] * w[a]; // defect: x
}
__global__ void after(const float *__restrict__ x, const float *__restrict__ w, float *out, int n, int angles) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (int i = first; i < n; i += step) {
    float v = x[i];
    for (int a = 0; a < angles; a++)
      out[a * n + i] = v * w[a];
  }
}
