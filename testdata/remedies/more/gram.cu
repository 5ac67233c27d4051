// The products of all pairs of columns; afterwards with tiles in shared memory.
__global__ void before(const float *__restrict__ x, float *g, int n, int m) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m; k++)
    sum += x[k * n + i] * x[k * n + j]; // defect: x
  g[i * n + j] = sum;
}
__global__ void after(const float *__restrict__ x, float *g, int n, int m) {
  __shared__ float left[16][16], right[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < m; k0 += 16) {
    left[ty][tx] = x[(k0 + ty) * n + blockIdx.y * 16 + tx];
    right[ty][tx] = x[(k0 + ty) * n + j];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      sum += left[k][ty] * right[k][tx];
    __syncthreads();
  }
  g[i * n + j] = sum;
}
