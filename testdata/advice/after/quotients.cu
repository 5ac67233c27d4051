// Rows of float64 are multiplied by the reciprocal of their first element.
__global__ void quotients(const double *__restrict__ x, double *y, int rows, int width) {
  int row = blockIdx.x;
  double by = 1 / x[row * width];
  for (int j = threadIdx.x; j < width; j += blockDim.x) y[row * width + j] = x[row * width + j] * by + (j + 1) * by;
}
