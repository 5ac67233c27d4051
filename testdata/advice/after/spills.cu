// Products of vectors of 48 elements with the registers that they need.
__global__ void __launch_bounds__(256) spills(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; k++) v[k] = x[k * n + i];
  float s = 0;
  for (int r = 0; r < 16; r++) {
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = v[k] * v[(k * 5 + 7) % 48] + 0.5f;
    s += v[5] * v[r & 1 ? 7 : 9];
  }
#pragma unroll
  for (int k = 0; k < 48; k++) s += v[k];
  y[i] = s;
}
