// Sums of blocks of 1024: within sub-groups by shuffles, with one barrier before the last sum.
__device__ float total(float v) {
  for (int half = 16; half > 0; half /= 2) v += __shfl_down_sync(~0u, v, half);
  return v;
}
__global__ void barriers(const float *__restrict__ x, float *y, int rounds) {
  __shared__ float s[2][32];
  int t = threadIdx.x;
  for (int r = 0; r < rounds; r++) {
    float v = total(x[(r * gridDim.x + blockIdx.x) * 1024 + t]);
    if (t % 32 == 0) s[r & 1][t / 32] = v;
    __syncthreads();
    if (t < 32) {
      v = total(s[r & 1][t]);
      if (t == 0) y[r * gridDim.x + blockIdx.x] = v;
    }
  }
}
