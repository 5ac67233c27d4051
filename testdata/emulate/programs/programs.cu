// Kernels as they stand in programs of many kinds, several sizes each.
#include <cuda_fp16.h>
#include <mma.h>
#define K extern "C" __global__ void
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8;
__device__ __forceinline__ u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
// joins
K join_build(const u32 *__restrict__ key, u32 *table, int n, u32 mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    u32 k = key[i] | 1, at = mix(k) & mask;
    for (int tries = 0; tries < 64; tries++, at = (at + 1) & mask) { u32 old = atomicCAS(&table[at], 0u, k); if (old == 0 || old == k) break; } }
}
K join_probe(const u32 *__restrict__ key, const u32 *__restrict__ table, int *out, int n, u32 mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; u32 k = key[i] | 1, at = mix(k) & mask; int found = -1;
  for (int tries = 0; tries < 32; tries++, at = (at + 1) & mask) { u32 v = table[at]; if (v == k) { found = at; break; } if (v == 0) break; }
  out[i] = found;
}
// suffixes
K suffix_keys(const int *__restrict__ suffix, const int *__restrict__ rank, u64 *out, int n, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int s = suffix[i];
  u32 a = rank[s], b = s + h < n ? rank[s + h] + 1 : 0; out[i] = (u64)a << 32 | b;
}
K suffix_ranks(const u64 *__restrict__ pair, const int *__restrict__ suffix, int *flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; flag[suffix[i]] = i == 0 || pair[i] != pair[i - 1];
}
// particles
K deposit_charge(const float2 *__restrict__ place, const int *__restrict__ order, float *grid, int n, int side) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float2 p = place[order[i]];
  float x = p.x * (side - 2), y = p.y * (side - 2); int a = (int)x, b = (int)y; float u = x - a, v = y - b; float *g = grid + b * side + a;
  atomicAdd(g, (1 - u) * (1 - v)); atomicAdd(g + 1, u * (1 - v)); atomicAdd(g + side, (1 - u) * v); atomicAdd(g + side + 1, u * v);
}
K push_particles(float2 *place, float2 *speed, const float2 *__restrict__ field, int n, int side, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float2 p = place[i], v = speed[i];
  float x = p.x * (side - 2), y = p.y * (side - 2); int a = (int)x, b = (int)y; float s = x - a, t = y - b; const float2 *f = field + b * side + a;
  float2 q = f[0], r = f[1], c = f[side], d = f[side + 1];
  v.x += dt * ((1 - t) * ((1 - s) * q.x + s * r.x) + t * ((1 - s) * c.x + s * d.x)); v.y += dt * ((1 - t) * ((1 - s) * q.y + s * r.y) + t * ((1 - s) * c.y + s * d.y));
  p.x += dt * v.x; p.y += dt * v.y; p.x -= floorf(p.x); p.y -= floorf(p.y); place[i] = p; speed[i] = v;
}
// trees of boxes
K tree_hits(const float4 *__restrict__ low, const float4 *__restrict__ high, const float *__restrict__ ray, int *out, int n, int levels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float x = ray[2 * i], y = ray[2 * i + 1]; int stack[24], top = 0, hits = 0; stack[top++] = 1;
  while (top) { int k = stack[--top]; float4 a = low[k], b = high[k]; if (x < a.x || x > b.x || y < a.y || y > b.y) continue;
    if (k >> (levels - 1)) hits++; else { stack[top++] = 2 * k + 1; stack[top++] = 2 * k; } }
  out[i] = hits;
}
// sparse systems
K level_solve(const int *__restrict__ begin, const int *__restrict__ col, const float *__restrict__ val, const int *__restrict__ rows, const float *__restrict__ b, float *x, int first, int n) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; if (w >= n) return; int r = rows[first + w]; float s = 0, d = 1;
  for (int k = begin[r] + lane; k < begin[r + 1]; k += 32) s += val[k] * x[col[k]];
  for (int k = 16; k; k >>= 1) s += __shfl_down_sync(~0u, s, k);
  if (lane == 0) { d += val[begin[r]]; x[r] = (b[r] - s) / d; }
}
K rows_by_warps(const int *__restrict__ begin, const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *y, int n) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; if (w >= n) return; float s = 0;
  for (int k = begin[w] + lane; k < begin[w + 1]; k += 32) s += val[k] * x[col[k]];
  for (int k = 16; k; k >>= 1) s += __shfl_xor_sync(~0u, s, k);
  if (lane == 0) y[w] = s;
}
// breadth first
K bfs_push(const int *__restrict__ begin, const int *__restrict__ to, const int *__restrict__ frontier, int *level, int *next, int *count, int n, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int v = frontier[i];
  for (int k = begin[v]; k < begin[v + 1]; k++) { int u = to[k]; if (level[u] == 0 && atomicCAS(&level[u], 0, depth) == 0) next[atomicAdd(count, 1)] = u; }
}
K bfs_pull(const int *__restrict__ begin, const int *__restrict__ to, const u32 *__restrict__ seen, u32 *grown, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x; bool hit = false;
  if (v < n && !(seen[v >> 5] >> (v & 31) & 1)) for (int k = begin[v]; k < begin[v + 1] && !hit; k++) { int u = to[k]; hit = seen[u >> 5] >> (u & 31) & 1; }
  u32 all = __ballot_sync(~0u, hit); if ((threadIdx.x & 31) == 0 && v < n) grown[v >> 5] = all;
}
// equalisation
K equal_count(const u32 *__restrict__ image, u32 *bins, int n) {
  __shared__ u32 s[256]; for (int k = threadIdx.x; k < 256; k += blockDim.x) s[k] = 0; __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { u32 v = image[i]; atomicAdd(&s[v & 255], 1u); atomicAdd(&s[v >> 8 & 255], 1u); atomicAdd(&s[v >> 16 & 255], 1u); atomicAdd(&s[v >> 24], 1u); }
  __syncthreads(); for (int k = threadIdx.x; k < 256; k += blockDim.x) if (s[k]) atomicAdd(&bins[k], s[k]);
}
K equal_apply(const uchar4 *__restrict__ image, const float *__restrict__ table, uchar4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; uchar4 v = image[i];
  v.x = (u8)(255.f * table[v.x]); v.y = (u8)(255.f * table[v.y]); v.z = (u8)(255.f * table[v.z]); v.w = (u8)(255.f * table[v.w]); out[i] = v;
}
// small dense systems
K lu_registers(const double *__restrict__ a, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; double m[6][6];
#pragma unroll
  for (int r = 0; r < 6; r++)
#pragma unroll
    for (int c = 0; c < 6; c++) m[r][c] = a[(size_t)(6 * r + c) * n + i] + (r == c ? 4.0 : 0.0);
#pragma unroll
  for (int k = 0; k < 6; k++) { double inv = 1.0 / m[k][k];
#pragma unroll
    for (int r = k + 1; r < 6; r++) { m[r][k] *= inv;
#pragma unroll
      for (int c = k + 1; c < 6; c++) m[r][c] -= m[r][k] * m[k][c]; } }
#pragma unroll
  for (int r = 0; r < 6; r++)
#pragma unroll
    for (int c = 0; c < 6; c++) out[(size_t)(6 * r + c) * n + i] = m[r][c];
}
K lu_warps(const float *__restrict__ a, float *out, int n) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31; if (w >= n) return; const float *p = a + (size_t)w * 1024; float row[32];
#pragma unroll
  for (int c = 0; c < 32; c++) row[c] = p[c * 32 + lane] + (c == lane ? 40.f : 0.f);
