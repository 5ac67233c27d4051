// Sums of blocks of 1024: a tree in shared memory, with a barrier for each level.
__global__ void barriers(const float *__restrict__ x, float *y, int rounds) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  for (int r = 0; r < rounds; r++) {
    s[t] = x[(r * gridDim.x + blockIdx.x) * 1024 + t];
    for (int half = 512; half > 0; half /= 2) {
      __syncthreads();
      if (t < half) s[t] += s[t + half];
    }
    if (t == 0) y[r * gridDim.x + blockIdx.x] = s[0];
    __syncthreads();
  }
}
