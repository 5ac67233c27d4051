// A product of matrices, each element by a work-item that loads all that it needs.
__global__ void products(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}
