// Stores and atomic additions to places that are computed or read.

__global__ void stores(float *y, const float *__restrict__ x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[(i * 2654435761u >> 5) & (m - 1)] = x[i];
}

__global__ void adds(float *y, const float *__restrict__ x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[(i * 2654435761u >> 5) & (m - 1)], x[i]);
}

// Lanes of a warp add to a few places.
__global__ void crowded(int *y, const unsigned *__restrict__ x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[(x[i] * 2654435761u >> 11) % m], (int)x[i]);
}

// Old values are used, one place for each block.
__global__ void tickets(unsigned *counter, unsigned *y, int rounds) {
  unsigned s = 0;
  for (int r = 0; r < rounds; r++) s += atomicAdd(&counter[blockIdx.x % 8 * 64 + threadIdx.x % 32], s & 3);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Each element moves by a stride.
__global__ void permuted(float *y, const float *__restrict__ x, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[(long long)i * stride % n] = x[i];
}
