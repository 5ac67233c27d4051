// Sorts, scans and selections over global memory.

// A step of a bitonic sort.
__global__ void exchange(unsigned *x, int n, int k, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ d;
  if (j <= i || j >= n) return;
  unsigned a = x[i], b = x[j];
  if ((a > b) == ((i & k) == 0)) {
    x[i] = b;
    x[j] = a;
  }
}

// Sums before each element, in one pass: a block waits for what the ones before it tell.
__global__ void lookback(const int *__restrict__ x, int *y, volatile int *state, int n) {
  __shared__ int part[8], before;
  int t = threadIdx.x, lane = t % 32, tile = blockIdx.x, v[4], s = 0;
  int4 in = ((const int4 *)x)[tile * 256 + t];
  v[0] = in.x, v[1] = v[0] + in.y, v[2] = v[1] + in.z, v[3] = v[2] + in.w;
  s = v[3];
  for (int d = 1; d < 32; d *= 2) {
    int o = __shfl_up_sync(~0u, s, d);
    if (lane >= d) s += o;
  }
  if (lane == 31) part[t / 32] = s;
  __syncthreads();
  int sum = 0, all = 0;
  for (int k = 0; k < 8; k++) {
    if (k < t / 32) sum += part[k];
    all += part[k];
  }
  if (t == 0) {
    int got = 0;
    if (tile > 0) while ((got = state[tile - 1]) == 0);
    state[tile] = (got + all) | 1;
    before = got;
  }
  __syncthreads();
  sum += before + s - v[3];
  ((int4 *)y)[tile * 256 + t] = make_int4(sum, sum + v[0], sum + v[1], sum + v[2]);
}

// Those with a bit, to places of their own: a scan by blocks, and one addition for each.
__global__ void select(const unsigned *__restrict__ x, unsigned *y, unsigned *count, int n) {
  __shared__ unsigned part[32], base;
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned v = i < n ? x[i] : 0, vote = __ballot_sync(~0u, v & 1);
  if (lane == 0) part[warp] = __popc(vote);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
      unsigned p = part[w];
      part[w] = s;
      s += p;
    }
    base = atomicAdd(count, s) & 1023;
  }
  __syncthreads();
  if (v & 1) y[base + blockIdx.x * blockDim.x + part[warp] + __popc(vote & ((1u << lane) - 1))] = v;
}

// How often each value of a digit occurs in a tile.
__global__ void digits(const unsigned *__restrict__ x, unsigned *y, int each, int shift) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  const unsigned *own = x + (size_t)blockIdx.x * 256 * each;
  for (int i = 0; i < each; i++) atomicAdd(&s[own[i * 256 + threadIdx.x] >> shift & 255], 1u);
  __syncthreads();
  y[threadIdx.x * gridDim.x + blockIdx.x] = s[threadIdx.x];
}

// Sums of segments of equal length, one for each group of lanes.
template <int L> __global__ void segments(const float *__restrict__ x, float *y, int n, int length) {
  int g = (blockIdx.x * blockDim.x + threadIdx.x) / L, lane = threadIdx.x % L;
  if (g >= n) return;
  float s = 0;
  for (int i = lane; i < length; i += L) s += x[(size_t)g * length + i];
  for (int d = L / 2; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) y[g] = s;
}
