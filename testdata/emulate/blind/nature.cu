#include <stdint.h>
// likelihoods of a node of a tree of species from its two children: four letters, four rates, a site and rate by each work-item
__global__ void pruning(const float4 *__restrict__ left, const float4 *__restrict__ right, const float *__restrict__ p, const float *__restrict__ q, float4 *__restrict__ out, int sites) {
  __shared__ float a[4][16], b[4][16];
  int tid = threadIdx.y * 4 + threadIdx.x;
  if (tid < 64) { a[tid / 16][tid % 16] = p[tid]; b[tid / 16][tid % 16] = q[tid]; }
  __syncthreads();
  int site = blockIdx.x * blockDim.y + threadIdx.y, rate = threadIdx.x;
  if (site >= sites) return;
  float4 l = left[(size_t)site * 4 + rate], r = right[(size_t)site * 4 + rate];
  const float *m = a[rate], *k = b[rate];
  float4 v;
  v.x = (m[0] * l.x + m[1] * l.y + m[2] * l.z + m[3] * l.w) * (k[0] * r.x + k[1] * r.y + k[2] * r.z + k[3] * r.w);
  v.y = (m[4] * l.x + m[5] * l.y + m[6] * l.z + m[7] * l.w) * (k[4] * r.x + k[5] * r.y + k[6] * r.z + k[7] * r.w);
  v.z = (m[8] * l.x + m[9] * l.y + m[10] * l.z + m[11] * l.w) * (k[8] * r.x + k[9] * r.y + k[10] * r.z + k[11] * r.w);
  v.w = (m[12] * l.x + m[13] * l.y + m[14] * l.z + m[15] * l.w) * (k[12] * r.x + k[13] * r.y + k[14] * r.z + k[15] * r.w);
  out[(size_t)site * 4 + rate] = v;
}

// how atoms scatter by Debye's sum, a momentum by each work-group
__global__ void debye(const float4 *__restrict__ atom, float *__restrict__ out, int n, float step) {
  __shared__ float part[8];
  float k = (blockIdx.x + 1) * step, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float4 a = atom[i];
    for (int j = 0; j < n; j++) {
      float4 b = atom[j];
      float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, kr = k * sqrtf(dx * dx + dy * dy + dz * dz + 1e-8f);
      sum += a.w * b.w * __sinf(kr) / kr;
    }
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { for (int w = 1; w < 8; w++) sum += part[w]; out[blockIdx.x] = sum; }
}

// the nearest of some stations on a sphere
__global__ void nearest_station(const float2 *__restrict__ place, const float2 *__restrict__ station, int *__restrict__ which, float *__restrict__ far, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = place[i];
  float c = cosf(p.y), best = 1e30f;
  int at = 0;
  for (int j = 0; j < m; j++) {
    float2 s = station[j];
    float u = __sinf(0.5f * (s.y - p.y)), v = __sinf(0.5f * (s.x - p.x)), h = u * u + c * __cosf(s.y) * v * v;
    if (h < best) { best = h; at = j; }
  }
  which[i] = at;
  far[i] = 12742.f * asinf(fminf(sqrtf(best), 1.f));
}

// places on a map as one number of interleaved bits
__device__ __forceinline__ uint64_t spread(uint32_t v) {
  uint64_t x = v;
  x = (x | x << 16) & 0x0000ffff0000ffffull; x = (x | x << 8) & 0x00ff00ff00ff00ffull; x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x << 2) & 0x3333333333333333ull; x = (x | x << 1) & 0x5555555555555555ull;
  return x;
}
__global__ void geohash(const float2 *__restrict__ place, uint64_t *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = place[i];
  uint32_t x = (uint32_t)((p.x + 180.f) / 360.f * 4294967040.f), y = (uint32_t)((p.y + 90.f) / 180.f * 4294967040.f);
  out[i] = spread(x) | spread(y) << 1;
}

// water of small depth that flows between cells, by the flux of Lax and Friedrichs
__global__ void shallow(const float *__restrict__ h, const float *__restrict__ u, const float *__restrict__ v, float *__restrict__ oh, float *__restrict__ ou, float *__restrict__ ov, int w, int rows, float k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= rows - 1) return;
  int i = y * w + x, e = i + 1, q = i - 1, s = i + w, n = i - w;
  float he = h[e], hq = h[q], hs = h[s], hn = h[n], ue = u[e], uq = u[q], us = u[s], un = u[n], ve = v[e], vq = v[q], vs = v[s], vn = v[n];
  oh[i] = 0.25f * (he + hq + hs + hn) - k * (ue - uq + vs - vn);
  ou[i] = 0.25f * (ue + uq + us + un) - k * (ue * ue / he + 4.905f * he * he - uq * uq / hq - 4.905f * hq * hq + us * vs / hs - un * vn / hn);
  ov[i] = 0.25f * (ve + vq + vs + vn) - k * (ue * ve / he - uq * vq / hq + vs * vs / hs + 4.905f * hs * hs - vn * vn / hn - 4.905f * hn * hn);
}