#pragma unroll
  for (int k = 0; k < 32; k++) { float pivot = __shfl_sync(~0u, row[k], k), f = lane > k ? row[k] / pivot : 0.f; if (lane > k) row[k] = f;
#pragma unroll
    for (int c = k + 1; c < 32; c++) { float u = __shfl_sync(~0u, row[c], k); row[c] -= f * u; } }
#pragma unroll
  for (int c = 0; c < 32; c++) out[(size_t)w * 1024 + c * 32 + lane] = row[c];
}
// wavelets
K lift_rows(const float *__restrict__ x, float *y, int w) {
  extern __shared__ float s[]; const float *row = x + (size_t)blockIdx.x * w; float *o = y + (size_t)blockIdx.x * w; int t = threadIdx.x, h = w / 2;
  for (int k = t; k < w; k += blockDim.x) s[k] = row[k]; __syncthreads();
  for (int k = t; k < h; k += blockDim.x) { float r = k + 1 < h ? s[2 * k + 2] : s[2 * k]; s[2 * k + 1] -= 0.5f * (s[2 * k] + r); } __syncthreads();
  for (int k = t; k < h; k += blockDim.x) { float l = k ? s[2 * k - 1] : s[1]; float e = s[2 * k] + 0.25f * (l + s[2 * k + 1]); o[k] = e; o[h + k] = s[2 * k + 1]; }
}
K lift_columns(const float *__restrict__ x, float *y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= w) return; float before = 0, e = x[i];
  for (int j = 0; j < h / 2; j++) { float o = x[(size_t)(2 * j + 1) * w + i], next = 2 * j + 2 < h ? x[(size_t)(2 * j + 2) * w + i] : e; float d = o - 0.5f * (e + next); y[(size_t)j * w + i] = e + 0.25f * (before + d); y[(size_t)(h / 2 + j) * w + i] = d; before = d; e = next; }
}
// decoders
K viterbi(const float2 *__restrict__ symbol, u32 *out, int steps) {
  __shared__ float m[2][64]; int s = threadIdx.x, a = s >> 1, b = a + 32; m[0][s] = s ? 1e9f : 0; __syncthreads();
  float ea = __popc(s & 0x6d) & 1 ? 1.f : -1.f, eb = __popc(s & 0x4f) & 1 ? 1.f : -1.f; u32 word = 0; const float2 *p = symbol + (size_t)blockIdx.x * steps;
  for (int t = 0; t < steps; t++) { float2 v = p[t]; float c = v.x * ea + v.y * eb, x = m[t & 1][a] + c, y = m[t & 1][b] - c; m[~t & 1][s] = fminf(x, y); word = word << 1 | (y < x); if ((t & 31) == 31) out[((size_t)blockIdx.x * (steps / 32) + t / 32) * 64 + s] = word; __syncthreads(); }
}
// clusters of points
K nearest_centre(const float *__restrict__ point, const float *__restrict__ centre, int *out, int n, int clusters, int dims) {
  extern __shared__ float c[]; for (int k = threadIdx.x; k < clusters * dims; k += blockDim.x) c[k] = centre[k]; __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float best = 1e30f; int at = 0;
  for (int k = 0; k < clusters; k++) { float d = 0; for (int j = 0; j < dims; j++) { float e = point[(size_t)j * n + i] - c[k * dims + j]; d += e * e; } if (d < best) { best = d; at = k; } }
  out[i] = at;
}
K sum_centres(const float *__restrict__ point, const int *__restrict__ label, float *sum, int *count, int n, int dims, int clusters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int k = label[i] & (clusters - 1); atomicAdd(&count[k], 1);
  for (int j = 0; j < dims; j++) atomicAdd(&sum[k * dims + j], point[(size_t)j * n + i]);
}
// points of low discrepancy
K sobol(const u32 *__restrict__ direction, float *out, int n, int dims) {
  __shared__ u32 v[32]; int d = blockIdx.y; if (threadIdx.x < 32) v[threadIdx.x] = direction[d * 32 + threadIdx.x]; __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { u32 g = i ^ i >> 1, x = 0; for (int k = 0; k < 32; k++) if (g >> k & 1) x ^= v[k]; out[(size_t)d * n + i] = x * 2.3283064e-10f; }
}
K halton(float *out, int n, int base) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float f = 1, r = 0; int k = i + 1; while (k) { f /= base; r += f * (k % base); k /= base; } out[i] = r;
}
// updates after scans
K add_offsets(float4 *x, const float *__restrict__ sum, int n) {
  __shared__ float o; if (threadIdx.x == 0) o = sum[blockIdx.x]; __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float4 v = x[i]; v.x += o; v.y += o; v.z += o; v.w += o; x[i] = v;
}
K add_offsets_twice(float *x, const float *__restrict__ sum, int n) {
  float o = sum[blockIdx.x]; int i = 2 * blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += o; if (i + blockDim.x < n) x[i + blockDim.x] += o;
}
// Walsh and Hadamard
K walsh_shared(const float *__restrict__ x, float *y, int bits) {
  extern __shared__ float s[]; int n = 1 << bits; const float *p = x + ((size_t)blockIdx.x << bits); float *q = y + ((size_t)blockIdx.x << bits);
  for (int k = threadIdx.x; k < n; k += blockDim.x) s[k] = p[k];
  for (int h = 1; h < n; h <<= 1) { __syncthreads(); for (int k = threadIdx.x; k < n / 2; k += blockDim.x) { int i = (k & ~(h - 1)) << 1 | (k & (h - 1)); float a = s[i], b = s[i + h]; s[i] = a + b; s[i + h] = a - b; } }
  __syncthreads(); for (int k = threadIdx.x; k < n; k += blockDim.x) q[k] = s[k];
}
K walsh_step(float *x, int n, int h) {
  int k = blockIdx.x * blockDim.x + threadIdx.x; if (k >= n / 4) return; int i = (k / h) * 4 * h + k % h; float a = x[i], b = x[i + h], c = x[i + 2 * h], d = x[i + 3 * h];
  float e = a + b, f = a - b, g = c + d, j = c - d; x[i] = e + g; x[i + h] = f + j; x[i + 2 * h] = e - g; x[i + 3 * h] = f - j;
}
// sums in passes
K sum_pass(const float *__restrict__ x, float *out, int n) {
  __shared__ float s[256]; float v = 0; for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * gridDim.x) { v += x[i]; if (i + 256 < n) v += x[i + 256]; } s[threadIdx.x] = v; __syncthreads();
  for (int k = 128; k; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
K greatest_place(const float *__restrict__ x, float *value, int *place, int n) {
  __shared__ float s[32]; __shared__ int q[32]; float v = -1e30f; int at = 0; for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) { float u = x[i]; if (u > v) { v = u; at = i; } }
  for (int k = 16; k; k >>= 1) { float u = __shfl_down_sync(~0u, v, k); int b = __shfl_down_sync(~0u, at, k); if (u > v) { v = u; at = b; } }
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v, q[threadIdx.x / 32] = at; __syncthreads();
  if (threadIdx.x == 0) { for (int k = 1; k < blockDim.x / 32; k++) if (s[k] > v) v = s[k], at = q[k]; value[blockIdx.x] = v; place[blockIdx.x] = at; }
}
// sums of many groups
K segment_sums(const float *__restrict__ x, float *sum, int n, int per) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float v = i < n ? x[i] : 0; for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k); if ((threadIdx.x & 31) == 0) atomicAdd(&sum[blockIdx.x / per], v);
}
K column_sums(const float *__restrict__ x, float *sum, int w, int h, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r0 = blockIdx.y * rows; if (c >= w) return; float v = 0; for (int r = r0; r < min(r0 + rows, h); r++) v += x[(size_t)r * w + c]; atomicAdd(&sum[c], v);
}
// tensor cores: integers and halves
K product_int8(const int *__restrict__ a, const int *__restrict__ b, int *c, int n) {
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, i0 = blockIdx.y * 64 + warp * 16, j0 = blockIdx.x * 32, w = n / 4; int d[4][4] = {};
  for (int k = 0; k < n; k += 32) { int a0 = a[(i0 + g) * w + k / 4 + t], a1 = a[(i0 + g + 8) * w + k / 4 + t], a2 = a[(i0 + g) * w + k / 4 + t + 4], a3 = a[(i0 + g + 8) * w + k / 4 + t + 4];
#pragma unroll
    for (int j = 0; j < 4; j++) { int b0 = b[(j0 + j * 8 + g) * w + k / 4 + t], b1 = b[(j0 + j * 8 + g) * w + k / 4 + t + 4];
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(d[j][0]), "+r"(d[j][1]), "+r"(d[j][2]), "+r"(d[j][3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); } }
#pragma unroll
  for (int j = 0; j < 4; j++) { int q = j0 + j * 8 + 2 * t; c[(i0 + g) * n + q] = d[j][0]; c[(i0 + g) * n + q + 1] = d[j][1]; c[(i0 + g + 8) * n + q] = d[j][2]; c[(i0 + g + 8) * n + q + 1] = d[j][3]; }
}
K product_wmma(const __half *__restrict__ a, const __half *__restrict__ b, float *c, int n) {
  using namespace nvcuda; __shared__ __half sa[64][40], sb[32][72]; int warp = threadIdx.x / 32, wi = warp / 2, wj = warp % 2; wmma::fragment<wmma::accumulator, 16, 16, 16, float> d[2][2];
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::fill_fragment(d[i][j], 0.f);
  for (int k = 0; k < n; k += 32) { for (int e = threadIdx.x; e < 256; e += 128) { int r = e / 4, q = e % 4 * 8; *(uint4 *)&sa[r][q] = *(const uint4 *)&a[(size_t)(blockIdx.y * 64 + r) * n + k + q]; int u = e / 8, v = e % 8 * 8; *(uint4 *)&sb[u][v] = *(const uint4 *)&b[(size_t)(k + u) * n + blockIdx.x * 64 + v]; }
    __syncthreads();
    for (int s = 0; s < 32; s += 16) { wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2]; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &sa[wi * 32 + i * 16][s], 40), wmma::load_matrix_sync(fb[i], &sb[s][wj * 32 + i * 16], 72);
      for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::mma_sync(d[i][j], fa[i], fb[j], d[i][j]); }
    __syncthreads(); }
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::store_matrix_sync(&c[(size_t)(blockIdx.y * 64 + wi * 32 + i * 16) * n + blockIdx.x * 64 + wj * 32 + j * 16], d[i][j], n, wmma::mem_row_major);
}
// tensor cores: wide types
K product_tf32(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  __shared__ float sa[64][36], sb[32][72]; int warp = threadIdx.x / 32, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3; float d[8][4] = {};
  for (int k = 0; k < n; k += 32) { for (int e = threadIdx.x; e < 512; e += 128) { int r = e / 8, q = e % 8 * 4; *(float4 *)&sa[r][q] = *(const float4 *)&a[(size_t)(blockIdx.y * 64 + r) * n + k + q]; int u = e / 16, v = e % 16 * 4; *(float4 *)&sb[u][v] = *(const float4 *)&b[(size_t)(k + u) * n + blockIdx.x * 64 + v]; }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 32; s += 8) { u32 a0 = __float_as_uint(sa[warp * 16 + g][s + t]), a1 = __float_as_uint(sa[warp * 16 + g + 8][s + t]), a2 = __float_as_uint(sa[warp * 16 + g][s + t + 4]), a3 = __float_as_uint(sa[warp * 16 + g + 8][s + t + 4]);
#pragma unroll
      for (int j = 0; j < 8; j++) { u32 b0 = __float_as_uint(sb[s + t][j * 8 + g]), b1 = __float_as_uint(sb[s + t + 4][j * 8 + g]);
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); } }
    __syncthreads(); }
