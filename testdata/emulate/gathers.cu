// Loads from places that are computed or read.

__global__ void indirect(const float *__restrict__ x, const int *__restrict__ at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[at[i]];
}

// Anywhere in m elements, a power of two.
__global__ void scattered(const float *__restrict__ x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[(i * 2654435761u >> 5) & (m - 1)];
}

// Places depend on numbers that are read; C loads are in flight.
template <int C> __global__ void dependent(const float *__restrict__ x, const unsigned *__restrict__ salt, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = salt[i] * 40503u + i;
  float s = 0;
#pragma unroll
  for (int c = 0; c < C; c++) s += x[((v + c * 977u) * 2654435761u >> 7) & (m - 1)];
  y[i] = s;
}

// One load after the other: each tells where the next is.
__global__ void chase(const unsigned *__restrict__ x, unsigned *y, int m, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i * 97u;
  for (int s = 0; s < steps; s++) v = v * 1664525u + x[v & (m - 1)];
  y[i] = v;
}

// A sparse matrix whose rows have up to 16 elements, padded, column by column.
__global__ void ellpack(const unsigned *__restrict__ length, const float *__restrict__ value, const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int len = length[i];
  float s = 0;
  for (int k = 0; k < len; k++) s += value[k * n + i] * x[(i + k * k * 61) % n];
  y[i] = s;
}
