// Buckets by a remainder of numbers without sign; afterwards by a mask.
__global__ void before(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned buckets, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i], sum = 0;
  for (int r = 0; r < rounds; r++) {
    v = v * 1664525u + 1013904223u;
    sum += v % buckets; // defect: -
  }
  y[i] = sum;
}
__global__ void after(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned buckets, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i], sum = 0;
  for (int r = 0; r < rounds; r++) {
    v = v * 1664525u + 1013904223u;
    sum += v & (buckets - 1);
  }
  y[i] = sum;
}
