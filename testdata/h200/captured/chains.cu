// What a launch finds in the second-level cache: each of four kinds of launches, of 8, 32 and 96 MB, after one that loads, stores or changes 128 MB.
#include <cstdio>
#include <cstdlib>
#define CHECK(x) if ((x) != cudaSuccess) { printf("%s\n", cudaGetErrorString(cudaGetLastError())); exit(1); }
template <int CASE> __global__ void load(const float4 *in, float *out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = in[i]; s += v.x + v.y + v.z + v.w; }
  if (s == 12345.f) out[0] = s;
}
template <int CASE> __global__ void store(float4 *out, float v, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = make_float4(v, v, v, v);
}
template <int CASE> __global__ void change(float4 *a, float v, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 x = a[i]; a[i] = make_float4(x.x * v, x.y * v, x.z * v, x.w * v); }
}
template <int CASE> __global__ void copy(const float4 *in, float4 *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
float4 *a, *b, *c;
float *sum;
template <int CASE> void run(int kind, float4 *at, float4 *to, int n) {
  int groups = 132 * 8;
  if (kind == 0) load<CASE><<<groups, 256>>>(at, sum, n);
  if (kind == 1) store<CASE><<<groups, 256>>>(at, 1.f, n);
  if (kind == 2) change<CASE><<<groups, 256>>>(at, 1.f, n);
  if (kind == 3) copy<CASE><<<groups, 256>>>(at, to, n);
}
// The case: the kind of the launch before, the kind of the launch, its size.
template <int BEFORE, int KIND, int SIZE> void pair(int mb) {
  for (int k = 0; k < 10; k++) {
    run<1000 + BEFORE * 100 + KIND * 10 + SIZE>(BEFORE, a, b, 128 << 16);
    run<BEFORE * 100 + KIND * 10 + SIZE>(KIND, b, c, mb << 16);
  }
  CHECK(cudaDeviceSynchronize());
}
template <int BEFORE, int KIND> void sizes() { pair<BEFORE, KIND, 0>(8); pair<BEFORE, KIND, 1>(32); pair<BEFORE, KIND, 2>(96); }
template <int BEFORE> void kinds() { sizes<BEFORE, 0>(); sizes<BEFORE, 1>(); sizes<BEFORE, 2>(); sizes<BEFORE, 3>(); }
int main() {
  size_t most = 128 << 20;
  CHECK(cudaMalloc(&a, most)); CHECK(cudaMalloc(&b, most)); CHECK(cudaMalloc(&c, most)); CHECK(cudaMalloc(&sum, 4));
  CHECK(cudaMemset(a, 0, most)); CHECK(cudaMemset(b, 0, most)); CHECK(cudaMemset(c, 0, most));
  kinds<0>(); kinds<1>(); kinds<2>();
  puts("done");
}
