// A graph of 65,536 nodes in compressed rows: ranks, levels, and moves by index.
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void degrees(const int *to, int *in, int edges) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < edges) atomicAdd(&in[to[i]], 1);
}
__global__ void spmv(const int *row, const int *to, const float *x, float *y, int n) {  // a sub-group a row
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= n) return;
  float s = 0;
  for (int k = row[r] + lane; k < row[r + 1]; k += 32) s += x[to[k]];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[r] = s;
}
__global__ void spmv_items(const int *row, const int *to, const float *x, float *y, int n) {  // a work-item a row
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0;
  for (int k = row[r]; k < row[r + 1]; k++) s += x[to[k]];
  y[r] = s;
}
__global__ void rank(const float *y, const int *in, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.15f / n + 0.85f * y[i] / (in[i] ? in[i] : 1);
}
__global__ void level(const int *row, const int *to, int *depth, int now, int *more, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n || depth[r] != now) return;
  for (int k = row[r]; k < row[r + 1]; k++)
    if (depth[to[k]] < 0) { depth[to[k]] = now + 1; *more = 1; }
}
__global__ void gather(const int *at, const float4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[at[i]];
}
__global__ void scatter(const int *at, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = in[i];
}
int main() {
  const int n = 65536;
  std::vector<int> row(n + 1), to, at(n), depth(n, -1);
  srand(1);
  for (int i = 0; i < n; i++) {
    row[i] = to.size();
    int d = 4 + rand() % 13 + (rand() % 64 == 0 ? 200 : 0);
    for (int k = 0; k < d; k++) to.push_back(rand() % 2 ? rand() % n : (i + rand() % 64) % n);
    at[i] = i;
  }
  row[n] = to.size();
  for (int i = n - 1; i > 0; i--) std::swap(at[i], at[rand() % (i + 1)]);
  depth[0] = 0;
  int e = to.size(), *drow, *dto, *din, *dat, *ddepth, *more;
  float *x, *y; float4 *a, *b;
  cudaMalloc(&drow, 4 * (n + 1)); cudaMalloc(&dto, 4 * e); cudaMalloc(&din, 4 * n); cudaMalloc(&dat, 4 * n); cudaMalloc(&ddepth, 4 * n); cudaMalloc(&more, 4);
  cudaMalloc(&x, 4 * n); cudaMalloc(&y, 4 * n); cudaMalloc(&a, 16 * n); cudaMalloc(&b, 16 * n);
  cudaMemset(x, 0, 4 * n); cudaMemset(a, 0, 16 * n); cudaMemset(din, 0, 4 * n);
  cudaMemcpy(drow, row.data(), 4 * (n + 1), cudaMemcpyHostToDevice); cudaMemcpy(dto, to.data(), 4 * e, cudaMemcpyHostToDevice);
  cudaMemcpy(dat, at.data(), 4 * n, cudaMemcpyHostToDevice); cudaMemcpy(ddepth, depth.data(), 4 * n, cudaMemcpyHostToDevice);
  for (int i = 0; i < 10; i++) {
    degrees<<<(e + 255) / 256, 256>>>(dto, din, e);
    spmv<<<n / 8, 256>>>(drow, dto, x, y, n);
    spmv_items<<<n / 128, 128>>>(drow, dto, x, y, n);
    rank<<<n / 256, 256>>>(y, din, x, n);
    gather<<<n / 256, 256>>>(dat, a, b, n);
    scatter<<<n / 256, 256>>>(dat, x, y, n);
  }
  for (int now = 0; now < 6; now++) level<<<n / 256, 256>>>(drow, dto, ddepth, now, more, n);
  cudaDeviceSynchronize();
  printf("%d edges %s\n", e, cudaGetErrorString(cudaGetLastError()));
}
