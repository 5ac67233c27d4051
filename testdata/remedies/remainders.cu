// Remainders by a number that only the launch knows.
__global__ void before(const int *x, int *y, int width, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  for (int r = 0; r < rounds; r++)
    v = (v + r) % width; // defect: -, division
  y[i] = v;
}

// By a power of two.
__global__ void after(const int *x, int *y, int width, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  for (int r = 0; r < rounds; r++)
    v = (v + r) & (width - 1);
  y[i] = v;
}
