// Sixteen sums that all add to in global memory; afterwards a work-group has its own in shared memory first.
__global__ void before(const float *__restrict__ x, float *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&h[i % 16], x[i]); // defect: h
}
__global__ void after(const float *__restrict__ x, float *h, int n) {
  __shared__ float own[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&own[i % 16], x[i]);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
}
