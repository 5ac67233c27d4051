// Softmax along columns, each of a work-item, which goes through it three times; afterwards twice, with the sum so far set right whenever the maximum grows.
__global__ void before(const float *x, float *y, int n, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f, sum = 0.0f;
  for (int r = 0; r < rows; r++) most = fmaxf(most, x[r * n + c]);
  for (int r = 0; r < rows; r++) sum += __expf(x[r * n + c] - most); // defect: x
  for (int r = 0; r < rows; r++) y[r * n + c] = __expf(x[r * n + c] - most) / sum;
}

__global__ void after(const float *x, float *y, int n, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f, sum = 0.0f;
  for (int r = 0; r < rows; r++) {
    float v = x[r * n + c], now = fmaxf(most, v);
    sum = sum * __expf(most - now) + __expf(v - now);
    most = now;
  }
  for (int r = 0; r < rows; r++) y[r * n + c] = __expf(x[r * n + c] - most) / sum;
}
