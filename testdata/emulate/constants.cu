// Numbers in constant memory.

__constant__ float table[4096];

// All lanes read the same.
__global__ void polynomials(const float *__restrict__ x, float *y, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0;
  for (int k = 0; k < degree; k++) s = s * v + table[k];
  y[i] = s;
}

// Lanes read W different ones.
template <int W> __global__ void lookups(const float *__restrict__ x, float *y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[i];
  for (int r = 0; r < rounds; r++) s += table[(i % W * 61 + r * 7) & 4095];
  y[i] = s;
}