#pragma unroll
  for (int j = 0; j < 8; j++) { size_t r = (size_t)(blockIdx.y * 64 + warp * 16 + g) * n + blockIdx.x * 64 + j * 8 + 2 * t; *(float2 *)&c[r] = make_float2(d[j][0], d[j][1]); *(float2 *)&c[r + 8 * (size_t)n] = make_float2(d[j][2], d[j][3]); }
}
K product_dmma(const double *__restrict__ a, const double *__restrict__ b, double *c, int n) {
  __shared__ double sa[32][17], sb[16][33]; int warp = threadIdx.x / 32, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3; double d[4][2] = {};
  for (int k = 0; k < n; k += 16) { for (int e = threadIdx.x; e < 512; e += 128) { sa[e / 16][e % 16] = a[(size_t)(blockIdx.y * 32 + e / 16) * n + k + e % 16]; sb[e / 32][e % 32] = b[(size_t)(k + e / 32) * n + blockIdx.x * 32 + e % 32]; }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 16; s += 4) { double x = sa[warp * 8 + g][s + t];
#pragma unroll
      for (int j = 0; j < 4; j++) { double y = sb[s + t][j * 8 + g]; asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(d[j][0]), "+d"(d[j][1]) : "d"(x), "d"(y)); } }
    __syncthreads(); }
