// Complex numbers in shared memory as neighbouring floats, turned m times.
__global__ void before(const float *x, float *y, int m) {
  __shared__ volatile float s[512];
  int t = threadIdx.x, g = blockIdx.x * 512;
  s[2 * t] = x[g + t];
  s[2 * t + 1] = x[g + 256 + t];
  for (int k = 0; k < m; k++) {
    __syncthreads();
    float re = s[2 * (255 - t)], im = s[2 * (255 - t) + 1];
    __syncthreads();
    s[2 * t] = 0.8f * re - 0.6f * im;
    s[2 * t + 1] = 0.6f * re + 0.8f * im;
  }
  y[g + t] = s[2 * t];
  y[g + 256 + t] = s[2 * t + 1];
}

__global__ void after(const float *x, float *y, int m) {
  __shared__ volatile float s[512];
  int t = threadIdx.x, g = blockIdx.x * 512;
  s[t] = x[g + t];
  s[256 + t] = x[g + 256 + t];
  for (int k = 0; k < m; k++) {
    __syncthreads();
    float re = s[255 - t], im = s[256 + 255 - t];
    __syncthreads();
    s[t] = 0.8f * re - 0.6f * im;
    s[256 + t] = 0.6f * re + 0.8f * im;
  }
  y[g + t] = s[t];
  y[g + 256 + t] = s[256 + t];
}
