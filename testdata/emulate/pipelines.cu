// Asynchronous copies from global to shared memory (LDGSTS), several tiles ahead.

__device__ void fetch16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
__device__ void fetch4(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void await() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// y = 2 x by way of S tiles.
template <int S> __global__ void stream(const float4 *__restrict__ x, float4 *y, int tiles) {
  __shared__ float4 s[S][128];
  int t = threadIdx.x, i = blockIdx.x * tiles * 128 + t;
  for (int k = 0; k < S - 1; k++) fetch16(&s[k][t], &x[i + k * 128]), commit();
  for (int k = 0; k < tiles; k++) {
    int next = k + S - 1;
    if (next < tiles) fetch16(&s[next % S][t], &x[i + next * 128]);
    commit();
    await<S - 1>();
    float4 v = s[k % S][t];
    y[i + k * 128] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
  }
}

// A product of matrices, 64 x 64 results for a block of 16 x 16, S stages of 16 columns and rows.
template <int S> __global__ void __launch_bounds__(256) product(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  __shared__ float ta[S][64][20], tb[S][16][64];
  int t = threadIdx.x, x = t % 16, y = t / 16;
  a += blockIdx.y * 64 * n, b += blockIdx.x * 64, c += blockIdx.y * 64 * n + blockIdx.x * 64;
  float s[4][4] = {};
  auto load = [&](int k, int q) {
    fetch16(&ta[q][t / 4][t % 4 * 4], &a[t / 4 * n + k + t % 4 * 4]);
    fetch16(&tb[q][y][x * 4], &b[(k + y) * n + x * 4]);
  };
  for (int q = 0; q < S - 1; q++) load(q * 16, q), commit();
  for (int k = 0, q = 0; k < n; k += 16, q = (q + 1) % S) {
    await<S - 2>();
    __syncthreads();
    if (k + (S - 1) * 16 < n) load(k + (S - 1) * 16, (q + S - 1) % S);
    commit();
#pragma unroll
    for (int p = 0; p < 16; p++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) s[i][j] += ta[q][y * 4 + i][p] * tb[q][p][x + 16 * j];
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) c[(y * 4 + i) * n + x + 16 * j] = s[i][j];
}

// A stencil of radius 4 in one dimension, elements fetched one by one.
__global__ void stencil(const float *__restrict__ x, float *y, int tiles) {
  __shared__ float s[2][264];
  int t = threadIdx.x, base = blockIdx.x * tiles * 256;
  auto load = [&](int k, int q) {
    fetch4(&s[q][t], &x[base + k * 256 + t]);
    if (t < 8) fetch4(&s[q][256 + t], &x[base + k * 256 + 256 + t]);
  };
  load(0, 0), commit();
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles) load(k + 1, (k + 1) & 1);
    commit();
    await<1>();
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int r = 0; r < 9; r++) v += s[k & 1][t + r] * (r + 1);
    y[base + k * 256 + t] = v;
    __syncthreads();
  }
}
