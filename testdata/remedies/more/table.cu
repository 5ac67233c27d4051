// A table of 44 KB for a work-group of 64; afterwards 512 work-items share one.
__global__ void before(const float *__restrict__ values, const float *__restrict__ x, float *y, int rounds) {
  __shared__ float table[11264];
  for (int k = threadIdx.x; k < 11264; k += blockDim.x)
    table[k] = values[k]; // defect: table or values
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + table[(threadIdx.x + 32 * r) % 11264];
  y[i] = v;
}
__global__ void after(const float *__restrict__ values, const float *__restrict__ x, float *y, int rounds) {
  __shared__ float table[11264];
  for (int k = threadIdx.x; k < 11264; k += blockDim.x)
    table[k] = values[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + table[(threadIdx.x + 32 * r) % 11264];
  y[i] = v;
}
