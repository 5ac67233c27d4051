// Rows of float64 are divided by their first element, one by one.
__global__ void quotients(const double *__restrict__ x, double *y, int rows, int width) {
  int row = blockIdx.x;
  double by = x[row * width];
  for (int j = threadIdx.x; j < width; j += blockDim.x) y[row * width + j] = x[row * width + j] / by + (j + 1) / by;
}
