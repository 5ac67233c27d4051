#include <cuda_fp16.h>
typedef unsigned int u32;
#define G extern "C" __global__ void
// whole-grid patterns
G waves_barrier(float *a, float *b, u32 *count, int n, int rounds) {
  u32 want = 0;
  for (int r = 0; r < rounds; r++) {
    float *x = r & 1 ? b : a, *y = r & 1 ? a : b;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      float l = i > 0 ? x[i - 1] : 0.f, h = i < n - 1 ? x[i + 1] : 0.f;
      y[i] = 0.25f * l + 0.5f * x[i] + 0.25f * h;
    }
    __threadfence();
    __syncthreads();
    want += gridDim.x;
    if (threadIdx.x == 0) { atomicAdd(count, 1); while (atomicAdd(count, 0) < want); }
    __syncthreads();
  }
}
G last_block_mean(const float *x, float *part, u32 *count, float *out, int n) {
  __shared__ float s[256]; __shared__ bool last;
  float v = 0; for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += x[i];
  s[threadIdx.x] = v; __syncthreads();
  for (int k = 128; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) { part[blockIdx.x] = s[0]; __threadfence(); last = atomicAdd(count, 1) == gridDim.x - 1; }
  __syncthreads();
  if (last) {
    v = 0; for (int i = threadIdx.x; i < gridDim.x; i += 256) v += ((volatile float *)part)[i];
    s[threadIdx.x] = v; __syncthreads();
    for (int k = 128; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
    if (threadIdx.x == 0) out[0] = s[0] / n;
  }
}
G atomic_mean(const float4 *x, float *out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 q = x[i]; v += q.x + q.y + q.z + q.w; }
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
// scatter and gather through index arrays that the launch files give by formulas
G scatter_pairs(const int *at, const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { int k = at[i]; y[2 * k] = x[i]; y[2 * k + 1] = -x[i]; } }
G gather_rows(const int *at, const float *x, float *y, int n, int width) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; if (row >= n) return;
  const float *from = x + (size_t)at[row] * width; float *to = y + (size_t)row * width;
  for (int c = threadIdx.x % 32; c < width; c += 32) to[c] = from[c] * 0.5f;
}
G scatter_rows_add(const int *at, const float *x, float *y, int n, int width) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; if (row >= n) return;
  for (int c = threadIdx.x % 32; c < width; c += 32) atomicAdd(&y[(size_t)at[row] * width + c], x[(size_t)row * width + c]);
}
// checksums
__constant__ u32 crc_table[256];
G crc_rows(const unsigned char *text, u32 *out, int n, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  u32 c = ~0u; for (int k = 0; k < length; k++) c = c >> 8 ^ crc_table[(c ^ text[(size_t)k * n + i]) & 255];
  out[i] = ~c;
}
G crc_slices(const u32 *text, u32 *out, int n, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  u32 c = ~0u; for (int k = 0; k < words; k++) { c ^= text[(size_t)k * n + i];
#pragma unroll
    for (int b = 0; b < 32; b++) c = c >> 1 ^ (0xedb88320u & -(c & 1)); }
  out[i] = ~c;
}
// a pass of a radix sort: digits are counted, and keys go to their places
G radix_place(const u32 *keys, u32 *out, u32 *bases, int n, int shift) {
  __shared__ u32 hist[16], base[16], local[256];
  if (threadIdx.x < 16) hist[threadIdx.x] = 0; __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x; u32 key = keys[i], d = key >> shift & 15;
  u32 rank = atomicAdd(&hist[d], 1); __syncthreads();
  if (threadIdx.x < 16) base[threadIdx.x] = atomicAdd(&bases[threadIdx.x], hist[threadIdx.x]);
  __syncthreads(); local[threadIdx.x] = d;
  out[(size_t)d * n + ((base[d] + rank) % n)] = key;
}
// a machine with states over bytes
__constant__ unsigned char next_state[8 * 256];
G machine_count(const unsigned char *text, int *out, int n, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  u32 s = 0; int found = 0;
  for (int k = 0; k < length; k++) { u32 c = text[(size_t)i * length + k]; switch (s) {
    case 0: s = c < 64 ? 1 : c < 128 ? 2 : 0; break;
    case 1: s = c > 200 ? 3 : c & 1 ? 1 : 0; break;
    case 2: s = c > 100 ? 1 : 3; found += c & 1; break;
    default: s = 0; found++; } }
  out[i] = found;
}
G machine_table(const unsigned char *text, int *out, int n, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  u32 s = 0, found = 0;
  for (int k = 0; k < length; k++) { s = next_state[(s & 7) * 256 + text[(size_t)k * n + i]]; found += s & 1; }
  out[i] = found;
}
// functions
G bessel_zero(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = j0f(20.f * x[i]); }
G gamma_log(const double *x, double *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = lgamma(x[i] + 0.5); }
G erf_inverse(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = erfinvf(0.9f * x[i]); }
// rows
G layer_norm(const float *x, const float *g, float *y, int cols) {
  __shared__ float s[2][8]; const float *row = x + (size_t)blockIdx.x * cols; float a = 0, b = 0;
  for (int c = threadIdx.x; c < cols; c += 256) { float v = row[c]; a += v; b += v * v; }
  for (int k = 16; k > 0; k >>= 1) { a += __shfl_xor_sync(~0u, a, k); b += __shfl_xor_sync(~0u, b, k); }
  if (threadIdx.x % 32 == 0) s[0][threadIdx.x / 32] = a, s[1][threadIdx.x / 32] = b; __syncthreads();
  a = b = 0; for (int k = 0; k < 8; k++) a += s[0][k], b += s[1][k];
  float m = a / cols, r = rsqrtf(b / cols - m * m + 1e-5f);
  for (int c = threadIdx.x; c < cols; c += 256) y[(size_t)blockIdx.x * cols + c] = (row[c] - m) * r * g[c];
}
G row_moments(const float *x, float4 *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x; if (row >= rows) return; float a = 0, b = 0, c = 0, d = 0;
  for (int k = 0; k < cols; k++) { float v = x[(size_t)row * cols + k]; a += v; b += v * v; c += v * v * v; d += v * v * v * v; }
  out[row] = make_float4(a, b, c, d);
}
// stencils
G jacobi_nine(const float *x, float *y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
  const float *p = x + (size_t)j * w + i;
  y[(size_t)j * w + i] = 0.2f * (p[-1] + p[1] + p[-w] + p[w]) + 0.05f * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]) - p[0];
}
G line_shared(const float *x, float *y, int n, int radius) {
  extern __shared__ float s[]; int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + radius;
  s[l] = x[i]; if (threadIdx.x < radius) { s[threadIdx.x] = x[max(i - radius, 0)]; s[l + blockDim.x] = x[min(i + (int)blockDim.x, n - 1)]; } __syncthreads();
  float v = 0; for (int k = -radius; k <= radius; k++) v += s[l + k]; y[i] = v;
}
// layouts and casts
G complex_apart(const float *a, const float *b, float *c, float *d, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float x = a[i], y = b[i]; c[i] = x * x - y * y; d[i] = 2 * x * y; } }
G complex_pairs(const float *a, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float x = a[2 * i], y = a[2 * i + 1]; c[2 * i] = x * x - y * y; c[2 * i + 1] = 2 * x * y; } }
G cast_bytes(const float *x, unsigned char *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = (unsigned char)fminf(fmaxf(x[i] * 255.f, 0.f), 255.f); }
G cast_halves(const __half *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = __half2float(x[i]); }
G every_third(const float *x, float *y, int n, int stride) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[(size_t)i * stride] = x[(size_t)i * stride] + 1.f; }
// small grids
G partial_dots(const float *x, const float *y, float *out, int each) {
  float v = 0; for (int k = threadIdx.x; k < each; k += blockDim.x) v += x[(size_t)blockIdx.x * each + k] * y[(size_t)blockIdx.x * each + k];
  __shared__ float s[1024]; s[threadIdx.x] = v; __syncthreads(); for (int k = blockDim.x / 2; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
// not executed to the end
G bodies_cutoff(const float4 *p, float *out, int n, float near) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float4 a = p[i]; float e = 0;
  for (int k = 0; k < n; k++) { float4 b = p[k]; float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r = x * x + y * y + z * z; if (r < near && k != i) { float q = rsqrtf(r + 0.01f); e += b.w * q * q * q; } }
  out[i] = e;
}
G spheres_trace(const float4 *s, float *out, int w, int many) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; float ox = i / (float)w, oy = j / (float)w, oz = -1, dx = 0, dy = 0, dz = 1, light = 1;
  for (int b = 0; b < 4; b++) { float best = 1e9f; int hit = -1;
    for (int k = 0; k < many; k++) { float4 q = s[k]; float x = q.x - ox, y = q.y - oy, z = q.z - oz, t = x * dx + y * dy + z * dz, d = x * x + y * y + z * z - t * t, r = 0.05f * q.w; if (d < r * r && t > 1e-3f && t < best) best = t, hit = k; }
    if (hit < 0) break; ox += dx * best * 0.99f; oy += dy * best * 0.99f; oz += dz * best * 0.99f; float nx = ox - s[hit].x, ny = oy - s[hit].y, nz = oz - s[hit].z, l = rsqrtf(nx * nx + ny * ny + nz * nz + 1e-6f); float dot = 2 * (dx * nx + dy * ny + dz * nz) * l * l; dx -= dot * nx; dy -= dot * ny; dz -= dot * nz; light *= 0.7f; }
  out[j * w + i] = light;
}
G polygon_inside(const float2 *p, const float2 *v, int *out, int n, int edges) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float2 a = p[i]; int in = 0;
  for (int k = 0, l = edges - 1; k < edges; l = k++) if ((v[k].y > a.y) != (v[l].y > a.y) && a.x < (v[l].x - v[k].x) * (a.y - v[k].y) / (v[l].y - v[k].y) + v[k].x) in ^= 1;
  out[i] = in;
}
G lattice_option(const float *s, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v[64]; float p = 0.5f + 0.01f * s[i];
  for (int k = 0; k < 64; k++) v[k] = fmaxf(s[i] * __expf(0.05f * (2 * k - 63)) - 0.5f, 0.f);
  for (int t = 63; t > 0; t--) for (int k = 0; k < t; k++) v[k] = 0.999f * (p * v[k + 1] + (1 - p) * v[k]);
  out[i] = v[0];
}
G contract_three(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x, j = blockIdx.y, k = threadIdx.x; float v = 0;
  for (int m = 0; m < n; m++) for (int l = 0; l < 8; l++) v += a[(i * n + m) * 8 + l] * b[((size_t)(j * n + m) * 8 + l) * blockDim.x + k];
  c[(i * gridDim.y + j) * blockDim.x + k] = v;
}
// random numbers
__device__ float draw(u32 &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (s >> 8) * (1.f / 16777216.f); }
G walks_out(float *out, int trials, float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; u32 s = 2463534242u + 747796405u * i; float sum = 0;
  for (int t = 0; t < trials; t++) { float x = 0, y = 0, w = 1; while (x * x + y * y < 1.f) { float a = draw(s); if (a < 0.25f) x += step; else if (a < 0.5f) x -= step; else if (a < 0.75f) y += step; else y -= step; w *= 0.999f; } sum += w; }
  out[i] = sum / trials;
}
G normals(float *out, int n, int each) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; u32 s = 2463534242u + 747796405u * i;
  for (int k = 0; k < each; k++) { float a = draw(s) + 1e-7f, b = draw(s); out[(size_t)k * n + i] = sqrtf(-2.f * __logf(a)) * __cosf(6.2831853f * b); }
}
// attention in tiles
G attend(const float *q, const float *k, const float *v, float *o, int n, int causal) {
  __shared__ float ks[32][65], vs[32][65]; int row = blockIdx.x * 64 + threadIdx.x; size_t head = (size_t)blockIdx.y * n * 64;
  float a[64], acc[64], m = -1e30f, l = 0; for (int d = 0; d < 64; d++) a[d] = q[head + (size_t)row * 64 + d] * 0.125f, acc[d] = 0;
  int end = causal ? (blockIdx.x + 1) * 64 : n;
  for (int t = 0; t < end; t += 32) {
    for (int e = threadIdx.x; e < 32 * 64; e += 64) ks[e / 64][e % 64] = k[head + (size_t)t * 64 + e], vs[e / 64][e % 64] = v[head + (size_t)t * 64 + e];
    __syncthreads();
    for (int j = 0; j < 32; j++) { float x = 0;
#pragma unroll
      for (int d = 0; d < 64; d++) x += a[d] * ks[j][d];
      if (causal && t + j > row) x = -1e30f; float w = fmaxf(m, x), f = __expf(m - w), p = __expf(x - w); l = l * f + p; m = w;
#pragma unroll
      for (int d = 0; d < 64; d++) acc[d] = acc[d] * f + p * vs[j][d]; }
    __syncthreads(); }
  for (int d = 0; d < 64; d++) o[head + (size_t)row * 64 + d] = acc[d] / l;
}
// index kernels
G repeat_rows(const int *ends, int *out, int n, int all) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= all) return; int a = 0, b = n; while (a < b) { int m = (a + b) / 2; if (ends[m] <= i) a = m + 1; else b = m; } out[i] = a; }
G histogram_shared(const u32 *x, u32 *out, int n) { __shared__ u32 h[256]; h[threadIdx.x] = 0; __syncthreads(); for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[x[i] >> 24], 1); __syncthreads(); atomicAdd(&out[threadIdx.x], h[threadIdx.x]); }
G fir_constant(const float *x, float *y, int n, int taps);
__constant__ float coefficients[128];
G fir_constant(const float *x, float *y, int n, int taps) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + taps > n) return; float v = 0; for (int k = 0; k < taps; k++) v += coefficients[k] * x[i + k]; y[i] = v; }
