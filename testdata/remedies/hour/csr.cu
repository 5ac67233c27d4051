// The product of a sparse matrix, by rows, and a vector; a thread for each row (before), a sub-group for each row (after).
__global__ void before(const int *first, const int *column, const float *value, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = first[row]; k < first[row + 1]; k++)
    sum += value[k] * x[column[k]];
  y[row] = sum;
}
__global__ void after(const int *first, const int *column, const float *value, const float *x, float *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = first[row] + lane; k < first[row + 1]; k += 32)
    sum += value[k] * x[column[k]];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) y[row] = sum;
}
