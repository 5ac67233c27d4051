// how many neighbours two ends of an edge share, by merging sorted lists; an edge by each work-item
__global__ void triangles(const int *__restrict__ begin, const int *__restrict__ next, const int *__restrict__ from, const int *__restrict__ to, int *__restrict__ count, int edges) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  int u = from[i], v = to[i], a = begin[u], b = begin[v], ea = begin[u + 1], eb = begin[v + 1], shared = 0;
  while (a < ea && b < eb) {
    int x = next[a], y = next[b];
    shared += x == y;
    a += x <= y;
    b += y <= x;
  }
  count[i] = shared;
}

// a matrix of dense blocks of 4 by 4 times a vector, four work-items a row of blocks
__global__ void bsr(const int *__restrict__ begin, const int *__restrict__ column, const float4 *__restrict__ value, const float4 *__restrict__ x, float *__restrict__ y, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = i >> 2, r = i & 3;
  if (row >= rows) return;
  float sum = 0;
  for (int k = begin[row]; k < begin[row + 1]; k++) {
    float4 m = value[4 * k + r], v = x[column[k]];
    sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
  }
  y[i] = sum;
}

// the squared distance to the nearest mark along a row, forwards and back, a row by each warp of 32 pieces
__global__ void row_distance(const unsigned char *__restrict__ mark, int *__restrict__ out, int w, int h) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (row >= h) return;
  int last = -(1 << 20);
  for (int x0 = 0; x0 < w; x0 += 32) {
    unsigned votes = __ballot_sync(0xffffffffu, mark[(size_t)row * w + x0 + lane] < 16);
    unsigned below = votes & (0xffffffffu >> (31 - lane));
    int at = below ? x0 + 31 - __clz(below) : last;
    int d = x0 + lane - at;
    out[(size_t)row * w + x0 + lane] = d;
    if (votes) last = x0 + 31 - __clz(votes);
  }
  int first = 1 << 20;
  for (int x0 = w - 32; x0 >= 0; x0 -= 32) {
    unsigned votes = __ballot_sync(0xffffffffu, mark[(size_t)row * w + x0 + lane] < 16);
    unsigned above = votes & (0xffffffffu << lane);
    int at = above ? x0 + __ffs(above) - 1 : first;
    int d = min(at - x0 - lane, out[(size_t)row * w + x0 + lane]);
    out[(size_t)row * w + x0 + lane] = d > 1024 ? 1 << 20 : d * d;
    if (votes) first = x0 + __ffs(votes) - 1;
  }
}
