// Copies and sums of arrays in several widths, strides and orders.

template <class T> __global__ void copy(const T *__restrict__ x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

// Few blocks that go through all, U elements at once.
template <class T, int U> __global__ void loop(const T *__restrict__ x, T *y, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += U * step) {
    T v[U];
#pragma unroll
    for (int u = 0; u < U; u++)
      if (i + u * step < n) v[u] = x[i + u * step];
#pragma unroll
    for (int u = 0; u < U; u++)
      if (i + u * step < n) y[i + u * step] = v[u];
  }
}

__global__ void strided(const float *__restrict__ x, float *y, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i * stride];
}

__global__ void shifted(const float *__restrict__ x, float *y, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + by];
}

__global__ void triad(const float *__restrict__ a, const float *__restrict__ b, float *c, int n, float s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + s * b[i];
}

// Structures of three: three strided loads or stores of a warp fill the same sectors.
__global__ void triples(const float *__restrict__ x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[3 * i] = x[3 * i + 2], y[3 * i + 1] = x[3 * i], y[3 * i + 2] = x[3 * i + 1];
}

// Only stores.
__global__ void fill(float *y, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = v;
}
