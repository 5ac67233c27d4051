// --local 128 --groups g
// A fence in a loop takes its time in each iteration.
__global__ void fenced(float *a, int g, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < m; k++) {
    a[(k * g + blockIdx.x) * 128 + threadIdx.x] += i;
    __threadfence();
  }
  __threadfence();
}
