// Softmax of rows of n elements.

__device__ float most(float v) {
  for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  return v;
}
__device__ float sum(float v) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

// A warp for each row, E elements of it for each lane in registers.
template <int E> __global__ void warps(const float *__restrict__ x, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, at = row * 32 * E + lane;
  float v[E], m = -1e30f, s = 0;
#pragma unroll
  for (int e = 0; e < E; e++) v[e] = x[at + e * 32], m = fmaxf(m, v[e]);
  m = most(m);
#pragma unroll
  for (int e = 0; e < E; e++) v[e] = __expf(v[e] - m), s += v[e];
  s = 1 / sum(s);
#pragma unroll
  for (int e = 0; e < E; e++) y[at + e * 32] = v[e] * s;
}

// A block for each row, which is read three times.
__global__ void blocks(const float *__restrict__ x, float *y, int n) {
  __shared__ float part[32];
  int t = threadIdx.x, w = blockDim.x;
  x += blockIdx.x * n, y += blockIdx.x * n;
  float m = -1e30f, s = 0;
  for (int i = t; i < n; i += w) m = fmaxf(m, x[i]);
  m = most(m);
  if (t % 32 == 0) part[t / 32] = m;
  __syncthreads();
  m = most(part[t % (w / 32)]);
  __syncthreads();
  for (int i = t; i < n; i += w) s += expf(x[i] - m);
  s = sum(s);
  if (t % 32 == 0) part[t / 32] = s;
  __syncthreads();
  s = 0;
  for (int k = 0; k < w / 32; k++) s += part[k];
  for (int i = t; i < n; i += w) y[i] = expf(x[i] - m) / s;
}

// Both sums in one pass.
__global__ void online(const float4 *__restrict__ x, float4 *y, int n) {
  __shared__ float2 part[32];
  int t = threadIdx.x, w = blockDim.x;
  x += blockIdx.x * (n / 4), y += blockIdx.x * (n / 4);
  float m = -1e30f, s = 0;
  for (int i = t; i < n / 4; i += w) {
    float4 v = x[i];
    float k = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), m);
    s = s * __expf(m - k) + __expf(v.x - k) + __expf(v.y - k) + __expf(v.z - k) + __expf(v.w - k), m = k;
  }
  float k = most(m);
  s = sum(s * __expf(m - k));
  if (t % 32 == 0) part[t / 32] = make_float2(k, s);
  __syncthreads();
  m = -1e30f, s = 0;
  for (int q = 0; q < w / 32; q++) m = fmaxf(m, part[q].x);
  for (int q = 0; q < w / 32; q++) s += part[q].y * __expf(part[q].x - m);
  s = 1 / s;
  for (int i = t; i < n / 4; i += w) {
    float4 v = x[i];
    y[i] = make_float4(__expf(v.x - m) * s, __expf(v.y - m) * s, __expf(v.z - m) * s, __expf(v.w - m) * s);
  }
}
