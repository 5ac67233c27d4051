// The sum of each row, by a work-item that goes along it: neighbours are a row apart.
__global__ void before(const float *__restrict__ x, float *y, int rows, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int j = 0; j < width; j++)
    sum += x[i * width + j]; // defect: x, coalescing
  y[i] = sum;
}

// The matrix is kept transposed.
__global__ void after(const float *__restrict__ x, float *y, int rows, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int j = 0; j < width; j++)
    sum += x[j * rows + i];
  y[i] = sum;
}
