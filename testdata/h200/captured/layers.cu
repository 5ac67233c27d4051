// A network of layers as one writes it without libraries, forward and backward: 16 MB to 64 MB between launches, twelve rounds.
#include <cstdio>
#include <cstdlib>
#include <utility>
#define CHECK(x) if ((x) != cudaSuccess) { printf("%s\n", cudaGetErrorString(cudaGetLastError())); exit(1); }
constexpr int ROWS = 8192, COLS = 1024, WIDE = 2048;
__device__ inline unsigned mix(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__global__ void fill(float *a, int n, unsigned seed) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = (mix(i ^ seed) >> 8) * (1.f / (1 << 24)) - 0.5f; }
__device__ float over(float v, float *part) {
  for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int k = 0; k < blockDim.x / 32; k++) v += part[k];
  __syncthreads();
  return v;
}
// A block a row.
__global__ void norm(const float *x, float *y, const float *scale, int cols) {
  __shared__ float part[32];
  const float *row = x + (size_t)blockIdx.x * cols;
  float s = 0, q = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) { float v = row[c]; s += v; q += v * v; }
  s = over(s, part) / cols, q = over(q, part) / cols;
  float r = rsqrtf(q - s * s + 1e-5f);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[(size_t)blockIdx.x * cols + c] = (row[c] - s) * r * scale[c];
}
__global__ void product(const float *a, const float *b, float *c, int n, int k) {
  __shared__ float as[16][64], bs[16][64];
  int row = blockIdx.y * 64, col = blockIdx.x * 64, ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  float acc[4][4] = {};
  for (int at = 0; at < k; at += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) { as[i % 16][i / 16] = a[(size_t)(row + i / 16) * k + at + i % 16]; bs[i / 64][i % 64] = b[(size_t)(at + i / 64) * n + col + i % 64]; }
    __syncthreads();
    for (int t = 0; t < 16; t++)
      for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) acc[y][x] += as[t][ty * 4 + y] * bs[t][tx * 4 + x];
    __syncthreads();
  }
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++) c[(size_t)(row + ty * 4 + y) * n + col + tx * 4 + x] = acc[y][x];
}
__global__ void gelu(float *x, const float *bias, int cols, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float v = x[i] + bias[i % cols]; x[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v))); }
}
__global__ void residual(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
__global__ void dropout(const float *x, float *y, unsigned char *mask, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { int keep = mix(i ^ seed) % 10 != 0; mask[i] = keep; y[i] = keep ? x[i] * (1 / 0.9f) : 0; }
}
__global__ void undrop(const float *g, const unsigned char *mask, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mask[i] ? g[i] * (1 / 0.9f) : 0;
}
__global__ void softmax(const float *x, float *y, int cols) {
  __shared__ float part[32];
  const float *row = x + (size_t)blockIdx.x * cols;
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(row[c]);
  s = 1 / over(s, part);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[(size_t)blockIdx.x * cols + c] = __expf(row[c]) * s;
}
__global__ void columns(const float *g, float *sums, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int r = blockIdx.y * 64; r < blockIdx.y * 64 + 64; r++) s += g[(size_t)r * cols + c];
  atomicAdd(&sums[c], s);
}
__global__ void transpose(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(size_t)(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
__global__ void adam(float *w, const float *g, float *m, float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float d = g[i]; m[i] = 0.9f * m[i] + 0.1f * d; v[i] = 0.99f * v[i] + 0.01f * d * d; w[i] -= 1e-3f * m[i] * rsqrtf(v[i] + 1e-8f); }
}
__global__ void total(const float *x, float *out, int n) {
  __shared__ float part[32];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * x[i];
  s = over(s, part);
  if (threadIdx.x == 0) atomicAdd(out, s);
}
int main() {
  float *x, *y, *z, *h, *w, *g, *m, *v, *scale, *sums;
  unsigned char *mask;
  int n = ROWS * COLS, wide = ROWS * WIDE, weights = COLS * WIDE;
  float **all[] = {&x, &y, &z};
  for (float **p : all) { CHECK(cudaMalloc(p, n * 4)); fill<<<1056, 256>>>(*p, n, 1); }
  CHECK(cudaMalloc(&h, wide * 4)); CHECK(cudaMalloc(&mask, wide));
  float **params[] = {&w, &g, &m, &v};
  for (float **p : params) { CHECK(cudaMalloc(p, weights * 4)); fill<<<1056, 256>>>(*p, weights, 2); }
  CHECK(cudaMemset(v, 0, weights * 4));
  CHECK(cudaMalloc(&scale, WIDE * 4)); CHECK(cudaMalloc(&sums, WIDE * 4));
  fill<<<8, 256>>>(scale, WIDE, 3);
  for (int k = 0; k < 12; k++) {
    norm<<<ROWS, 256>>>(x, y, scale, COLS);
    product<<<dim3(WIDE / 64, ROWS / 64), 256>>>(y, w, h, WIDE, COLS);
    gelu<<<wide / 256, 256>>>(h, scale, WIDE, wide);
    product<<<dim3(COLS / 64, ROWS / 64), 256>>>(h, w, z, COLS, WIDE);
    dropout<<<n / 256, 256>>>(z, y, mask, n, k);
    residual<<<n / 256, 256>>>(x, y, z, n);
    softmax<<<ROWS, 128>>>(z, y, COLS);
    total<<<1056, 256>>>(y, sums, n);
    undrop<<<n / 256, 256>>>(y, mask, z, n);
    columns<<<dim3(COLS / 256, ROWS / 64), 256>>>(z, sums, ROWS, COLS);
    transpose<<<dim3(COLS / 32, ROWS / 32), dim3(32, 8)>>>(z, h, ROWS, COLS);
    columns<<<dim3(WIDE / 256, ROWS / 128), 256>>>(h, sums, ROWS / 2, WIDE);
    adam<<<weights / 256, 256>>>(w, g, m, v, weights);
    std::swap(x, z);
  }
  CHECK(cudaDeviceSynchronize());
  puts("done");
}
