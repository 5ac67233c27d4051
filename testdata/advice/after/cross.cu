// A cross of five points, two neighbours by each work-item.
__global__ void cross(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (i < 1 || i >= n - 1 || j >= n) return;
  float a = j > 0 ? x[(j - 1) * n + i] : 0, b = x[j * n + i], c = x[(j + 1) * n + i], d = j + 2 < n ? x[(j + 2) * n + i] : 0;
  if (j > 0) y[j * n + i] = 0.5f * b + 0.125f * (x[j * n + i - 1] + x[j * n + i + 1] + a + c);
  if (j + 2 < n) y[(j + 1) * n + i] = 0.5f * c + 0.125f * (x[(j + 1) * n + i - 1] + x[(j + 1) * n + i + 1] + b + d);
}
