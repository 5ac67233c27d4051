// A cross of five points, in blocks of 32 by 8.
__global__ void cross(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  y[j * n + i] = 0.5f * x[j * n + i] + 0.125f * (x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}
