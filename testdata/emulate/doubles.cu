// Contractions and other arithmetic in float64.

// A product of matrices with M x N results for each of 16 x 8 work-items.
template <int M, int N> __global__ void __launch_bounds__(128) product(const double *__restrict__ a, const double *__restrict__ b, double *c, int n) {
  const int K = 8, R = 8 * M, C = 16 * N;
  __shared__ double ta[K][R + 1], tb[K][C];
  int t = threadIdx.x, x = t % 16, y = t / 16;
  a += blockIdx.y * R * n, b += blockIdx.x * C, c += blockIdx.y * R * n + blockIdx.x * C;
  double s[M][N] = {};
  for (int k = 0; k < n; k += K) {
    for (int i = t; i < R * K; i += 128) ta[i % K][i / K] = a[i / K * n + k + i % K];
    for (int i = t; i < C * K; i += 128) tb[i / C][i % C] = b[(k + i / C) * n + i % C];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < K; q++)
#pragma unroll
      for (int i = 0; i < M; i++)
#pragma unroll
        for (int j = 0; j < N; j++) s[i][j] += ta[q][y + 8 * i] * tb[q][x + 16 * j];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N; j++) c[(y + 8 * i) * n + x + 16 * j] = s[i][j];
}

// C[i,j,k,l] = sum over m of A[i,m,k] B[m,j,l], extents e: strides of two tensors at once.
__global__ void tensor(const double *__restrict__ a, const double *__restrict__ b, double *c, int e) {
  int l = threadIdx.x, k = threadIdx.y, j = blockIdx.x, i = blockIdx.y;
  double s = 0;
  for (int m = 0; m < e; m++) s += a[(i * e + m) * e + k] * b[(m * e + j) * e + l];
  c[((i * e + j) * e + k) * e + l] = s;
}

__global__ void horner(const double *__restrict__ x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], s = 1;
#pragma unroll
  for (int k = 2; k < 34; k++) s = s * v + 1.0 / k;
  y[i] = s;
}

__global__ void functions(const double *__restrict__ x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp(-x[i]) / sqrt(x[i] + 1);
}

// Between float64, float32 and integers.
__global__ void conversions(const float *__restrict__ x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s = 0;
  for (int k = 0; k < 16; k++) {
    float v = x[i] * (k + 1);
    s += (double)v * (int)(v * 16) + (float)(s * 0.5);
  }
  y[i] = s;
}
