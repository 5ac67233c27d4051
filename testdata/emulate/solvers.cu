// Dense solvers in blocks, and steps of iterative ones.

#define SIZE 16

// The block on the diagonal is factored by one small work-group, as LU programs do it (16 columns one after the other).
__global__ void diagonal(float *m, int n) {
  __shared__ float block[SIZE][SIZE];
  int t = threadIdx.x;
  float *from = m + (size_t)blockIdx.x * SIZE * n + blockIdx.x * SIZE;
  for (int i = 0; i < SIZE; i++) block[i][t] = from[i * n + t];
  __syncthreads();
  for (int i = 0; i < SIZE - 1; i++) {
    if (t > i) {
      for (int j = 0; j < i; j++) block[t][i] -= block[t][j] * block[j][i];
      block[t][i] /= block[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j < i + 1; j++) block[i + 1][t] -= block[i + 1][j] * block[j][t];
    __syncthreads();
  }
  for (int i = 1; i < SIZE; i++) from[i * n + t] = block[i][t];
}

// The blocks below and to the right: less a product of a column of blocks and a row of blocks.
__global__ void trailing(float *m, int n, int offset) {
  __shared__ float row[SIZE][SIZE], column[SIZE][SIZE];
  int tx = threadIdx.x, ty = threadIdx.y, r = offset + (blockIdx.y + 1) * SIZE, c = offset + (blockIdx.x + 1) * SIZE;
  row[ty][tx] = m[(offset + ty) * n + c + tx];
  column[ty][tx] = m[(r + ty) * n + offset + tx];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < SIZE; i++) sum += column[ty][i] * row[i][tx];
  m[(r + ty) * n + c + tx] -= sum;
}

// Cholesky factors of many matrices of N by N, one for each warp, columns in registers.
template <int N> __global__ void cholesky(const float *__restrict__ in, float *__restrict__ out, int count) {
  int which = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (which >= count) return;
  float row[N];
#pragma unroll
  for (int k = 0; k < N; k++) row[k] = lane < N ? in[((size_t)which * N + k) * N + lane] + (k == lane ? N : 0) : 0;
#pragma unroll
  for (int k = 0; k < N; k++) {
    float pivot = rsqrtf(__shfl_sync(~0u, row[k], k));
    row[k] *= pivot;
#pragma unroll
    for (int j = k + 1; j < N; j++) row[j] -= row[k] * __shfl_sync(~0u, row[k], j);
  }
#pragma unroll
  for (int k = 0; k < N; k++)
    if (lane < N) out[((size_t)which * N + k) * N + lane] = row[k];
}

// A triangular solve, blocks of 64 rows in shared memory, a right side for each thread.
__global__ void triangular(const float *__restrict__ l, float *__restrict__ x, int sides) {
  __shared__ float part[32][33];
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < 32 * 32; k += blockDim.x) part[k / 32][k % 32] = l[k];
  __syncthreads();
  if (s >= sides) return;
  float v[32];
#pragma unroll
  for (int i = 0; i < 32; i++) v[i] = x[(size_t)i * sides + s];
#pragma unroll
  for (int i = 0; i < 32; i++) {
#pragma unroll
    for (int j = 0; j < i; j++) v[i] -= part[i][j] * v[j];
    v[i] /= part[i][i];
  }
#pragma unroll
  for (int i = 0; i < 32; i++) x[(size_t)i * sides + s] = v[i];
}

// A step of conjugate gradients: two updates and the square of what remains.
__global__ void residual(const double *__restrict__ p, const double *__restrict__ ap, double *x, double *r, double *sum, double alpha, int n) {
  __shared__ double parts[32];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    double left = r[i] - alpha * ap[i];
    r[i] = left;
    s += left * left;
  }
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x == 0) atomicAdd(sum, s);
  }
}

// Red and black points in turn, with the optimal factor.
__global__ void redblack(float *u, const float *__restrict__ f, int w, int h, int colour, float omega) {
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (y + colour & 1);
  if (x >= w - 1 || y >= h - 1) return;
  int at = y * w + x;
  u[at] += omega * 0.25f * (u[at - 1] + u[at + 1] + u[at - w] + u[at + w] - 4 * u[at] - f[at]);
}

// A row of QR by rotations of Givens: pairs of rows, a column for each thread.
__global__ void rotate(float *m, const float2 *__restrict__ angle, int columns, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float above = m[c];
  for (int r = 1; r < rows; r++) {
    float2 cs = angle[r];
    float below = m[(size_t)r * columns + c];
    m[(size_t)(r - 1) * columns + c] = cs.x * above + cs.y * below;
    above = cs.x * below - cs.y * above;
  }
  m[(size_t)(rows - 1) * columns + c] = above;
}
