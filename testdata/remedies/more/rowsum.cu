// A work-item for each row; afterwards the table is kept transposed.
__global__ void before(const float *__restrict__ t, float *__restrict__ y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < m; j++)
    sum += t[i * m + j]; // defect: t
  y[i] = sum;
}
__global__ void after(const float *__restrict__ t, float *__restrict__ y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < m; j++)
    sum += t[j * n + i];
  y[i] = sum;
}