#pragma unroll
  for (int j = 0; j < 4; j++) { size_t r = (size_t)(blockIdx.y * 32 + warp * 8 + g) * n + blockIdx.x * 32 + j * 8 + 2 * t; c[r] = d[j][0]; c[r + 1] = d[j][1]; }
}
// pipelines of copies
K piped_rows(const float *__restrict__ a, const float *__restrict__ x, float *y, int cols) {
  __shared__ float4 s[4][128]; const float4 *row = (const float4 *)(a + (size_t)blockIdx.x * cols); int t = threadIdx.x, parts = cols / 512; float v = 0; __shared__ float r[4];
  for (int p = 0; p < 3; p++) { if (p < parts) { u32 to = (u32)__cvta_generic_to_shared(&s[p][t]); asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(row + p * 128 + t)); } asm volatile("cp.async.commit_group;"); }
  for (int p = 0; p < parts; p++) { asm volatile("cp.async.wait_group 2;" ::: "memory"); __syncthreads(); float4 q = s[p & 3][t]; const float4 w = ((const float4 *)x)[p * 128 + t]; v += q.x * w.x + q.y * w.y + q.z * w.z + q.w * w.w;
    if (p + 3 < parts) { u32 to = (u32)__cvta_generic_to_shared(&s[(p + 3) & 3][t]); asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(row + (p + 3) * 128 + t)); } asm volatile("cp.async.commit_group;"); }
  for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(~0u, v, k); if (t % 32 == 0) r[t / 32] = v; __syncthreads(); if (t == 0) y[blockIdx.x] = r[0] + r[1] + r[2] + r[3];
}
K piped_planes(const float *__restrict__ x, float *y, int w, int h, int planes) {
  __shared__ float s[2][10][36]; int i0 = blockIdx.x * 32, j0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
  auto load = [&](int z) { for (int e = t; e < 340; e += 256) { int r = e / 34, q = e % 34, i = min(max(i0 + q - 1, 0), w - 1), j = min(max(j0 + r - 1, 0), h - 1); u32 to = (u32)__cvta_generic_to_shared(&s[z & 1][r][q]); asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + ((size_t)z * h + j) * w + i)); } asm volatile("cp.async.commit_group;"); };
  load(0);
  for (int z = 0; z < planes; z++) { if (z + 1 < planes) { load(z + 1); asm volatile("cp.async.wait_group 1;" ::: "memory"); } else asm volatile("cp.async.wait_group 0;" ::: "memory"); __syncthreads(); float(*p)[36] = s[z & 1];
    y[((size_t)z * h + j0 + ty) * w + i0 + tx] = p[ty + 1][tx + 1] - 0.25f * (p[ty][tx + 1] + p[ty + 2][tx + 1] + p[ty + 1][tx] + p[ty + 1][tx + 2]); __syncthreads(); }
}
// physics in double precision
K euler_flux(const double *__restrict__ rho, const double *__restrict__ mx, const double *__restrict__ my, const double *__restrict__ en, double *out, int w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n - w) return; double f[4] = {}, top = 0;
#pragma unroll
  for (int k = 0; k < 2; k++) { int q = i + k * w; double r = rho[q] + 1, u = mx[q] / r, v = my[q] / r, e = en[q] + 2, p = 0.4 * (e - 0.5 * r * (u * u + v * v)), c = sqrt(1.4 * fmax(p, 1e-6) / r); f[0] += r * v; f[1] += r * u * v; f[2] += r * v * v + p; f[3] += v * (e + p); top = fmax(top, fabs(v) + c); }
