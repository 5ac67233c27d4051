// Dependences that run through a block.

// Scores of two strings of up to W characters for each block, by antidiagonals with a barrier each.
template <int W> __global__ void align(const unsigned *__restrict__ a, const unsigned *__restrict__ b, int *best) {
  __shared__ int d[3][W + 1];
  __shared__ unsigned sa[W], sb[W];
  int t = threadIdx.x, most = 0;
  sa[t] = a[blockIdx.x * W + t], sb[t] = b[blockIdx.x * W + t];
  d[0][t + 1] = d[1][t + 1] = d[2][t + 1] = 0;
  if (t == 0) d[0][0] = d[1][0] = d[2][0] = 0;
  __syncthreads();
  for (int s = 0; s < 2 * W - 1; s++) {
    int j = s - t;
    int *now = d[s % 3], *last = d[(s + 2) % 3], *before = d[(s + 1) % 3];
    if (j >= 0 && j < W) {
      int v = max(max(before[t] + (sa[t] == sb[j] ? 3 : -2), 0), max(last[t], last[t + 1]) - 1);
      now[t + 1] = v, most = max(most, v);
    }
    __syncthreads();
  }
  atomicMax(&best[blockIdx.x], most);
}

// LU decomposition of a matrix of 32 x 32 for each block.
__global__ void lu(float *x) {
  __shared__ float s[32][33];
  int j = threadIdx.x, i = threadIdx.y;
  float *m = x + blockIdx.x * 1024;
  for (int r = i; r < 32; r += blockDim.y) s[r][j] = m[r * 32 + j] + (r == j ? 40 : 0);
  __syncthreads();
  for (int k = 0; k < 31; k++) {
    if (i == 0 && j > k) s[j][k] /= s[k][k];
    __syncthreads();
    for (int r = k + 1 + i; r < 32; r += blockDim.y)
      if (j > k) s[r][j] -= s[r][k] * s[k][j];
    __syncthreads();
  }
  for (int r = i; r < 32; r += blockDim.y) m[r * 32 + j] = s[r][j];
}

// A recurrence along rows, one row for each work-item, read through tiles.
__global__ void recurrence(const float *__restrict__ x, float *y, int n, float f) {
  __shared__ float s[32][33];
  int lane = threadIdx.x, row = blockIdx.x * 32;
  float v = 0;
  for (int j = 0; j < n; j += 32) {
    for (int r = 0; r < 32; r++) s[r][lane] = x[(row + r) * n + j + lane];
    __syncwarp();
    for (int k = 0; k < 32; k++) s[lane][k] = v = v * f + s[lane][k];
    __syncwarp();
    for (int r = 0; r < 32; r++) y[(row + r) * n + j + lane] = s[r][lane];
    __syncwarp();
  }
}
