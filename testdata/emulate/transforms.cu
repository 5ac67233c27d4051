// Transforms.

__device__ __forceinline__ float2 times(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

// A pass of radix 4 of a transform of n complex numbers.
__global__ void radix4(const float2 *__restrict__ x, float2 *y, int n, int p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (p - 1), q = n / 4;
  if (i >= q) return;
  float2 a = x[i], b = x[i + q], c = x[i + 2 * q], d = x[i + 3 * q], w;
  __sincosf(-1.5707963f * k / p, &w.y, &w.x);
  b = times(b, w);
  float2 w2 = times(w, w);
  c = times(c, w2);
  d = times(d, times(w, w2));
  float2 s = {a.x + c.x, a.y + c.y}, t = {a.x - c.x, a.y - c.y}, u = {b.x + d.x, b.y + d.y}, v = {b.y - d.y, d.x - b.x};
  float2 *o = y + ((i - k) << 2) + k;
  o[0] = {s.x + u.x, s.y + u.y};
  o[p] = {t.x + v.x, t.y + v.y};
  o[2 * p] = {s.x - u.x, s.y - u.y};
  o[3 * p] = {t.x - v.x, t.y - v.y};
}

// Signs of Walsh's in shared memory, 2 numbers for each work-item.
__global__ void walsh(float *x) {
  extern __shared__ float s[];
  int t = threadIdx.x, b = blockDim.x;
  float *own = x + (size_t)blockIdx.x * 2 * b;
  s[t] = own[t];
  s[t + b] = own[t + b];
  for (int d = 1; d <= b; d *= 2) {
    __syncthreads();
    int i = (t & ~(d - 1)) * 2 + (t & (d - 1));
    float u = s[i], v = s[i + d];
    s[i] = u + v;
    s[i + d] = u - v;
  }
  __syncthreads();
  own[t] = s[t];
  own[t + b] = s[t + b];
}

// Cosines of tiles of 8 by 8, 32 of them by a block of 8 by 32.
__global__ void cosines(const float *__restrict__ x, float *y, int w) {
  __shared__ float s[32][8][9];
  int r = threadIdx.x, tile = threadIdx.y, left = (blockIdx.x * 32 + tile) * 8, top = blockIdx.y * 8;
  float v[8], o[8];
  for (int c = 0; c < 8; c++) v[c] = x[(top + r) * w + left + c];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    o[k] = 0;
#pragma unroll
    for (int c = 0; c < 8; c++) o[k] += v[c] * (1.f / (1 + k + c));
  }
  for (int k = 0; k < 8; k++) s[tile][r][k] = o[k];
  __syncthreads();
  for (int c = 0; c < 8; c++) v[c] = s[tile][c][r];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < 8; c++) sum += v[c] * (1.f / (1 + k + c));
    y[(top + k) * w + left + r] = sum;
  }
}

// A level of Haar's wavelets along columns.
__global__ void haar(const float *__restrict__ x, float *y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w || j >= h / 2) return;
  float a = x[2 * j * w + i], b = x[(2 * j + 1) * w + i];
  y[j * w + i] = 0.7071f * (a + b);
  y[(j + h / 2) * w + i] = 0.7071f * (a - b);
}
