// Work-groups of 64 fill 32 KB each; afterwards of 512.
__global__ void before(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int rounds) {
  __shared__ float s[8192];
  for (int k = threadIdx.x; k < 8192; k += blockDim.x)
    s[k] = w[k]; // defect: s or w
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + s[(threadIdx.x + 32 * r) & 8191];
  y[i] = v;
}
__global__ void after(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int rounds) {
  __shared__ float s[8192];
  for (int k = threadIdx.x; k < 8192; k += blockDim.x)
    s[k] = w[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < rounds; r++)
    v = v * 0.5f + s[(threadIdx.x + 32 * r) & 8191];
  y[i] = v;
}
