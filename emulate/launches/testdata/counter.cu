// The number of turns stands in a buffer.
extern "C" __global__ void counter(const int *count, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.f;
  int turns = *count;
  for (int j = 0; j < turns; j++) s += x[(i + j) % n];
  y[i] = s;
}
// Rows of a sparse matrix, and a branch on data.
extern "C" __global__ void rows(const int *start, const int *column, const float *value, const float *x, float *y, const int *mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.f;
  for (int k = start[i]; k < start[i + 1]; k++) s += value[k] * x[column[k]];
  if (mask[i] > 3) for (int k = 0; k < 64; k++) s = __sinf(s) + x[(i * k) % n];
  y[i] = s;
}
// A counter in global memory from which work is taken.
extern "C" __global__ void queue(int *next, const float *x, float *y, int n) {
  __shared__ int at;
  for (;;) {
    if (threadIdx.x == 0) at = atomicAdd(next, 1);
    __syncthreads();
    int b = at;
    __syncthreads();
    if (b >= n) return;
    float s = 0.f;
    for (int k = 0; k < 256; k++) s += x[(size_t)b * 256 + (threadIdx.x * 7 + k) % 256];
    y[b * 256 + threadIdx.x] = s;
  }
}
