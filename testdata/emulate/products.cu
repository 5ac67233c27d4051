// Products of square matrices in float32: C = A B, n a multiple of the tiles.

__global__ void plain(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
  c[i * n + j] = s;
}

template <int T> __global__ void tiles(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  __shared__ float ta[T][T], tb[T][T];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * T + x, i = blockIdx.y * T + y;
  float s = 0;
  for (int k = 0; k < n; k += T) {
    ta[y][x] = a[i * n + k + x];
    tb[y][x] = b[(k + y) * n + j];
    __syncthreads();
    for (int q = 0; q < T; q++) s += ta[y][q] * tb[q][x];
    __syncthreads();
  }
  c[i * n + j] = s;
}

// A work-item has M x N results, a block of 16 x 16 of them a tile of 16 M x 16 N.
template <int M, int N> __global__ void __launch_bounds__(256) registers(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  const int K = 16, R = 16 * M, C = 16 * N;
  __shared__ float ta[K][R + 4], tb[K][C];
  int t = threadIdx.x, x = t % 16, y = t / 16;
  a += blockIdx.y * R * n, b += blockIdx.x * C, c += blockIdx.y * R * n + blockIdx.x * C;
  float s[M][N] = {};
  for (int k = 0; k < n; k += K) {
    for (int i = t; i < R * K; i += 256) ta[i % K][i / K] = a[i / K * n + k + i % K];
    for (int i = t; i < C * K; i += 256) tb[i / C][i % C] = b[(k + i / C) * n + i % C];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < K; q++) {
      float u[M], v[N];
#pragma unroll
      for (int i = 0; i < M; i++) u[i] = ta[q][y * M + i];
#pragma unroll
      for (int j = 0; j < N; j++) v[j] = tb[q][x + 16 * j];
#pragma unroll
      for (int i = 0; i < M; i++)
#pragma unroll
        for (int j = 0; j < N; j++) s[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N; j++) c[(y * M + i) * n + x + 16 * j] = s[i][j];
}

// C = A^T B: both are read along rows.
__global__ void transposed(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  float s[4] = {};
  for (int k = 0; k < n; k++) {
    float4 u = *(const float4 *)&a[k * n + i];
    float v = b[k * n + j];
    s[0] += u.x * v, s[1] += u.y * v, s[2] += u.z * v, s[3] += u.w * v;
  }
  for (int q = 0; q < 4; q++) c[(i + q) * n + j] = s[q];
}
