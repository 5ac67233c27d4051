// Steps of factorizations, and many small systems.

// The trailing part of a matrix without what column k explains of it.
__global__ void eliminate(float *a, int n, int k) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

// A panel of W columns, by one block: rows in registers, the pivot row in shared memory.
template <int W> __global__ void panel(float *a, int rows) {
  __shared__ float pivot[W];
  int r = threadIdx.x;
  float *own = a + ((size_t)blockIdx.x * rows + r) * W, v[W];
  for (int c = 0; c < W; c++) v[c] = own[c];
  for (int k = 0; k < W; k++) {
    if (r == k) for (int c = 0; c < W; c++) pivot[c] = v[c];
    __syncthreads();
    if (r > k) {
      float f = v[k] / (pivot[k] + 2);
      v[k] = f;
      for (int c = 0; c < W; c++) if (c > k) v[c] -= f * pivot[c];
    }
    __syncthreads();
  }
  for (int c = 0; c < W; c++) own[c] = v[c];
}

// Products of many matrices of N by N in float64, one for each N work-items.
template <int N> __global__ void batched(const double *__restrict__ a, const double *__restrict__ b, double *c, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i / N, row = i % N;
  if (at >= count) return;
  const double *x = a + (size_t)at * N * N + row * N, *y = b + (size_t)at * N * N;
  double s[N] = {};
  for (int k = 0; k < N; k++) {
    double f = x[k];
    for (int j = 0; j < N; j++) s[j] += f * y[k * N + j];
  }
  for (int j = 0; j < N; j++) c[(size_t)at * N * N + row * N + j] = s[j];
}

// Tridiagonal systems, one for each work-item, whose unknowns lie side by side.
__global__ void thomas(const float *__restrict__ d, float *x, float *c, int systems, int n) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float w = 0, z = 0;
  for (int i = 0; i < n; i++) {
    float m = 1 / (4 - w);
    w = m;
    z = (d[i * systems + s] + z) * m;
    c[i * systems + s] = w;
    x[i * systems + s] = z;
  }
  for (int i = n - 2; i >= 0; i--) {
    z = x[i * systems + s] + c[i * systems + s] * z;
    x[i * systems + s] = z;
  }
}
