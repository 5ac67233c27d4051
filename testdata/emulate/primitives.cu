// What libraries of primitives do: with items of a thread, and exchanges in shared memory.

// The sum before a thread, in a block of B threads.
template <int B, typename T> __device__ inline T before(T v, T *part, T &all) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T s = v;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    T o = __shfl_up_sync(~0u, s, d);
    if (lane >= d) s += o;
  }
  if (lane == 31) part[warp] = s;
  __syncthreads();
  T sum = 0;
  all = 0;
#pragma unroll
  for (int w = 0; w < B / 32; w++) {
    if (w == warp) sum = all;
    all += part[w];
  }
  return sum + s - v;
}

// Sums of tiles: loaded across, exchanged to I items of a thread, and back.
template <int B, int I> __global__ void __launch_bounds__(B) tiles(const int *__restrict__ in, int *__restrict__ out, const int *__restrict__ start) {
  __shared__ int exchange[B * I + B * I / 32], part[B / 32];
  size_t base = (size_t)blockIdx.x * B * I;
  int items[I];
#pragma unroll
  for (int k = 0; k < I; k++) items[k] = in[base + k * B + threadIdx.x];
#pragma unroll
  for (int k = 0; k < I; k++) exchange[k * B + threadIdx.x + (k * B + threadIdx.x) / 32] = items[k];
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = 0; k < I; k++) {
    int at = threadIdx.x * I + k;
    items[k] = exchange[at + at / 32];
    sum += items[k];
  }
  int all, s = start[blockIdx.x] + before<B>(sum, part, all);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < I; k++) {
    int at = threadIdx.x * I + k;
    exchange[at + at / 32] = s;
    s += items[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < I; k++) {
    int at = k * B + threadIdx.x;
    out[base + at] = exchange[at + at / 32];
  }
}

// How many of each digit a tile has: counters of a byte for each thread.
template <int I> __global__ void __launch_bounds__(128) upsweep(const unsigned *__restrict__ key, unsigned *__restrict__ count, int shift) {
  __shared__ unsigned char counter[16][128];
  int t = threadIdx.x;
  for (int d = 0; d < 16; d++) counter[d][t] = 0;
  const uint4 *from = (const uint4 *)(key + (size_t)blockIdx.x * 128 * I);
#pragma unroll
  for (int k = 0; k < I / 4; k++) {
    uint4 v = from[k * 128 + t];
    counter[v.x >> shift & 15][t]++, counter[v.y >> shift & 15][t]++, counter[v.z >> shift & 15][t]++, counter[v.w >> shift & 15][t]++;
  }
  __syncthreads();
  for (int d = t / 32; d < 16; d += 4) {
    unsigned v = ((unsigned *)counter[d])[t % 32];
    v = (v & 0xff00ff) + (v >> 8 & 0xff00ff);
    v = __reduce_add_sync(~0u, (v & 0xffff) + (v >> 16));
    if (t % 32 == 0) count[d * gridDim.x + blockIdx.x] = v;
  }
}

