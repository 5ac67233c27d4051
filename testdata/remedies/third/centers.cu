// Sums of points by the class that data give, added one by one; afterwards each work-group adds its own sums first.
__global__ void before(const float *x, const unsigned char *label, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sums[label[i] & 63], x[i]); // defect: sums
}

__global__ void after(const float *x, const unsigned char *label, float *sums, int n) {
  __shared__ float own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0.0f;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[label[i] & 63], x[i]);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
}
