// Sums of rows of 32, each by a work-item, from shared memory.
__global__ void before(const float *__restrict__ x, float *y) {
  __shared__ float rows[128][32];
  int t = threadIdx.x;
  for (int k = 0; k < 32; k++)
    rows[4 * k + t / 32][t % 32] = x[blockIdx.x * 4096 + k * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; k++)
    sum += rows[t][k]; // defect: rows, banks
  y[blockIdx.x * 128 + t] = sum;
}

// From rows of 33.
__global__ void after(const float *__restrict__ x, float *y) {
  __shared__ float rows[128][33];
  int t = threadIdx.x;
  for (int k = 0; k < 32; k++)
    rows[4 * k + t / 32][t % 32] = x[blockIdx.x * 4096 + k * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; k++)
    sum += rows[t][k];
  y[blockIdx.x * 128 + t] = sum;
}
