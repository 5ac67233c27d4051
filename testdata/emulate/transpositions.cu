// Transpositions of n x n elements, by tiles of 32 x 32 and blocks of 32 x ROWS.

template <int ROWS> __global__ void plain(const float *__restrict__ x, float *y, int n) {
  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int r = 0; r < 32; r += ROWS) y[j * n + i + r] = x[(i + r) * n + j];
}

template <int ROWS, int PAD> __global__ void tile(const float *__restrict__ x, float *y, int n) {
  __shared__ float s[32][32 + PAD];
  int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 32, i = blockIdx.y * 32;
#pragma unroll
  for (int r = ty; r < 32; r += ROWS) s[r][tx] = x[(i + r) * n + j + tx];
  __syncthreads();
#pragma unroll
  for (int r = ty; r < 32; r += ROWS) y[(j + r) * n + i + tx] = s[tx][r];
}

// Four columns for each work-item, places in shared memory exchanged by exclusive or.
__global__ void swizzled(const float4 *__restrict__ x, float4 *y, int n) {
  __shared__ float s[32][32];
  int t = threadIdx.x, r = t / 8, c = t % 8 * 4, j = blockIdx.x * 32, i = blockIdx.y * 32;
  float4 v = x[((i + r) * n + j + c) / 4];
  s[r][c ^ r] = v.x, s[r][(c + 1) ^ r] = v.y, s[r][(c + 2) ^ r] = v.z, s[r][(c + 3) ^ r] = v.w;
  __syncthreads();
  y[((j + r) * n + i + c) / 4] = make_float4(s[c][r ^ c], s[c + 1][r ^ (c + 1)], s[c + 2][r ^ (c + 2)], s[c + 3][r ^ (c + 3)]);
}
