// Grades of 8 kinds are counted in shared memory, where all work-items meet; afterwards each lane has counters of its own.
__global__ void before(const unsigned char *mark, int *count, int rounds) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    int m = mark[(blockIdx.x * rounds + r) * 256 + threadIdx.x];
    atomicAdd(&bins[m & 7], 1); // defect: bins
  }
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}

__global__ void after(const unsigned char *mark, int *count, int rounds) {
  __shared__ int bins[8][32];
  bins[threadIdx.x / 32][threadIdx.x % 32] = 0;
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    int m = mark[(blockIdx.x * rounds + r) * 256 + threadIdx.x];
    atomicAdd(&bins[m & 7][threadIdx.x % 32], 1);
  }
  __syncthreads();
  int sum = bins[threadIdx.x / 32][threadIdx.x % 32];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffff, sum, by);
  if (threadIdx.x % 32 == 0) atomicAdd(&count[threadIdx.x / 32], sum);
}
