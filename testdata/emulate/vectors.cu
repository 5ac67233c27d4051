// Products of a matrix and a vector, y = A x or y = x A, in float32.

__device__ float sum(float s) {
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  return s;
}

// A work-item for each row, so that neighbours read far apart.
__global__ void rows(const float *__restrict__ a, const float *__restrict__ x, float *y, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float s = 0;
  for (int j = 0; j < n; j++) s += a[i * n + j] * x[j];
  y[i] = s;
}

// A warp for each row.
__global__ void warps(const float *__restrict__ a, const float *__restrict__ x, float *y, int m, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (i >= m) return;
  float s = 0;
  for (int j = lane; j < n; j += 32) s += a[i * n + j] * x[j];
  s = sum(s);
  if (lane == 0) y[i] = s;
}

// A block for each row, four elements at once.
__global__ void blocks(const float4 *__restrict__ a, const float4 *__restrict__ x, float *y, int n) {
  __shared__ float part[32];
  int i = blockIdx.x, t = threadIdx.x;
  float s = 0;
  for (int j = t; j < n / 4; j += blockDim.x) {
    float4 u = a[i * (n / 4) + j], v = x[j];
    s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  s = sum(s);
  if (t % 32 == 0) part[t / 32] = s;
  __syncthreads();
  if (t < 32) {
    s = sum(t < blockDim.x / 32 ? part[t] : 0);
    if (t == 0) y[i] = s;
  }
}

// A work-item for each column.
__global__ void columns(const float *__restrict__ a, const float *__restrict__ x, float *y, int m, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float s = 0;
  for (int i = 0; i < m; i++) s += a[i * n + j] * x[i];
  y[j] = s;
}
