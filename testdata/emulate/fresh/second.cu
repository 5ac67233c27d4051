#include <cuda_fp16.h>
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;
#define K extern "C" __global__ void
// physics
__device__ __forceinline__ u32 pcg(u32 &s) { u32 o = s; s = o * 747796405u + 2891336453u; u32 w = ((o >> ((o >> 28) + 4)) ^ o) * 277803737u; return (w >> 22) ^ w; }
K ising(signed char *a, const signed char *b, int w, int h, float beta, int color) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; if (x >= w) return;
  u32 s = y * w + x + 12345u; pcg(s);
  int up = (y + 1) % h, down = (y + h - 1) % h, off = (y & 1) ^ color ? (x + 1) % w : (x + w - 1) % w;
  int sum = (b[up * w + x] & 1) + (b[down * w + x] & 1) + (b[y * w + x] & 1) + (b[y * w + off] & 1);
  int spin = a[y * w + x] & 1; float e = (2 * sum - 4) * (2 * spin - 1) * beta;
  if (__expf(-2.f * e) > pcg(s) * 2.3283064e-10f) a[y * w + x] = spin ^ 1;
}
K maxwell(float *ex, float *ey, float *ez, const float *hx, const float *hy, const float *hz, const float *c, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; if (i < 1 || j < 1 || i >= nx || j >= ny) return;
  for (int k = 1; k < nz; k++) { size_t p = ((size_t)k * ny + j) * nx + i, sy = nx, sz = (size_t)nx * ny; float q = c[p];
    ex[p] += q * (hz[p] - hz[p - sy] - hy[p] + hy[p - sz]);
    ey[p] += q * (hx[p] - hx[p - sz] - hz[p] + hz[p - 1]);
    ez[p] += q * (hy[p] - hy[p - 1] - hx[p] + hx[p - sy]); }
}
K sph_density(const float4 *p, const int *list, float *rho, int n, int each, float h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float4 a = p[i]; float s = 0;
  for (int k = 0; k < each; k++) { float4 b = p[list[(size_t)k * n + i]]; float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r = sqrtf(x * x + y * y + z * z) / h; float t = 1.f - 0.5f * r; t = fmaxf(t, 0.f); s += b.w * t * t * t * t * (2.f * r + 1.f); }
  rho[i] = s;
}
K wave_tile(const float *u, const float *v, float *out, int w, int h, float c) {
  __shared__ float t[20][36]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 12 * 36; k += 256) { int a = k % 36 - 2 + blockIdx.x * 32, b = k / 36 - 2 + blockIdx.y * 8; a = min(max(a, 0), w - 1); b = min(max(b, 0), h - 1); t[k / 36][k % 36] = u[(size_t)b * w + a]; }
  __syncthreads(); int i = threadIdx.x + 2, j = threadIdx.y + 2; float m = t[j][i];
  float l = -5.f * m + 1.3333f * (t[j][i - 1] + t[j][i + 1] + t[j - 1][i] + t[j + 1][i]) - 0.08333f * (t[j][i - 2] + t[j][i + 2] + t[j - 2][i] + t[j + 2][i]);
  int edge = min(min(x, w - 1 - x), min(y, h - 1 - y)); float d = edge < 40 ? __expf(-0.0002f * (40 - edge) * (40 - edge)) : 1.f;
  out[(size_t)y * w + x] = d * (2.f * m - d * v[(size_t)y * w + x] + c * l);
}
// finance
K sabr(const float *f, const float *k, const float *t, float *out, int n, float alpha, float beta, float rho, float nu) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float F = f[i], X = k[i] * 1.1f, T = t[i], b = 1 - beta;
  float fk = powf(F * X, 0.5f * b), l = logf(F / X), z = nu / alpha * fk * l, x = logf((sqrtf(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho));
  float a1 = b * b / 24 * alpha * alpha / (fk * fk), a2 = rho * beta * nu * alpha / (4 * fk), a3 = (2 - 3 * rho * rho) / 24 * nu * nu;
  out[i] = alpha / (fk * (1 + b * b / 24 * l * l + b * b * b * b / 1920 * l * l * l * l)) * (fabsf(z) < 1e-5f ? 1.f : z / x) * (1 + (a1 + a2 + a3) * T);
}
K exposure(const float *rates, const float *strikes, float *out, int paths, int dates, int swaps) {
  int p = blockIdx.x * blockDim.x + threadIdx.x; if (p >= paths) return; float discount = 1, total = 0;
  for (int d = 0; d < dates; d++) { float r = rates[(size_t)d * paths + p] * 0.05f, v = 0; discount *= __expf(-r * 0.25f);
    for (int s = 0; s < swaps; s++) { int left = (s % dates) - d; if (left > 0) v += (r - strikes[s] * 0.05f) * (1 - __expf(-r * 0.25f * left)) / r; }
    total += fmaxf(v, 0.f) * discount; }
  out[p] = total;
}
K crank(const double *vol, double *v, double *cp, int options, int nodes, int steps) {
  int o = blockIdx.x * blockDim.x + threadIdx.x; if (o >= options) return; double s = 0.2 * vol[o];
  for (int t = 0; t < steps; t++) { double prev = 0, below = v[o];
    for (int k = 1; k < nodes - 1; k++) { double a = 0.25 * s * s * k * k, q = 1.0 + 2 * a - a * prev, mid = v[(size_t)k * options + o], r = mid + a * (below - 2 * mid + v[(size_t)(k + 1) * options + o]); below = mid; prev = a / q; cp[(size_t)k * options + o] = prev; v[(size_t)k * options + o] = r / q; }
    for (int k = nodes - 3; k > 0; k--) v[(size_t)k * options + o] += cp[(size_t)k * options + o] * v[(size_t)(k + 1) * options + o]; }
}
// images
K nonlocal(const float *x, float *y, int w, int h, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; if (i < 8 || j < 8 || i >= w - 8 || j >= h - 8) return; float sum = 0, all = 0;
  for (int b = -5; b <= 5; b++) for (int a = -5; a <= 5; a++) { float d = 0;
    for (int q = -2; q <= 2; q++) for (int p = -2; p <= 2; p++) { float e = x[(j + q) * w + i + p] - x[(j + b + q) * w + i + a + p]; d += e * e; }
    float k = __expf(-d * f); sum += k * x[(j + b) * w + i + a]; all += k; }
  y[j * w + i] = sum / all;
}
K hsv(const uchar3 *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; uchar3 c = x[i]; float r = c.x / 255.f, g = c.y / 255.f, b = c.z / 255.f, hi = fmaxf(r, fmaxf(g, b)), lo = fminf(r, fminf(g, b)), d = hi - lo, h = 0;
  if (d > 0) { if (hi == r) h = fmodf((g - b) / d, 6.f); else if (hi == g) h = (b - r) / d + 2; else h = (r - g) / d + 4; }
  out[3 * i] = h * 60.f, out[3 * i + 1] = hi > 0 ? d / hi : 0, out[3 * i + 2] = hi;
}
K dilate(const u8 *x, u8 *y, int w, int h, int r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y; if (i >= w) return; int m = 0;
  for (int k = max(i - r, 0); k <= min(i + r, w - 1); k++) m = max(m, (int)x[(size_t)j * w + k]);
  y[(size_t)j * w + i] = m;
}
K integral_rows(const float *x, float *y, int w, int h) {
  int j = blockIdx.x * blockDim.x + threadIdx.x; if (j >= h) return; float s = 0;
  for (int i = 0; i < w; i++) { s += x[(size_t)j * w + i]; y[(size_t)j * w + i] = s; }
}
// graphs
K warshall(float *d, int n, int k0) {
  __shared__ float a[32][33], b[32][33]; int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 32 + x, i0 = blockIdx.y * 32;
  for (int r = y; r < 32; r += 8) a[r][x] = d[(size_t)(i0 + r) * n + k0 + x], b[r][x] = d[(size_t)(k0 + r) * n + j];
  __syncthreads();
  for (int r = y; r < 32; r += 8) { float m = d[(size_t)(i0 + r) * n + j]; for (int k = 0; k < 32; k++) m = fminf(m, a[r][k] + b[k][x]); d[(size_t)(i0 + r) * n + j] = m; }
}
K components(const int *from, const int *to, int *root, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x; if (e >= edges) return; int a = from[e], b = to[e];
  int x = root[a], y = root[b]; if (x == y) return; if (x < y) atomicMin(&root[y], x); else atomicMin(&root[x], y);
}
// biology
K waterman(const u32 *reads, const u32 *target, int *out, int n, int length) {
  __shared__ signed char score[16]; if (threadIdx.x < 16) score[threadIdx.x] = threadIdx.x % 5 == 0 ? 5 : -4; __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int row[32], best = 0; u32 lo = reads[2 * i], hi = reads[2 * i + 1];
  for (int k = 0; k < 32; k++) row[k] = 0;
  for (int t = 0; t < length; t++) { int c = target[t / 16] >> t % 16 * 2 & 3, diagonal = 0, left = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) { int q = (k < 16 ? lo >> 2 * k : hi >> 2 * (k - 16)) & 3, v = max(max(diagonal + score[c * 4 + q], 0), max(row[k] - 7, left - 7)); diagonal = row[k]; row[k] = left = v; best = max(best, v); } }
  out[i] = best;
}
K minimizers(const u32 *dna, u32 *out, int n, int k, int window) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; u32 best = ~0u; u64 word = 0;
  for (int t = 0; t < window + k; t++) { int at = i + t; word = word << 2 | (dna[at / 16] >> at % 16 * 2 & 3); if (t < k) continue; u32 v = (u32)(word & ((1ull << 2 * k) - 1)); v ^= v >> 16; v *= 0x85ebca6bu; v ^= v >> 13; v *= 0xc2b2ae35u; v ^= v >> 16; best = min(best, v); }
  out[i] = best;
}
K antidiagonal(const u8 *a, const u8 *b, int *out, int length) {
  __shared__ int d[3][260]; const u8 *x = a + (size_t)blockIdx.x * length; int t = threadIdx.x; d[0][t] = d[1][t] = d[2][t] = 0; __syncthreads();
  u8 mine = x[t];
  for (int s = 0; s < 2 * length - 1; s++) { int *p = d[s % 3], *q = d[(s + 1) % 3], *r = d[(s + 2) % 3], j = s - t;
    if (j >= 0 && j < length) r[t + 1] = max(p[t] + (mine == b[j] ? 2 : -1), max(q[t], q[t + 1]) - 1);
    __syncthreads(); }
  out[blockIdx.x * length + t] = d[(2 * length) % 3][t + 1];
}
// cryptography
__device__ __forceinline__ u64 rotl(u64 x, int k) { return x << k | x >> (64 - k); }
K keccak(const u64 *in, u64 *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; u64 s[25];
#pragma unroll
  for (int k = 0; k < 25; k++) s[k] = k < 17 ? in[(size_t)k * n + i] : 0;
  const int turn[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44}, lane[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
  for (int r = 0; r < rounds; r++) { u64 c[5], t;
#pragma unroll
    for (int x = 0; x < 5; x++) c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
    for (int x = 0; x < 5; x++) { t = c[(x + 4) % 5] ^ rotl(c[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5) s[y + x] ^= t; }
    t = s[1];
#pragma unroll
    for (int k = 0; k < 24; k++) { u64 b = s[lane[k]]; s[lane[k]] = rotl(t, turn[k]); t = b; }
#pragma unroll
    for (int y = 0; y < 25; y += 5) { u64 b[5];
#pragma unroll
      for (int x = 0; x < 5; x++) b[x] = s[y + x];
#pragma unroll
      for (int x = 0; x < 5; x++) s[y + x] = b[x] ^ (~b[(x + 1) % 5] & b[(x + 2) % 5]); }
    s[0] ^= 0x8000000080008081ull * (r + 1); }
#pragma unroll
  for (int k = 0; k < 4; k++) out[(size_t)k * n + i] = s[k];
}
K rc4(const u32 *keys, u32 *out, int n, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; u8 s[256]; u32 key = keys[i];
  for (int k = 0; k < 256; k++) s[k] = k;
  for (int k = 0, j = 0; k < 256; k++) { j = (j + s[k] + (key >> k % 4 * 8 & 255)) & 255; u8 t = s[k]; s[k] = s[j]; s[j] = t; }
  int a = 0, b = 0; for (int w = 0; w < words; w++) { u32 v = 0; for (int q = 0; q < 4; q++) { a = (a + 1) & 255; b = (b + s[a]) & 255; u8 t = s[a]; s[a] = s[b]; s[b] = t; v = v << 8 | s[(s[a] + s[b]) & 255]; } out[(size_t)w * n + i] = v; }
}
K romix(const uint4 *pad, uint4 *out, int n, int steps, u32 mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; uint4 x = make_uint4(i, i * 2654435761u, i ^ 0x9e3779b9u, ~i);
  for (int k = 0; k < steps; k++) { uint4 v = pad[(x.x ^ x.z >> 7) & mask]; x.x += v.y ^ k; x.y = (x.y ^ v.x) * 0x01000193u; x.z += x.x << 5 | x.x >> 27; x.w ^= v.w + x.y; x.x ^= x.w << 9 | x.w >> 23; }
  out[i] = x;
}
// compression
K matches(const u8 *text, const int *head, int *out, int n, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + most + 4 > n) return; u32 w = text[i] | text[i + 1] << 8 | text[i + 2] << 16 | text[i + 3] << 24;
  int at = head[(w * 2654435761u) >> 16] % (i + 1), l = 0; while (l < most && text[at + l] == text[i + l]) l++;
  out[i] = l << 20 | ((i - at) & 0xfffff);
}
K deltas(const int *x, int *y, int n) {
  __shared__ int s[8]; int i = blockIdx.x * 1024 + threadIdx.x * 4, lane = threadIdx.x & 31, warp = threadIdx.x >> 5; int4 v = *(const int4 *)(x + i); v.y += v.x; v.z += v.y; v.w += v.z; int t = v.w;
  for (int k = 1; k < 32; k <<= 1) { int u = __shfl_up_sync(~0u, t, k); if (lane >= k) t += u; } if (lane == 31) s[warp] = t; __syncthreads();
  int base = t - v.w; for (int k = 0; k < warp; k++) base += s[k]; v.x += base; v.y += base; v.z += base; v.w += base; *(int4 *)(y + i) = v;
}
K zigzag(const u8 *x, short *y, int w) {
  __shared__ float t[8][8][9]; int b = threadIdx.z, i = threadIdx.x, j = threadIdx.y, bx = blockIdx.x * 8 + b, by = blockIdx.y; t[b][j][i] = x[(size_t)(by * 8 + j) * w + bx * 8 + i] - 128.f; __syncthreads();
  float v = 0; for (int k = 0; k < 8; k++) v += t[b][j][k] * __cosf(0.19634954f * (2 * k + 1) * i); __syncthreads(); t[b][j][i] = v; __syncthreads();
  v = 0; for (int k = 0; k < 8; k++) v += t[b][k][i] * __cosf(0.19634954f * (2 * k + 1) * j); int d = i + j, at = d < 8 ? d * (d + 1) / 2 + (d & 1 ? j : i) : 64 - (15 - d) * (16 - d) / 2 + (d & 1 ? 7 - i : 7 - j);
  y[((size_t)by * (w / 8) + bx) * 64 + (at & 63)] = (short)(v / (8 + i + j));
}
// learning
K entropy(const __half *x, const int *label, __half *grad, float *loss, int vocabulary) {
  __shared__ float s[32]; const __half *row = x + (size_t)blockIdx.x * vocabulary; float m = -1e30f, l = 0;
  for (int c = threadIdx.x; c < vocabulary; c += blockDim.x) { float v = __half2float(row[c]); if (v > m) { l *= __expf(m - v); m = v; } l += __expf(v - m); }
  for (int k = 16; k; k >>= 1) { float a = __shfl_xor_sync(~0u, m, k), b = __shfl_xor_sync(~0u, l, k), w = fmaxf(m, a); l = l * __expf(m - w) + b * __expf(a - w); m = w; }
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m + __logf(l); __syncthreads(); float z = -1e30f; for (int k = 0; k < blockDim.x / 32; k++) { float a = s[k], w = fmaxf(z, a); z = w + __logf(__expf(z - w) + __expf(a - w)); }
  for (int c = threadIdx.x; c < vocabulary; c += blockDim.x) grad[(size_t)blockIdx.x * vocabulary + c] = __float2half(__expf(__half2float(row[c]) - z) - (c == label[blockIdx.x] ? 1.f : 0.f));
  if (threadIdx.x == 0) loss[blockIdx.x] = z - __half2float(row[label[blockIdx.x]]);
}
K rotary_cache(const __half *q, const int *slot, __half *cache, int heads, int positions) {
  int t = blockIdx.x, i = threadIdx.x; for (int h = threadIdx.y; h < heads; h += blockDim.y) { const __half *p = q + ((size_t)t * heads + h) * 128; float a = __half2float(p[i]), b = __half2float(p[i + 64]), s, c; sincosf((t % positions) * exp2f(-0.2076f * i), &s, &c);
    __half *o = cache + ((size_t)slot[t] * heads + h) * 128; o[i] = __float2half(a * c - b * s); o[i + 64] = __float2half(a * s + b * c); }
}
K bags(const float *table, const int *id, const int *begin, float *out, int width) {
  int b = blockIdx.x, c = threadIdx.x; float v = 0; for (int k = begin[b]; k < begin[b + 1]; k++) v += table[(size_t)id[k] * width + c]; out[(size_t)b * width + c] = v;
}
K int4_matvec(const u32 *w, const __half *scale, const float *x, float *y, int rows, int cols) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x & 31; if (row >= rows) return; float v = 0;
  for (int c = lane; c < cols / 8; c += 32) { u32 q = w[(size_t)row * (cols / 8) + c]; float s = __half2float(scale[(size_t)row * (cols / 128) + c / 16]), d = 0; const float *p = x + c * 8;
#pragma unroll
    for (int k = 0; k < 8; k++) d += p[k] * ((int)(q >> 4 * k & 15) - 8);
    v += s * d; }
  for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(~0u, v, k); if (lane == 0) y[row] = v;
}
K topk(const float *x, float *out, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31; float best[8];
#pragma unroll
  for (int k = 0; k < 8; k++) best[k] = -1e30f;
  for (int c = lane; c < cols; c += 32) { float v = x[(size_t)row * cols + c];
#pragma unroll
    for (int k = 0; k < 8; k++) if (v > best[k]) { float t = best[k]; best[k] = v; v = t; } }
  for (int k = 0; k < 8; k++) { float m = best[0]; for (int s = 16; s; s >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, s)); if (best[0] == m) {
#pragma unroll
      for (int j = 0; j < 7; j++) best[j] = best[j + 1];
      best[7] = -1e30f; } if (lane == 0) out[(size_t)row * 8 + k] = m; }
}
K suppress(const float4 *box, u64 *mask, int n, float limit) {
  __shared__ float4 s[64]; int r = blockIdx.y * 64 + threadIdx.x, c0 = blockIdx.x * 64; s[threadIdx.x] = box[c0 + threadIdx.x]; __syncthreads(); float4 a = box[r]; u64 m = 0;
  for (int k = 0; k < 64; k++) { float4 b = s[k]; float w = fminf(a.x + a.z, b.x + b.z) - fmaxf(a.x, b.x), h = fminf(a.y + a.w, b.y + b.w) - fmaxf(a.y, b.y), i = fmaxf(w, 0.f) * fmaxf(h, 0.f); if (i / (a.z * a.w + b.z * b.w - i) > limit) m |= 1ull << k; }
  mask[(size_t)r * (n / 64) + blockIdx.x] = m;
}
K selective_scan(const float *x, const float *delta, const float *A, const float *B, const float *C, float *y, int time, int channels) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y; float h[16], a[16];
#pragma unroll
  for (int k = 0; k < 16; k++) h[k] = 0, a[k] = -A[c * 16 + k];
  for (int t = 0; t < time; t++) { size_t p = ((size_t)b * time + t) * channels + c, q = ((size_t)b * time + t) * 16; float d = delta[p], u = x[p] * d, s = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) { h[k] = h[k] * __expf(d * a[k]) + u * B[q + k]; s += h[k] * C[q + k]; }
    y[p] = s; }
}
K adjoint_scatter(const float *sino, const float *angle, float *image, int bins, int angles, int side) {
  int b = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y; if (b >= bins) return; float s, c, v = sino[t * bins + b]; __sincosf(angle[t] * t * 0.02f, &s, &c);
  for (int k = 0; k < side; k++) { float u = k - side * 0.5f, x = (b - bins * 0.5f) * c - u * s + side * 0.5f, y = (b - bins * 0.5f) * s + u * c + side * 0.5f; int i = (int)x, j = (int)y; if (i >= 0 && j >= 0 && i < side && j < side) atomicAdd(&image[j * side + i], v); }
}
