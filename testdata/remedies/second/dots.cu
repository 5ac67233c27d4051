// 4096 dot products of 4096 numbers, each by a work-item, along columns; afterwards by a work-group of 16 parts of a column.
__global__ void before(const float *a, const float *b, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < m; k++) sum += a[k * n + i] * b[k * n + i]; // defect: a or b
  out[i] = sum;
}

__global__ void after(const float *a, const float *b, float *out, int n, int m) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k = threadIdx.y + 16 * blockIdx.y; k < m; k += 16 * gridDim.y) sum += a[k * n + i] * b[k * n + i];
  atomicAdd(&out[i], sum);
}
