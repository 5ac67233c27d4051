// The update of a matrix by an outer product; neighbours have rows (before) or columns (after).
__global__ void before(float *c, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  c[i * n + j] = x[i] * y[j];
}
__global__ void after(float *c, const float *x, const float *y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  c[i * n + j] = x[i] * y[j];
}
__global__ void update(float *c, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  c[i * n + j] += x[i] * y[j];
}
__global__ void rowwise(float *c, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = x[i];
  for (int j = 0; j < n; j++) c[i * n + j] = f * y[j];
}
__global__ void rowupdate(float *c, const float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = x[i];
  for (int j = 0; j < n; j++) c[i * n + j] += f * y[j];
}
