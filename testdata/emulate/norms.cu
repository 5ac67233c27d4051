// Rows normalised by their mean and variance.

__device__ float sum(float v, float *part) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int k = 0; k < blockDim.x / 32; k++) v += part[k];
  return v;
}

__global__ void layer(const float *__restrict__ x, const float *__restrict__ gain, float *y, int n) {
  __shared__ float part[32];
  x += blockIdx.x * n, y += blockIdx.x * n;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[i], q += x[i] * x[i];
  s = sum(s, part) / n, q = sum(q, part) / n - s * s;
  float r = rsqrtf(q + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = (x[i] - s) * r * gain[i];
}

// Elements stay in registers, E times four of them for each work-item.
template <int E> __global__ void rms(const float4 *__restrict__ x, const float4 *__restrict__ gain, float4 *y) {
  __shared__ float part[32];
  int t = threadIdx.x, w = blockDim.x;
  x += blockIdx.x * w * E, y += blockIdx.x * w * E;
  float4 v[E];
  float q = 0;
#pragma unroll
  for (int e = 0; e < E; e++) v[e] = x[t + e * w], q += v[e].x * v[e].x + v[e].y * v[e].y + v[e].z * v[e].z + v[e].w * v[e].w;
  float r = rsqrtf(sum(q, part) / (4 * E * w) + 1e-6f);
#pragma unroll
  for (int e = 0; e < E; e++) {
    float4 g = gain[t + e * w];
    y[t + e * w] = make_float4(v[e].x * r * g.x, v[e].y * r * g.y, v[e].z * r * g.z, v[e].w * r * g.w);
  }
}

// Over the columns of m rows: a work-item for each column, rows in turn.
__global__ void batch(const float *__restrict__ x, float *y, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0, q = 0;
  for (int i = 0; i < m; i++) {
    float v = x[i * n + j];
    s += v, q += v * v;
  }
  s /= m;
  float r = rsqrtf(q / m - s * s + 1e-5f);
  for (int i = 0; i < m; i++) y[i * n + j] = (x[i * n + j] - s) * r;
}
