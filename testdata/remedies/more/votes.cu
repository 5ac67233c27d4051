// All work-items count at one place; afterwards each work-group counts in shared memory first.
__global__ void before(const int *__restrict__ x, int *count, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(count, x[i] > limit ? 1 : 0); // defect: count
}
__global__ void after(const int *__restrict__ x, int *count, int limit) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sum, x[i] > limit ? 1 : 0);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, sum);
}
