// A work-item for each row of a matrix; afterwards the matrix is kept by columns.
__global__ void before(const float *__restrict__ a, const float *__restrict__ x, float *y, int n, int m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int col = 0; col < m; col++)
    sum += a[row * m + col] * x[col]; // defect: a
  y[row] = sum;
}
__global__ void after(const float *__restrict__ a, const float *__restrict__ x, float *y, int n, int m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int col = 0; col < m; col++)
    sum += a[col * n + row] * x[col];
  y[row] = sum;
}
