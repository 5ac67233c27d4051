// The transpose of a matrix by tiles with padding.
__global__ void banks(const float *__restrict__ x, float *y, int n) {
  __shared__ float tile[32][33];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = x[(j + k) * n + i];
  __syncthreads();
  i = blockIdx.y * 32 + threadIdx.x, j = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) y[(j + k) * n + i] = tile[threadIdx.x][threadIdx.y + k];
}
