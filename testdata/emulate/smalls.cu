// Products of many small matrices, and of matrices in blocks, as libraries for linear algebra have them.

// N by N for each thread, one after the other in memory.
template <int N> __global__ void each(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x[N * N], y[N * N];
#pragma unroll
  for (int k = 0; k < N * N; k++) x[k] = a[(size_t)i * N * N + k], y[k] = b[(size_t)i * N * N + k];
#pragma unroll
  for (int r = 0; r < N; r++)
#pragma unroll
    for (int s = 0; s < N; s++) {
      float sum = 0;
#pragma unroll
      for (int k = 0; k < N; k++) sum += x[r * N + k] * y[k * N + s];
      c[(size_t)i * N * N + r * N + s] = sum;
    }
}

// A block for each product of 32 by 32 in double precision.
__global__ void batched(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c) {
  __shared__ double x[32][32], y[32][33];
  size_t base = (size_t)blockIdx.x * 1024;
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int k = ty; k < 32; k += 8) x[k][tx] = a[base + k * 32 + tx], y[k][tx] = b[base + k * 32 + tx];
  __syncthreads();
  double s[4] = {};
#pragma unroll 8
  for (int k = 0; k < 32; k++) {
    double v = y[k][tx];
#pragma unroll
    for (int j = 0; j < 4; j++) s[j] += x[ty + 8 * j][k] * v;
  }
#pragma unroll
  for (int j = 0; j < 4; j++) c[base + (ty + 8 * j) * 32 + tx] = s[j];
}

// 128 by 128 by 8 tiles, 8 by 8 for each of 256 threads, the next tile in registers while this one is used.
__global__ void __launch_bounds__(256) buffered(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, float alpha) {
  __shared__ float x[2][8][132], y[2][8][128];
  int t = threadIdx.x, row = t / 2, column = t % 2 * 4, tx = t % 16, ty = t / 16;
  const float4 *from = (const float4 *)(a + (size_t)(blockIdx.y * 128 + row) * n + column), *along = (const float4 *)(b + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4);
  float4 u = *from, v = *along;
  float sum[8][8] = {};
  for (int k = 0, stage = 0; k < n; k += 8, stage ^= 1) {
    x[stage][column][row] = u.x, x[stage][column + 1][row] = u.y, x[stage][column + 2][row] = u.z, x[stage][column + 3][row] = u.w;
    *(float4 *)&y[stage][t / 32][t % 32 * 4] = v;
    __syncthreads();
    if (k + 8 < n) u = from[(k + 8) / 4], v = along[(size_t)(k + 8) * n / 4];
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float p[8], q[8];
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        *(float4 *)&p[j] = *(float4 *)&x[stage][i][ty * 4 + j * 16];
        *(float4 *)&q[j] = *(float4 *)&y[stage][i][tx * 4 + j * 16];
      }
#pragma unroll
      for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 8; s++) sum[r][s] += p[r] * q[s];
    }
  }
#pragma unroll
  for (int r = 0; r < 8; r++)
#pragma unroll
    for (int s = 0; s < 8; s += 4)
      *(float4 *)&c[(size_t)(blockIdx.y * 128 + ty * 4 + r % 4 + r / 4 * 64) * n + blockIdx.x * 128 + tx * 4 + s * 16] = make_float4(alpha * sum[r][s], alpha * sum[r][s + 1], alpha * sum[r][s + 2], alpha * sum[r][s + 3]);
}

// A matrix that is transposed times a vector: parts of columns, added by atomics.
__global__ void transposed(const float *__restrict__ a, const float *__restrict__ x, float *y, int rows, int columns, int part) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float s = 0;
  for (int r = blockIdx.y * part; r < min(rows, (int)(blockIdx.y + 1) * part); r++) s += a[(size_t)r * columns + c] * x[r];
  atomicAdd(y + c, s);
}

// A symmetric update of rank 2, the lower half.
__global__ void rank2(double *a, const double *__restrict__ x, const double *__restrict__ y, int n, double alpha) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j > i) return;
  a[(size_t)i * n + j] += alpha * (x[i] * y[j] + y[i] * x[j]);
}

// Means and deviations of columns of a table with rows of few, a column for each thread of y, then joined.
__global__ void moments(const float *__restrict__ x, float2 *__restrict__ out, int rows, int columns) {
  __shared__ float sums[8][33], squares[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float s = 0, q = 0;
  for (int r = blockIdx.y * 8 + threadIdx.y; r < rows; r += gridDim.y * 8) {
    float v = x[(size_t)r * columns + c];
    s += v, q += v * v;
  }
  sums[threadIdx.y][threadIdx.x] = s, squares[threadIdx.y][threadIdx.x] = q;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int k = 1; k < 8; k++) s += sums[k][threadIdx.x], q += squares[k][threadIdx.x];
    out[blockIdx.y * columns + c] = make_float2(s, q);
  }
}
