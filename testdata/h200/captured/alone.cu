// What loads and copies take alone and in turns: the same array each time, two and four in turn, and after one that reads 256 MB elsewhere; 8 to 512 MB.
#include <cstdio>
#include <cstdlib>
#define CHECK(x) if ((x) != cudaSuccess) { printf("%s\n", cudaGetErrorString(cudaGetLastError())); exit(1); }
template <int CASE> __global__ void load(const float4 *in, float *out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = in[i]; s += v.x + v.y + v.z + v.w; }
  if (s == 12345.f) out[0] = s;
}
template <int CASE> __global__ void once(const float4 *in, float *out, int n) { // a work-item an element
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = in[i]; float s = v.x + v.y + v.z + v.w;
  if (s == 12345.f) out[0] = s;
}
template <int CASE> __global__ void scale(const float4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float4 x = in[i]; out[i] = make_float4(x.x * 2, x.y * 2, x.z * 2, x.w * 2); }
}
__global__ void other(const float4 *in, float *out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = in[i]; s += v.x + v.y + v.z + v.w; }
  if (s == 12345.f) out[0] = s;
}
float4 *p[5], *q;
float *sum;
template <int HOW, int MB> void run() {
  int n = MB << 16;
  for (int k = 0; k < 12; k++) {
    const float4 *in = p[HOW == 1 ? k % 2 : HOW == 2 ? k % 4 : 0];
    if (HOW == 3) other<<<1056, 256>>>(p[4], sum, 256 << 16);
    load<HOW * 1000 + MB><<<1056, 256>>>(in, sum, n);
  }
  for (int k = 0; k < 12; k++) {
    if (HOW == 3) other<<<1056, 256>>>(p[4], sum, 256 << 16);
    once<HOW * 1000 + MB><<<(n + 255) / 256, 256>>>(p[HOW == 1 ? k % 2 : HOW == 2 ? k % 4 : 0], sum, n);
  }
  for (int k = 0; k < 12; k++) {
    if (HOW == 3) other<<<1056, 256>>>(p[4], sum, 256 << 16);
    scale<HOW * 1000 + MB><<<(n + 255) / 256, 256>>>(p[HOW == 1 ? k % 2 : HOW == 2 ? k % 4 : 0], q, n);
  }
  CHECK(cudaDeviceSynchronize());
}
template <int HOW> void sizes() { run<HOW, 8>(); run<HOW, 16>(); run<HOW, 32>(); run<HOW, 64>(); run<HOW, 128>(); run<HOW, 256>(); run<HOW, 512>(); }
int main() {
  for (auto &x : p) { CHECK(cudaMalloc(&x, 512 << 20)); CHECK(cudaMemset(x, 0, 512 << 20)); }
  CHECK(cudaMalloc(&q, 512 << 20)); CHECK(cudaMalloc(&sum, 4));
  sizes<0>(); sizes<1>(); sizes<2>(); sizes<3>();
  puts("done");
}