#pragma unroll
  for (int k = 0; k < 4; k++) out[(size_t)k * n + i] = 0.5 * f[k] - 0.5 * top * (rho[i + w] - rho[i]);
}
K kepler(const double *__restrict__ mean, const double *__restrict__ ecc, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; double m = mean[i] * 6.28, e = ecc[i] * 0.9, x = m; for (int k = 0; k < 8; k++) { double s, c; sincos(x, &s, &c); double d = (x - e * s - m) / (1 - e * c); x -= d; if (fabs(d) < 1e-12) break; } out[i] = x;
}
K pair_forces(const double4 *__restrict__ body, double4 *force, int n, int reach) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; double4 p = body[i]; double x = 0, y = 0, z = 0; for (int k = 1; k <= reach; k++) { double4 q = body[(i + k) % n]; double a = p.x - q.x, b = p.y - q.y, c = p.z - q.z, r = a * a + b * b + c * c + 1e-3, s = 1 / r, t = s * s * s, f = 24 * s * t * (2 * t - 1); x += f * a; y += f * b; z += f * c; } force[i] = make_double4(x, y, z, 0);
}
// pairs of halves
K heat_halves(const __half2 *__restrict__ x, __half2 *y, int w, int h, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return; const __half2 *p = x + (size_t)j * w + i; __half2 m = p[0], l = __halves2half2(__high2half(p[-1]), __low2half(m)), r = __halves2half2(__high2half(m), __low2half(p[1]));
  __half2 s = __hadd2(__hadd2(p[-w], p[w]), __hadd2(l, r)); y[(size_t)j * w + i] = __hfma2(__float2half2_rn(c), __hfma2(__float2half2_rn(-4.f), m, s), m);
}
K gelu_halves(const __half2 *__restrict__ x, const __half2 *__restrict__ bias, __half2 *y, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float2 v = __half22float2(__hadd2(x[i], bias[i % w])); v.x *= 0.5f * (1 + erff(v.x * 0.70710678f)); v.y *= 0.5f * (1 + erff(v.y * 0.70710678f)); y[i] = __float22half2_rn(v);
}
// runs
K run_ends(const int *__restrict__ x, int *place, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; bool end = i < n && (i == n - 1 || x[i] != x[i + 1]); u32 m = __ballot_sync(~0u, end); int base = 0; if (lane == 0 && m) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (end) place[base + __popc(m & ((1u << lane) - 1))] = i;
}
