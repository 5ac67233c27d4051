// Reductions: sums of n elements, one for each block.

__device__ float warp(float s) {
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  return s;
}

// A tree in shared memory with a barrier at each level.
__global__ void tree(const float *__restrict__ x, float *y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += x[i];
  s[t] = v;
  for (int d = blockDim.x / 2; d; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// The same with work-items that are far apart: conflicts of banks and warps that are partly idle.
__global__ void interleaved(const float *__restrict__ x, float *y, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : 0;
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    int k = 2 * d * t;
    if (k + d < blockDim.x) s[k] += s[k + d];
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

__global__ void shuffles(const float *__restrict__ x, float *y, int n) {
  __shared__ float part[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  v = warp(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) y[blockIdx.x] = v;
  }
}

// Four elements at once, U of these in flight, and one atomic for each block.
template <int U> __global__ void wide(const float4 *__restrict__ x, float *y, int n) {
  __shared__ float part[32];
  float s = 0;
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += U * step) {
    float4 v[U];
#pragma unroll
    for (int u = 0; u < U; u++) v[u] = i + u * step < n / 4 ? x[i + u * step] : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int u = 0; u < U; u++) s += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  s = warp(s);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = warp(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(y, s);
  }
}

// The largest element of rows of integers, by REDUX.
__global__ void largest(const unsigned *__restrict__ x, unsigned *y, int n) {
  unsigned v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = max(v, x[i]);
  v = __reduce_max_sync(~0u, v);
  if (threadIdx.x % 32 == 0) atomicMax(y, v);
}
