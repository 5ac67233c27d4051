// the best path through a trellis of 32 states, one sequence by a warp
__global__ void viterbi(const float *__restrict__ emit, const float *__restrict__ step, unsigned char *__restrict__ back, float *__restrict__ score, int length) {
  int lane = threadIdx.x % 32, seq = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float cost[32];
  for (int j = 0; j < 32; j++) cost[j] = step[j * 32 + lane];
  const float *e = emit + (size_t)seq * length * 32;
  float best = e[lane];
  for (int t = 1; t < length; t++) {
    float top = -1e30f;
    int from = 0;
    for (int j = 0; j < 32; j++) {
      float v = __shfl_sync(0xffffffff, best, j) + cost[j];
      if (v > top) {
        top = v;
        from = j;
      }
    }
    best = top + e[t * 32 + lane];
    back[((size_t)seq * length + t) * 32 + lane] = from;
  }
  score[seq * 32 + lane] = best;
}

// all pairs of shortest paths, the third phase by tiles: d = min(d, row + column)
#define T 32
__global__ void floyd(float *d, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * T + x, row = blockIdx.y * T + y;
  a[y][x] = d[row * n + k * T + x];
  b[y][x] = d[(k * T + y) * n + col];
  float v = d[row * n + col];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < T; j++) v = fminf(v, a[y][j] + b[j][x]);
  d[row * n + col] = v;
}
