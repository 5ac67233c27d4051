// 48 KB of shared memory for each work-group, of which it needs half a KB.
__global__ void before(const float *__restrict__ x, float *__restrict__ y, int n, int rounds) {
  __shared__ float s[12288];
  int t = threadIdx.x;
#pragma unroll 1
  for (int r = 0, i = blockIdx.x * 128 + t; r < rounds; r++, i += n) {
    s[t] = x[i]; // defect: s, occupancy
    __syncthreads();
    y[i] = s[127 - t];
    __syncthreads();
  }
}

// What it needs.
__global__ void after(const float *__restrict__ x, float *__restrict__ y, int n, int rounds) {
  __shared__ float s[128];
  int t = threadIdx.x;
#pragma unroll 1
  for (int r = 0, i = blockIdx.x * 128 + t; r < rounds; r++, i += n) {
    s[t] = x[i];
    __syncthreads();
    y[i] = s[127 - t];
    __syncthreads();
  }
}
