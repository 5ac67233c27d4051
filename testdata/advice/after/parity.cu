// Even and odd work-items compute different functions: those of a sub-group compute the same.
__global__ void parity(const float *__restrict__ x, float *y, int n, int rounds) {
  int t = threadIdx.x % 64, i = blockIdx.x * blockDim.x + threadIdx.x - t + (t % 32) * 2 + t / 32;
  if (i >= n) return;
  float v = x[i];
  if (i & 1) {
    for (int r = 0; r < rounds; r++) v = v * 1.0009765f - 0.25f * v * v;
  } else {
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f / (1.0f + v * v);
  }
  y[i] = v;
}
