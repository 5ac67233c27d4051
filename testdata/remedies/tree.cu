// A sum in shared memory, by work-items whose elements move apart.
__global__ void before(const float *x, float *y) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
#pragma unroll
  for (int d = 1; d < 512; d *= 2) {
    if (t < 256 / d)
      s[2 * d * t] += s[2 * d * t + d]; // defect: s, banks
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// They stay beside each other.
__global__ void after(const float *x, float *y) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
#pragma unroll
  for (int d = 256; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
