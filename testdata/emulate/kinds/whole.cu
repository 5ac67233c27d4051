// Patterns of the whole grid.
__device__ void grid_wait(unsigned *arrived, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned *)arrived < goal) {}
    __threadfence();
  }
  __syncthreads();
}
// Smooths a row of values again and again, with a barrier of all blocks between two steps.
extern "C" __global__ void whole_steps(float *a, float *b, unsigned *arrived, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      float l = a[i ? i - 1 : i], r = a[i + 1 < n ? i + 1 : i];
      b[i] = 0.5f * a[i] + 0.25f * (l + r);
    }
    grid_wait(arrived, (s + 1) * gridDim.x);
    float *t = a; a = b; b = t;
  }
}
// Prefix sums in one pass: blocks look back at the sums of those before them.
extern "C" __global__ void whole_lookback(const unsigned *in, unsigned *out, volatile unsigned long long *state, unsigned *ticket, int n) {
  __shared__ unsigned part[8];
  __shared__ unsigned before, mine;
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
  __syncthreads();
  unsigned tile = mine;
  int at = tile * 1024 + threadIdx.x * 4;
  uint4 v = *(const uint4 *)(in + at);
  v.y += v.x; v.z += v.y; v.w += v.z;
  unsigned s = v.w;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int d = 1; d < 32; d <<= 1) {
    unsigned u = __shfl_up_sync(0xffffffffu, s, d);
    if (lane >= d) s += u;
  }
  if (lane == 31) part[warp] = s;
  __syncthreads();
  unsigned add = s - v.w, total = 0;
  for (int w = 0; w < 8; w++) {
    if (w < warp) add += part[w];
    total += part[w];
  }
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    if (tile == 0) state[0] = (2ull << 32) | total;
    else {
      state[tile] = (1ull << 32) | total;
      for (int t = tile - 1; t >= 0; t--) {
        unsigned long long x;
        do x = state[t]; while ((x >> 32) == 0);
        sum += (unsigned)x;
        if ((x >> 32) == 2) break;
      }
      state[tile] = (2ull << 32) | (sum + total);
    }
    before = sum;
  }
  __syncthreads();
  add += before;
  v.x += add; v.y += add; v.z += add; v.w += add;
  *(uint4 *)(out + at) = v;
}
// Blocks take tiles from a counter and multiply them.
extern "C" __global__ void whole_tiles(const float *a, float *out, unsigned *next, int tiles, int rounds) {
  __shared__ unsigned tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1u);
    __syncthreads();
    unsigned t = tile;
    __syncthreads();
    if (t >= tiles) return;
    float x = a[t * 256 + threadIdx.x], y = x;
    for (int r = 0; r < rounds; r++) y = y * x + 0.5f;
    out[t * 256 + threadIdx.x] = y;
  }
}
// One pass: each block adds its sum to one word.
extern "C" __global__ void whole_sum(const float4 *in, float *total, int n4) {
  float s = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 v = in[i];
    s += v.x + v.y + v.z + v.w;
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, s);
}
// The last block to come adds up a row of sums for each column.
extern "C" __global__ void whole_columns(const float *in, float *partial, float *out, unsigned *arrived, int rows, int cols) {
  __shared__ bool last;
  int c = threadIdx.x;
  float s = 0.f;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) s += in[(size_t)r * cols + c];
  partial[blockIdx.x * cols + c] = s;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  s = 0.f;
  for (int b = 0; b < gridDim.x; b++) s += __ldcg(partial + b * cols + c);
  out[c] = s;
}
