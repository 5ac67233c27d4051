// Products with the rows of a triangle, of which the last ones are the longest and start last; afterwards a work-group has a long and a short one.
__global__ void before(const float *a, const float *x, float *y) {
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = threadIdx.x; c <= row * 64; c += 256)
    sum += a[c] * x[c] * sqrtf(a[c] + x[c]); // defect: sum or a or x
  y[row * 256 + threadIdx.x] = sum;
}

__global__ void after(const float *a, const float *x, float *y) {
  for (int way = 0; way < 2; way++) {
    int row = way ? 2 * gridDim.x - 1 - blockIdx.x : blockIdx.x;
    float sum = 0.0f;
    for (int c = threadIdx.x; c <= row * 64; c += 256)
      sum += a[c] * x[c] * sqrtf(a[c] + x[c]);
    y[row * 256 + threadIdx.x] = sum;
  }
}
