// Particles: random places, cells, a sort by cells, forces in tiles, steps.
#include <cstdio>
constexpr int N = 32768, C = 4096;
__device__ unsigned next(unsigned &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
__global__ void place(float4 *p, float4 *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = i * 2654435761u + 1;
  for (int k = 0; k < 20; k++) next(s);
  if (i < n) { p[i] = make_float4(next(s) / 4294967296.f, next(s) / 4294967296.f, next(s) / 4294967296.f, 1); v[i] = make_float4(0, 0, 0, 0); }
}
__global__ void cells(const float4 *p, int *cell, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = p[i];
  int c = min(15, max(0, int(a.x * 16))) * 256 + min(15, max(0, int(a.y * 16))) * 16 + min(15, max(0, int(a.z * 16)));
  cell[i] = c;
  atomicAdd(&count[c], 1);
}
__global__ void scan(const int *count, int *start) {  // one work-group of 1024, 4 cells each
  __shared__ int s[1024];
  int t = threadIdx.x, v[4], sum = 0;
  for (int k = 0; k < 4; k++) { v[k] = sum; sum += count[4 * t + k]; }
  s[t] = sum;
  __syncthreads();
  for (int o = 1; o < 1024; o *= 2) { int x = t >= o ? s[t - o] : 0; __syncthreads(); s[t] += x; __syncthreads(); }
  for (int k = 0; k < 4; k++) start[4 * t + k] = s[t] - sum + v[k];
}
__global__ void reorder(const float4 *p, const int *cell, int *start, float4 *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[atomicAdd(&start[cell[i]], 1)] = p[i];
}
__global__ void forces(const float4 *p, float4 *f, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 a = p[i], s = make_float4(0, 0, 0, 0);
  for (int j = 0; j < n; j += 256) {
    tile[threadIdx.x] = p[j + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) {
      float4 b = tile[k];
      float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, r = rsqrtf(x * x + y * y + z * z + 1e-4f), w = r * r * r * b.w;
      s.x += w * x; s.y += w * y; s.z += w * z;
    }
    __syncthreads();
  }
  f[i] = s;
}
__global__ void nearby(const float4 *p, const int *start, const int *count, float *out, int n) {  // neighbours in the own cell
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = p[i];
  int c = min(15, max(0, int(a.x * 16))) * 256 + min(15, max(0, int(a.y * 16))) * 16 + min(15, max(0, int(a.z * 16)));
  float s = 0;
  for (int k = start[c] - count[c]; k < start[c]; k++) { float4 b = p[k]; float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z; if (x * x + y * y + z * z < 0.002f) s += b.w; }
  out[i] = s;
}
__global__ void step(float4 *p, float4 *v, const float4 *f, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = p[i], b = v[i], c = f[i];
  b.x += dt * c.x; b.y += dt * c.y; b.z += dt * c.z;
  a.x += dt * b.x; a.y += dt * b.y; a.z += dt * b.z;
  p[i] = a; v[i] = b;
}
__global__ void energy(const float4 *v, float *out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
int main() {
  float4 *p, *q, *v, *f; int *cell, *count, *start; float *out;
  cudaMalloc(&p, 16 * N); cudaMalloc(&q, 16 * N); cudaMalloc(&v, 16 * N); cudaMalloc(&f, 16 * N);
  cudaMalloc(&cell, 4 * N); cudaMalloc(&count, 4 * C); cudaMalloc(&start, 4 * C); cudaMalloc(&out, 4 * N);
  place<<<N / 256, 256>>>(p, v, N);
  for (int i = 0; i < 8; i++) {
    cudaMemset(count, 0, 4 * C);
    cells<<<N / 256, 256>>>(p, cell, count, N);
    scan<<<1, 1024>>>(count, start);
    reorder<<<N / 256, 256>>>(p, cell, start, q, N);
    nearby<<<N / 128, 128>>>(q, start, count, out, N);
    forces<<<N / 256, 256>>>(q, f, N);
    step<<<N / 256, 256>>>(q, v, f, 1e-9f, N);
    energy<<<64, 256>>>(v, out, N);
    float4 *t = p; p = q; q = t;
  }
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
