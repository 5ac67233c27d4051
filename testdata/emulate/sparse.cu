// Products of sparse matrices, and steps on graphs with 8 edges for each node. Columns and edges are random numbers.

// Rows of K entries, ELL: by column of entries, times C vectors.
template <int C> __global__ void spmm(const unsigned *__restrict__ column, const float *__restrict__ value, const float *__restrict__ b, float *y, int rows, int k) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s[C] = {};
  for (int e = 0; e < k; e++) {
    unsigned at = column[e * rows + r] % rows;
    float v = value[e * rows + r];
#pragma unroll
    for (int c = 0; c < C; c++) s[c] += v * b[at * C + c];
  }
  for (int c = 0; c < C; c++) y[r * C + c] = s[c];
}

// A warp for each row, whose length is that of its number.
__global__ void warprow(const unsigned *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, float *y, int rows, int k) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float s = 0;
  for (int e = lane; e < 32 + r % 7 * k; e += 32) s += value[(size_t)r * 8 * k + e] * x[column[(size_t)r * 8 * k + e] % rows];
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) y[r] = s;
}

// A level of a search: who is active tells its neighbours.
__global__ void level(const unsigned *__restrict__ edge, const unsigned *__restrict__ state, unsigned *next, int n, unsigned part) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || state[i] % 64 >= part) return;
  for (int e = 0; e < 8; e++) {
    unsigned to = edge[i * 8 + e] % n;
    if (next[to] == 0) next[to] = 1;
  }
}

// The least label of the neighbours.
__global__ void labels(const uint4 *__restrict__ edge, const unsigned *__restrict__ label, unsigned *next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 a = edge[2 * i], b = edge[2 * i + 1];
  unsigned m = label[i];
  m = min(min(min(m, label[a.x % n]), min(label[a.y % n], label[a.z % n])), label[a.w % n]);
  m = min(min(min(m, label[b.x % n]), min(label[b.y % n], label[b.z % n])), label[b.w % n]);
  next[i] = m;
}

// A step of shortest paths between all nodes.
__global__ void shortest(const float *__restrict__ d, float *out, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) out[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
