// Eight counters of a block in shared memory.
__global__ void votes(const unsigned *__restrict__ x, unsigned *y, int n) {
  __shared__ unsigned s[8];
  if (threadIdx.x < 8) s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[(x[i] ^ i * 5) & 7], 1u);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&y[threadIdx.x], s[threadIdx.x]);
}
