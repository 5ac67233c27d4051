// Kernels of rows, stencils and products.
// Moments of rows. BY 0: a warp a row in two passes, 1: a block a row, four moments in one pass, 2: a warp a row by Welford.
#ifndef BY
#define BY 0
#endif
__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
extern "C" __global__ void rows_moments(const float *in, float *out, int rows, int cols) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#if BY == 0
  int r = blockIdx.x * (blockDim.x / 32) + warp;
  const float *x = in + (size_t)r * cols;
  float s = 0.f, q = 0.f;
  for (int k = lane; k < cols; k += 32) s += x[k];
  float mean = warp_sum(s) / cols;
  for (int k = lane; k < cols; k += 32) q += (x[k] - mean) * (x[k] - mean);
  q = warp_sum(q) / cols;
  if (lane == 0) { out[2 * r] = mean; out[2 * r + 1] = q; }
#elif BY == 1
  __shared__ float part[4][32];
  int r = blockIdx.x;
  const float *x = in + (size_t)r * cols;
  float m[4] = {};
  for (int k = threadIdx.x; k < cols; k += blockDim.x) {
    float v = x[k];
    m[0] += v; m[1] += v * v; m[2] += v * v * v; m[3] += v * v * v * v;
  }
  for (int j = 0; j < 4; j++) {
    float v = warp_sum(m[j]);
    if (lane == 0) part[j][warp] = v;
  }
  __syncthreads();
  if (threadIdx.x < 4) {
    float v = 0.f;
    for (int w = 0; w < blockDim.x / 32; w++) v += part[threadIdx.x][w];
    out[4 * r + threadIdx.x] = v / cols;
  }
#else
  int r = blockIdx.x * (blockDim.x / 32) + warp;
  const float *x = in + (size_t)r * cols;
  float mean = 0.f, q = 0.f, n = 0.f;
  for (int k = lane; k < cols; k += 32) {
    float v = x[k], d = v - mean;
    n += 1.f;
    mean += d / n;
    q += d * (v - mean);
  }
  for (int d = 16; d > 0; d >>= 1) {
    float m2 = __shfl_xor_sync(0xffffffffu, mean, d), q2 = __shfl_xor_sync(0xffffffffu, q, d), n2 = __shfl_xor_sync(0xffffffffu, n, d), e = m2 - mean, s = n + n2;
    mean += e * n2 / s;
    q += q2 + e * e * n * n2 / s;
    n = s;
  }
  if (lane == 0) { out[2 * r] = mean; out[2 * r + 1] = q / n; }
