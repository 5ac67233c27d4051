// Eight counters in shared memory, a copy of them for each lane.
__global__ void votes(const unsigned *__restrict__ x, unsigned *y, int n) {
  __shared__ unsigned s[8 * 32];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[((x[i] ^ i * 5) & 7) * 32 + threadIdx.x % 32], 1u);
  __syncthreads();
  if (threadIdx.x < 8) {
    unsigned sum = 0;
    for (int k = 0; k < 32; k++) sum += s[threadIdx.x * 32 + (k + threadIdx.x) % 32];
    atomicAdd(&y[threadIdx.x], sum);
  }
}