// Keys to their places: ranks within a tile by votes of a warp, exchanged so that stores are near.
__global__ void __launch_bounds__(256) downsweep(const unsigned *__restrict__ in, unsigned *__restrict__ out, const unsigned *__restrict__ offset, int shift, int n) {
  __shared__ unsigned counts[8][16], starts[16], keys[2048];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  size_t base = (size_t)blockIdx.x * 2048;
  if (t < 128) counts[t / 16][t % 16] = 0;
  __syncthreads();
  unsigned key[8], rank[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    key[k] = in[base + warp * 256 + k * 32 + lane];
    unsigned d = key[k] >> shift & 15, peers = __match_any_sync(~0u, d), old = counts[warp][d];
    __syncwarp();
    rank[k] = old + __popc(peers & (1u << lane) - 1);
    if ((peers & (1u << lane) - 1) == 0) counts[warp][d] = old + __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  if (t < 16) {
    unsigned s = 0;
    for (int w = 0; w < 8; w++) {
      unsigned c = counts[w][t];
      counts[w][t] = s;
      s += c;
    }
    unsigned v = s;
    for (int d = 1; d < 16; d *= 2) {
      unsigned o = __shfl_up_sync(0xffff, v, d);
      if (t >= d) v += o;
    }
    starts[t] = v - s;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned d = key[k] >> shift & 15;
    keys[starts[d] + counts[warp][d] + rank[k]] = key[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned v = keys[k * 256 + t], d = v >> shift & 15;
    out[(offset[d] * 16 + d * (n / 16) + blockIdx.x * 128 + k * 256 + t - starts[d]) & (n - 1)] = v;
  }
}

// Sums of runs with the same key: heads by flags, a scan by segments within a warp, an addition at each end.
__global__ void runs(const int *__restrict__ key, const float *__restrict__ value, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  int k = key[i] / 5;
  float v = value[i];
  unsigned heads = __ballot_sync(~0u, lane == 0 || key[i - 1] / 5 != k) | 1;
  int first = 31 - __clz(heads & (2u << lane) - 1), next = __ffs(heads & ~((2u << lane) - 1));
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    float o = __shfl_up_sync(~0u, v, d);
    if (lane - d >= first) v += o;
  }
  if (lane == 31 || next == lane + 2) atomicAdd(sum + k, v);
}

// Two sorted lists become one: where a thread begins is looked for, then it merges 8.
__global__ void merge(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out, int n) {
  int diagonal = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (diagonal >= 2 * n) return;
  int low = max(0, diagonal - n), high = min(diagonal, n);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  int i = low, j = diagonal - low;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    bool left = j >= n || i < n && a[i] <= b[j];
    out[diagonal + k] = left ? a[i] : b[j];
    if (left) i++;
    else j++;
  }
}

// Where runs begin.
template <int I> __global__ void heads(const int *__restrict__ x, unsigned char *__restrict__ flag, int n) {
  __shared__ int last[256];
  int base = (blockIdx.x * 256 + threadIdx.x) * I, v[I];
  if (base >= n) return;
#pragma unroll
  for (int k = 0; k < I; k++) v[k] = x[base + k] >> 1;
  last[threadIdx.x] = v[I - 1];
  __syncthreads();
  int left = threadIdx.x > 0 ? last[threadIdx.x - 1] : base > 0 ? x[base - 1] >> 1 : -1;
#pragma unroll
  for (int k = 0; k < I; k++) {
    flag[base + k] = v[k] != left;
    left = v[k];
  }
}

// A histogram of bytes with a part for each warp in shared memory.
__global__ void bytes(const unsigned *__restrict__ in, unsigned *out, int words) {
  __shared__ unsigned part[8][256];
  for (int k = threadIdx.x; k < 2048; k += 256) part[k / 256][k % 256] = 0;
  __syncthreads();
  unsigned *mine = part[threadIdx.x / 32];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
    unsigned v = in[i];
    atomicAdd(mine + (v & 255), 1), atomicAdd(mine + (v >> 8 & 255), 1), atomicAdd(mine + (v >> 16 & 255), 1), atomicAdd(mine + (v >> 24), 1);
  }
  __syncthreads();
  unsigned s = 0;
  for (int w = 0; w < 8; w++) s += part[w][threadIdx.x];
  atomicAdd(out + threadIdx.x, s);
}

// A network that sorts 1024 keys and values of a block.
__global__ void __launch_bounds__(512) network(unsigned *key, unsigned *value) {
  __shared__ unsigned k[1024], v[1024];
  unsigned *keys = key + (size_t)blockIdx.x * 1024, *values = value + (size_t)blockIdx.x * 1024;
  k[threadIdx.x] = keys[threadIdx.x], k[threadIdx.x + 512] = keys[threadIdx.x + 512];
  v[threadIdx.x] = values[threadIdx.x], v[threadIdx.x + 512] = values[threadIdx.x + 512];
  for (int size = 2; size < 1024; size <<= 1) {
    bool up = (threadIdx.x & size / 2) != 0;
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      int p = 2 * threadIdx.x - (threadIdx.x & stride - 1);
      unsigned a = k[p], b = k[p + stride];
      if (a > b == up) {
        k[p] = b, k[p + stride] = a;
        unsigned c = v[p];
        v[p] = v[p + stride], v[p + stride] = c;
      }
    }
  }
  __syncthreads();
  keys[threadIdx.x] = k[threadIdx.x], keys[threadIdx.x + 512] = k[threadIdx.x + 512];
  values[threadIdx.x] = v[threadIdx.x], values[threadIdx.x + 512] = v[threadIdx.x + 512];
}