#endif
}
// Layer norm of rows of 4 * 256 * V values, kept in registers.
extern "C" __global__ void rows_norm(const float4 *in, const float4 *gain, float4 *out, int cols4) {
  __shared__ float part[2][8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float4 *x = in + (size_t)blockIdx.x * cols4;
  float s = 0.f, q = 0.f;
  for (int k = threadIdx.x; k < cols4; k += 256) {
    float4 v = x[k];
    s += v.x + v.y + v.z + v.w;
    q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  s = warp_sum(s);
  q = warp_sum(q);
  if (lane == 0) { part[0][warp] = s; part[1][warp] = q; }
  __syncthreads();
  s = q = 0.f;
  for (int w = 0; w < 8; w++) { s += part[0][w]; q += part[1][w]; }
  float mean = s / (4 * cols4), inv = rsqrtf(q / (4 * cols4) - mean * mean + 1e-5f);
  for (int k = threadIdx.x; k < cols4; k += 256) {
    float4 v = x[k], g = gain[k];
    out[(size_t)blockIdx.x * cols4 + k] = make_float4((v.x - mean) * inv * g.x, (v.y - mean) * inv * g.y, (v.z - mean) * inv * g.z, (v.w - mean) * inv * g.w);
  }
}
// A stencil of one dimension from global memory, some points an item.
extern "C" __global__ void rows_stencil(const float *in, float *out, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + radius;
  if (i >= n - radius) return;
  float s = 0.f;
  for (int k = -radius; k <= radius; k++) s += in[i + k];
  out[i] = s * 0.1f;
}
// Jacobi's step in three dimensions.
extern "C" __global__ void rows_jacobi(const float *in, float *out, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
  for (int k = 1; k < nz - 1; k++) {
    size_t p = ((size_t)k * ny + j) * nx + i;
    out[p] = (in[p - 1] + in[p + 1] + in[p - nx] + in[p + nx] + in[p - (size_t)nx * ny] + in[p + (size_t)nx * ny]) * (1.0f / 6.0f);
  }
}
// Complex products, elementwise. LAYOUT 0: pairs, 1: planes, 2: pairs with the second operand's conjugate across rows.
#ifndef LAYOUT
#define LAYOUT 0
#endif
extern "C" __global__ void rows_complex(const float *a, const float *b, float *c, int n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if LAYOUT == 0
  float2 x = ((const float2 *)a)[i], y = ((const float2 *)b)[i];
  ((float2 *)c)[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
#elif LAYOUT == 1
  float xr = a[i], xi = a[n + i], yr = b[i], yi = b[n + i];
  c[i] = xr * yr - xi * yi;
  c[n + i] = xr * yi + xi * yr;
#else
  int r = i / len, k = i % len;
  float2 x = ((const float2 *)a)[i], y = ((const float2 *)b)[(size_t)k * (n / len) + r];
  ((float2 *)c)[i] = make_float2(x.x * y.x + x.y * y.y, x.y * y.x - x.x * y.y);
#endif
}
// C[i,j] = sum A[i,k] B[k,j] of complex numbers, a work-item each.
extern "C" __global__ void rows_cgemm(const float2 *a, const float2 *b, float2 *c, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float2 s = make_float2(0.f, 0.f);
  for (int k = 0; k < n; k++) {
    float2 x = a[i * n + k], y = b[k * n + j];
    s.x += x.x * y.x - x.y * y.y;
    s.y += x.x * y.y + x.y * y.x;
  }
  c[i * n + j] = s;
}
// A contraction over two of six axes, whose strides are in arrays.
struct Axes { int size[6], sa[6], sb[6], sc[6]; };
extern "C" __global__ void rows_contract(const float *a, const float *b, float *c, Axes x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at[4], r = i, pa = 0, pb = 0, pc = 0;
  for (int d = 3; d >= 0; d--) {
    at[d] = r % x.size[d];
    r /= x.size[d];
    pa += at[d] * x.sa[d];
    pb += at[d] * x.sb[d];
    pc += at[d] * x.sc[d];
  }
  float s = 0.f;
  for (int k = 0; k < x.size[4]; k++)
    for (int l = 0; l < x.size[5]; l++) s += a[pa + k * x.sa[4] + l * x.sa[5]] * b[pb + k * x.sb[4] + l * x.sb[5]];
  c[pc] = s;
}
// Few blocks add up many sums, and a grid of some blocks with one value each.
extern "C" __global__ void rows_partial(const float *in, float *out, int n, int per) {
  __shared__ float part[32];
  float s = 0.f;
  int from = blockIdx.x * per;
  for (int k = threadIdx.x; k < per && from + k < n; k += blockDim.x) s += in[from + k];
  s = warp_sum(s);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
  }
}
// Constants by index. INDEX 0: the loop's, 1: of the block, 2: of the warp, 3: of the lane in groups of 8, 4: of the lane.
#ifndef INDEX
#define INDEX 0
#endif
__constant__ float weights[4096];
extern "C" __global__ void rows_constants(float *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.f;
  for (int k = 0; k < rounds; k++) {
#if INDEX == 0
    int at = k & 4095;
#elif INDEX == 1
    int at = (k * 64 + blockIdx.x) & 4095;
#elif INDEX == 2
    int at = (k * 64 + (i >> 5)) & 4095;
#elif INDEX == 3
    int at = (k * 64 + (i >> 3)) & 4095;
#else
    int at = (k * 64 + i) & 4095;
#endif
    s = s * 0.5f + weights[at];
  }
  out[i] = s;
}
