// An image of 2048 x 2048 pixels: grey, edges, a smoothing filter, a histogram, a table, a median.
#include <cstdio>
constexpr int N = 2048;
__constant__ float weights[81];
__global__ void make(uchar4 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { unsigned s = i * 747796405u + 2891336453u; s = ((s >> (s >> 28)) ^ s) * 277803737u; c[i] = make_uchar4(s, s >> 8, (i >> 5), 255); }
}
__global__ void grey(const uchar4 *c, unsigned char *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) g[i] = (c[i].x * 77 + c[i].y * 150 + c[i].z * 29) >> 8;
}
__global__ void sobel(const unsigned char *g, unsigned char *o, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  auto at = [&](int i, int j) { return int(g[(y + j) * n + x + i]); };
  int a = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  int b = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  o[y * n + x] = min(255, abs(a) + abs(b));
}
__global__ void smooth(const unsigned char *g, float *o, int n) {  // 9 x 9, weights in constant memory, a tile in local memory
  __shared__ float t[16][40];
  int x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 8 - 4;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 16 * 40; i += 256) {
    int x = min(n - 1, max(0, x0 + i % 40)), y = min(n - 1, max(0, y0 + i / 40));
    t[i / 40][i % 40] = g[y * n + x];
  }
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 9; j++) for (int i = 0; i < 9; i++) s += weights[j * 9 + i] * t[threadIdx.y + j][threadIdx.x + i];
  o[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = s;
}
__global__ void histogram(const unsigned char *g, unsigned *h, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&s[g[i]], 1);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
__global__ void apply(const unsigned char *table, const unsigned char *g, unsigned char *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = table[g[i]];
}
__global__ void median(const unsigned char *g, unsigned char *o, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int v[9];
  for (int k = 0; k < 9; k++) v[k] = g[(y + k / 3 - 1) * n + x + k % 3 - 1];
#pragma unroll
  for (int i = 0; i < 5; i++)
#pragma unroll
    for (int j = 0; j < 8 - i; j++) { int a = min(v[j], v[j + 1]), b = max(v[j], v[j + 1]); v[j] = a; v[j + 1] = b; }
  o[y * n + x] = v[4];
}
int main() {
  uchar4 *c; unsigned char *g, *o, *t; float *s; unsigned *h; float w[81];
  for (int i = 0; i < 81; i++) w[i] = 1.f / 81;
  cudaMemcpyToSymbol(weights, w, sizeof w);
  cudaMalloc(&c, 4 * N * N); cudaMalloc(&g, N * N); cudaMalloc(&o, N * N); cudaMalloc(&s, 4 * N * N); cudaMalloc(&h, 1024); cudaMalloc(&t, 256);
  cudaMemset(h, 0, 1024); cudaMemset(t, 7, 256);
  dim3 b(32, 8), k(N / 32, N / 8);
  make<<<N * N / 256, 256>>>(c, N * N);
  for (int i = 0; i < 10; i++) {
    grey<<<N * N / 256, 256>>>(c, g, N * N);
    sobel<<<k, b>>>(g, o, N);
    smooth<<<k, b>>>(g, s, N);
    histogram<<<264, 256>>>(g, h, N * N);
    apply<<<N * N / 256, 256>>>(t, g, o, N * N);
    median<<<k, b>>>(g, o, N);
  }
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
