// The second factor is kept by columns, and so its tile is read across the banks.
#define T 32
__global__ void before(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  __shared__ float as[T][T], bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
    as[ty][tx] = a[i * n + k0 + tx];
    bs[ty][tx] = b[(blockIdx.x * T + ty) * n + k0 + tx];
    __syncthreads();
    for (int k = 0; k < T; k++)
      sum += as[ty][k] * bs[tx][k]; // defect: bs
    __syncthreads();
  }
  c[i * n + j] = sum;
}
__global__ void after(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  __shared__ float as[T][T], bs[T][T + 1];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
    as[ty][tx] = a[i * n + k0 + tx];
    bs[ty][tx] = b[(blockIdx.x * T + ty) * n + k0 + tx];
    __syncthreads();
    for (int k = 0; k < T; k++)
      sum += as[ty][k] * bs[tx][k];
    __syncthreads();
  }
  c[i * n + j] = sum;
}
