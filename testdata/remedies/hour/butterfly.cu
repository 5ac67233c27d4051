// Rounds of butterflies in local memory: a work-item has 16 neighbouring elements (before), or every 256th (after).
__global__ void before(const float *in, float *out, int rounds) {
  __shared__ float s[4096];
  for (int k = 0; k < 16; k++) s[k * 256 + threadIdx.x] = in[blockIdx.x * 4096 + k * 256 + threadIdx.x];
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    for (int k = 0; k < 8; k++) {
      float a = s[threadIdx.x * 16 + k], b = s[threadIdx.x * 16 + k + 8];
      s[threadIdx.x * 16 + k] = 0.5f * (a + b);
      s[threadIdx.x * 16 + k + 8] = 0.5f * (a - b);
    }
    __syncthreads();
  }
  for (int k = 0; k < 16; k++) out[blockIdx.x * 4096 + k * 256 + threadIdx.x] = s[k * 256 + threadIdx.x];
}
__global__ void after(const float *in, float *out, int rounds) {
  __shared__ float s[4096];
  for (int k = 0; k < 16; k++) s[k * 256 + threadIdx.x] = in[blockIdx.x * 4096 + k * 256 + threadIdx.x];
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    for (int k = 0; k < 8; k++) {
      float a = s[k * 256 + threadIdx.x], b = s[(k + 8) * 256 + threadIdx.x];
      s[k * 256 + threadIdx.x] = 0.5f * (a + b);
      s[(k + 8) * 256 + threadIdx.x] = 0.5f * (a - b);
    }
    __syncthreads();
  }
  for (int k = 0; k < 16; k++) out[blockIdx.x * 4096 + k * 256 + threadIdx.x] = s[k * 256 + threadIdx.x];
}
