// Running sums of the elements of each block.

__global__ void doubling(const int *__restrict__ x, int *y) {
  extern __shared__ int s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int v = s[t] = x[i];
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    int u = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] = v += u;
  }
  y[i] = v;
}

// Up and down a tree of two elements for each work-item; strides of powers of two meet in few banks.
__global__ void updown(const int *__restrict__ x, int *y) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = 2 * blockDim.x, i = blockIdx.x * n;
  s[t] = x[i + t], s[t + blockDim.x] = x[i + t + blockDim.x];
  int d = 1;
  for (int k = blockDim.x; k; k /= 2, d *= 2) {
    __syncthreads();
    if (t < k) s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
  }
  if (t == 0) s[n - 1] = 0;
  for (int k = 1; k < n; k *= 2) {
    d /= 2;
    __syncthreads();
    if (t < k) {
      int a = d * (2 * t + 1) - 1, b = d * (2 * t + 2) - 1, v = s[a];
      s[a] = s[b], s[b] += v;
    }
  }
  __syncthreads();
  y[i + t] = s[t], y[i + t + blockDim.x] = s[t + blockDim.x];
}

// By shuffles in warps of E elements for each work-item, then over warps.
template <int E> __global__ void lanes(const int *__restrict__ x, int *y) {
  __shared__ int part[32];
  int t = threadIdx.x, lane = t % 32, i = (blockIdx.x * blockDim.x + t) * E;
  int v[E];
#pragma unroll
  for (int e = 0; e < E; e++) v[e] = x[i + e] + (e ? v[e - 1] : 0);
  int s = v[E - 1];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(~0u, s, d);
    if (lane >= d) s += u;
  }
  if (lane == 31) part[t / 32] = s;
  __syncthreads();
  if (t < 32) {
    int p = t < blockDim.x / 32 ? part[t] : 0;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      int u = __shfl_up_sync(~0u, p, d);
      if (t >= d) p += u;
    }
    part[t] = p;
  }
  __syncthreads();
  int before = s - v[E - 1] + (t >= 32 ? part[t / 32 - 1] : 0);
#pragma unroll
  for (int e = 0; e < E; e++) y[i + e] = v[e] + before;
}
