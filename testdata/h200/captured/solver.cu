// A Jacobi solver: stencils, reductions and a transpose on a grid of 2048 x 2048.
#include <cstdio>
constexpr int N = 2048;
__global__ void fill(float *u, float *f, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) { u[y * n + x] = x == 0 ? 1.f : 0.f; f[y * n + x] = 1e-3f * ((x ^ y) & 7); }
}
__global__ void jacobi(const float *__restrict__ u, const float *__restrict__ f, float *__restrict__ v, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    v[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x] + f[y * n + x]);
}
__global__ void residual(const float *u, const float *v, float *sum, int n) {
  __shared__ float part[8];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float d = u[i] - v[i]; s += d * d; }
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 8) {
    s = part[threadIdx.x];
    for (int o = 4; o; o /= 2) s += __shfl_down_sync(0xffu, s, o);
    if (threadIdx.x == 0) atomicAdd(sum, s);
  }
}
__global__ void axpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
__global__ void rows(const float *in, float *out, int n) {  // a work-group sums a row
  __shared__ float s[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += in[blockIdx.x * n + i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 128; k; k /= 2) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
__global__ void columns(const float *in, float *out, int n) {  // a work-item sums a column
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int y = 0; y < n; y++) sum += in[y * n + x];
  out[x] = sum;
}
int main() {
  float *u, *v, *f, *s, h;
  cudaMalloc(&u, 4 * N * N); cudaMalloc(&v, 4 * N * N); cudaMalloc(&f, 4 * N * N); cudaMalloc(&s, 4 * N);
  dim3 b(32, 8), g(N / 32, N / 8);
  fill<<<g, b>>>(u, f, N); fill<<<g, b>>>(v, f, N);
  for (int i = 0; i < 12; i++) {
    jacobi<<<g, b>>>(u, f, v, N); jacobi<<<g, b>>>(v, f, u, N);
    cudaMemset(s, 0, 4);
    residual<<<528, 256>>>(u, v, s, N * N);
    axpy<<<N * N / 256, 256>>>(0.5f, v, u, N * N);
    transpose<<<dim3(N / 32, N / 32), b>>>(u, v, N);
    rows<<<N, 256>>>(v, s, N);
    columns<<<N / 64, 64>>>(v, s, N);
  }
  cudaMemcpy(&h, s, 4, cudaMemcpyDeviceToHost);
  printf("%g %s\n", h, cudaGetErrorString(cudaGetLastError()));
}
