// Dense rows and products: what a small network does.
#include <cstdio>
__global__ void random(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { unsigned s = i * 747796405u + 1; s = ((s >> (s >> 28)) ^ s) * 277803737u; x[i] = s / 4294967296.f - 0.5f; }
}
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float s[64][17], t[16][64];
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float r[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) { s[i / 16][i % 16] = a[(blockIdx.y * 64 + i / 16) * n + k + i % 16]; t[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64]; }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 16; q++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) r[i][j] += s[y * 4 + i][q] * t[q][x + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + y * 4 + i) * n + blockIdx.x * 64 + x + 16 * j] = r[i][j];
}
__global__ void vector(const float *a, const float *x, float *y, int n) {  // a sub-group a row
  int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float s = 0;
  for (int k = lane; k < n; k += 32) s += a[r * n + k] * x[k];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[r] = s;
}
__device__ float all(float v, bool most) {
  __shared__ float s[8];
  for (int o = 16; o; o /= 2) { float w = __shfl_xor_sync(~0u, v, o); v = most ? fmaxf(v, w) : v + w; }
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[0];
  for (int i = 1; i < 8; i++) v = most ? fmaxf(v, s[i]) : v + s[i];
  return v;
}
__global__ void softmax(const float *in, float *out, int n) {
  const float *r = in + (size_t)blockIdx.x * n;
  float m = -1e30f, s = 0;
  for (int i = threadIdx.x; i < n; i += 256) m = fmaxf(m, r[i]);
  m = all(m, true);
  for (int i = threadIdx.x; i < n; i += 256) s += __expf(r[i] - m);
  s = all(s, false);
  for (int i = threadIdx.x; i < n; i += 256) out[(size_t)blockIdx.x * n + i] = __expf(r[i] - m) / s;
}
__global__ void norm(const float *in, float *out, int n) {
  const float *r = in + (size_t)blockIdx.x * n;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < n; i += 256) { s += r[i]; q += r[i] * r[i]; }
  s = all(s, false) / n; q = rsqrtf(all(q, false) / n - s * s + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 256) out[(size_t)blockIdx.x * n + i] = (r[i] - s) * q;
}
__global__ void gelu(const float4 *x, float4 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = x[i];
  auto f = [](float v) { return 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v))); };
  y[i] = make_float4(f(a.x), f(a.y), f(a.z), f(a.w));
}
__global__ void erf_double(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = erf(x[i]) * exp(-x[i] * x[i]);
}
int main() {
  const int n = 1024, m = 4096;
  float *a, *b, *c; double *d;
  cudaMalloc(&a, 4 * m * n); cudaMalloc(&b, 4 * m * n); cudaMalloc(&c, 4 * m * n); cudaMalloc(&d, 8 << 20);
  cudaMemset(d, 0, 8 << 20);
  random<<<m * n / 256, 256>>>(a, m * n); random<<<m * n / 256, 256>>>(b, m * n);
  for (int i = 0; i < 10; i++) {
    product<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
    vector<<<m / 8, 256>>>(a, b, c, n);
    softmax<<<m, 256>>>(a, b, n);
    norm<<<m, 256>>>(a, b, n);
    gelu<<<m * n / 1024, 256>>>((float4 *)a, (float4 *)b, m * n / 4);
    erf_double<<<4096, 256>>>(d, d, 1 << 20);
  }
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
