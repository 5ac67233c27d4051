// A filter of 96 taps: all are kept in registers, so that few blocks have room at once.
#define TAPS 96
__global__ void taps(const float *__restrict__ x, const float *__restrict__ c, float *y, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float h[TAPS];
#pragma unroll
  for (int k = 0; k < TAPS; k++) h[k] = c[k * 32 + (threadIdx.x & 31)];
  for (int r = 0; r < rounds; r++) {
    float v = x[r * step + i], s = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++) s += h[k], h[k] = h[k] * 0.5f + v;
    y[r * step + i] = s;
  }
}
