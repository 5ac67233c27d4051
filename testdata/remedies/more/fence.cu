// Rows are updated in place, with a fence after each.
__global__ void before(float *a, const float *b, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < m; k++) {
    a[k * n + i] = a[k * n + i] * 0.5f + b[i];
    __threadfence();
  }
}

__global__ void after(float *a, const float *b, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < m; k++) a[k * n + i] = a[k * n + i] * 0.5f + b[i];
}
