// The products of all pairs of columns, 1 and 4 results of each work-item.
__global__ void before(const float *__restrict__ x, float *g, int n, int m) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m; k++) sum += x[k * n + i] * x[k * n + j]; // defect: x
  g[i * n + j] = sum;
}
__global__ void after(const float *__restrict__ x, float *g, int n, int m) {
  int i = blockIdx.y * 64 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum[4] = {};
  for (int k = 0; k < m; k++) {
    float b = x[k * n + j];
#pragma unroll
    for (int r = 0; r < 4; r++) sum[r] += x[k * n + i + 16 * r] * b;
  }
#pragma unroll
  for (int r = 0; r < 4; r++) g[(i + 16 * r) * n + j] = sum[r];
}
