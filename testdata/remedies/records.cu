// One member of structures of 32 bytes.
__global__ void before(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 0.5f * x[8 * i + 3]; // defect: x, coalescing
}

// A structure of arrays.
__global__ void after(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 0.5f * x[3 * n + i];
}
