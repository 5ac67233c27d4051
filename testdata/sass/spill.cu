// More live values than 32 registers hold: the compiler spills.
extern "C" __global__ void __launch_bounds__(1024, 2) spill(int n, const float *x, float *y) {
  float v[48];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 48; k++)
    v[k] = x[i + k * n];
#pragma unroll 1
  for (int r = 0; r < n; r++) {
#pragma unroll
    for (int k = 0; k < 48; k++)
      v[k] = v[k] * v[(k + 7) % 48] + v[(k + 1) % 48];
  }
#pragma unroll
  for (int k = 0; k < 48; k++)
    y[i + k * n] = v[k];
}
