// Each work-item has 32 neighbouring elements.
__global__ void before(const float *__restrict__ x, float *__restrict__ y, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 32;
#pragma unroll 1
  for (int k = 0; k < 32; k++)
    y[first + k] = x[first + k] * 3.0f + 1.0f; // defect: x or y, coalescing
}

// Elements of a work-item are a launch apart.
__global__ void after(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 32; k++)
    y[i + k * (n / 32)] = x[i + k * (n / 32)] * 3.0f + 1.0f;
}
