// A transposition by tiles whose columns lie in one bank.
__global__ void before(const float *__restrict__ x, float *y, int n) {
  __shared__ float tile[32][32];
  int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * 32, by = blockIdx.y * 32;
  for (int k = 0; k < 32; k += 8)
    tile[ty + k][tx] = x[(by + ty + k) * n + bx + tx];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    y[(bx + ty + k) * n + by + tx] = tile[tx][ty + k]; // defect: tile, banks
}

// With rows of 33.
__global__ void after(const float *__restrict__ x, float *y, int n) {
  __shared__ float tile[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * 32, by = blockIdx.y * 32;
  for (int k = 0; k < 32; k += 8)
    tile[ty + k][tx] = x[(by + ty + k) * n + bx + tx];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    y[(bx + ty + k) * n + by + tx] = tile[tx][ty + k];
}
