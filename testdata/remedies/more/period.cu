// A filter that is repeated over its period.
__global__ void before(const float *x, const float *w, float *y, int n, int taps, int period) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < taps; j++)
    sum += x[i + j] * w[(i + j) / period];
  y[i] = sum;
}

__global__ void after(const float *x, const float *w, float *y, int n, int taps, int period) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  int at = i / period, left = period - i % period;
  for (int j = 0; j < taps; j++) {
    sum += x[i + j] * w[at];
    if (--left == 0) { left = period; at++; }
  }
  y[i] = sum;
}
