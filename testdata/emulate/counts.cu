// Histograms and counters.

// Counters of a block in shared memory, a copy for each of COPIES lanes.
template <int COPIES> __global__ void histogram(const unsigned *__restrict__ x, unsigned *y, int n, int bins, unsigned factor) {
  extern __shared__ unsigned s[];
  int t = threadIdx.x;
  for (int b = t; b < bins * COPIES; b += blockDim.x) s[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[((x[i] * factor ^ i * (factor & 1023)) >> 8) % bins * COPIES + t % COPIES], 1u);
  __syncthreads();
  for (int b = t; b < bins; b += blockDim.x) {
    unsigned v = 0;
    for (int c = 0; c < COPIES; c++) v += s[b * COPIES + c];
    atomicAdd(&y[b], v);
  }
}

__global__ void global(const unsigned *__restrict__ x, unsigned *y, int n, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[(x[i] + i * 7) % bins], 1u);
}

// Those above a limit, each to a place of its own: a counter in global memory, one addition for each warp.
__global__ void compact(const float *__restrict__ x, float *y, int *count, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = i < n ? x[i] : 0;
  unsigned vote = __ballot_sync(~0u, v > limit);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(vote));
  base = __shfl_sync(~0u, base, 0);
  if (v > limit) y[base + __popc(vote & ((1u << lane) - 1))] = v;
}

// The largest of each block by compare and swap in shared memory.
__global__ void swaps(const float *__restrict__ x, float *y, int n) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, own = __float_as_int(x[i] + (i % 61) * 0.125f), seen = most;
  while (own > seen) {
    int old = atomicCAS(&most, seen, own);
    if (old == seen) break;
    seen = old;
  }
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = __int_as_float(most);
}
