// How many elements are positive, and their squares' sum as an integer.
__global__ void before(const int *x, int *count, int *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(count, 1);
    atomicMax(sum, x[i]);
  }
}

__global__ void after(const int *x, int *count, int *sum, int n) {
  __shared__ int c, m;
  if (threadIdx.x == 0) { c = 0; m = 0; }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&c, 1);
    atomicMax(&m, x[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) { atomicAdd(count, c); atomicMax(sum, m); }
}
