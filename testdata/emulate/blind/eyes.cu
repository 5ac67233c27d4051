#include <stdint.h>
// a transform of comparisons: bits of whether the 9 by 7 around are less than the middle
__global__ void census(const uint8_t *__restrict__ in, unsigned long long *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 4 || x >= w - 4 || y < 3 || y >= h - 3) return;
  int c = in[y * w + x];
  unsigned long long bits = 0;
  for (int dy = -3; dy <= 3; dy++)
    for (int dx = -4; dx <= 4; dx++) {
      if (dx == 0 && dy == 0) continue;
      bits = bits << 1 | (in[(y + dy) * w + x + dx] < c);
    }
  out[y * w + x] = bits;
}

// the median of 5 by 5 by forgetting extremes in registers
__device__ __forceinline__ void order(float &a, float &b) { float t = fminf(a, b); b = fmaxf(a, b); a = t; }
__global__ void median25(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float v[25];
#pragma unroll
  for (int k = 0; k < 25; k++) {
    int xx = min(max(x + k % 5 - 2, 0), w - 1), yy = min(max(y + k / 5 - 2, 0), h - 1);
    v[k] = in[yy * w + xx];
  }
#pragma unroll
  for (int i = 0; i < 13; i++)
#pragma unroll
    for (int j = i + 1; j < 25; j++) order(v[i], v[j]);
  out[y * w + x] = v[12];
}

// lines of a picture: each edge votes for 180 angles in a table of the block's own rows
__global__ void hough(const int *__restrict__ edge, const float2 *__restrict__ direction, int *__restrict__ votes, int edges, int rhos) {
  extern __shared__ int row[];
  for (int i = threadIdx.x; i < rhos; i += blockDim.x) row[i] = 0;
  __syncthreads();
  float2 d = direction[blockIdx.x];
  for (int e = threadIdx.x; e < edges; e += blockDim.x) {
    int p = edge[e];
    float r = (p & 1023) * d.x + (p >> 10) * d.y;
    atomicAdd(&row[((int)rintf(r) + rhos / 2) & (rhos - 1)], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < rhos; i += blockDim.x) votes[blockIdx.x * rhos + i] = row[i];
}

// tubes in a volume: eigenvalues of the matrix of second derivatives
__global__ void vessels(const float *__restrict__ v, float *__restrict__ out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  int sy = nx, sz = nx * ny, i = z * sz + y * sy + x;
  float c = 2.f * v[i], a = v[i - 1] + v[i + 1] - c, b = v[i - sy] + v[i + sy] - c, d = v[i - sz] + v[i + sz] - c;
  float ab = 0.25f * (v[i + 1 + sy] - v[i + 1 - sy] - v[i - 1 + sy] + v[i - 1 - sy]);
  float ad = 0.25f * (v[i + 1 + sz] - v[i + 1 - sz] - v[i - 1 + sz] + v[i - 1 - sz]);
  float bd = 0.25f * (v[i + sy + sz] - v[i + sy - sz] - v[i - sy + sz] + v[i - sy - sz]);
  float q = (a + b + d) / 3.f, p1 = ab * ab + ad * ad + bd * bd, aa = a - q, bb = b - q, dd = d - q;
  float p = sqrtf((aa * aa + bb * bb + dd * dd + 2.f * p1) / 6.f) + 1e-12f, ip = 1.f / p;
  aa *= ip; bb *= ip; dd *= ip; ab *= ip; ad *= ip; bd *= ip;
  float r = 0.5f * (aa * (bb * dd - bd * bd) - ab * (ab * dd - bd * ad) + ad * (ab * bd - bb * ad));
  float phi = acosf(fminf(fmaxf(r, -1.f), 1.f)) / 3.f;
  float l1 = q + 2.f * p * cosf(phi), l3 = q + 2.f * p * cosf(phi + 2.0943951f), l2 = 3.f * q - l1 - l3;
  out[i] = l2 < 0 && l3 < 0 ? sqrtf(l2 * l3) * expf(-l1 * l1 * 2.f) : 0.f;
}

// squared distances along columns to the nearest zero: down, then up
__global__ void distance_columns(const uint8_t *__restrict__ mask, int *__restrict__ g, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  int d = 1 << 14;
  for (int y = 0; y < h; y++) {
    d = mask[y * w + x] == 1 ? 0 : d + 1;
    g[y * w + x] = d;
  }
  for (int y = h - 2; y >= 0; y--) {
    int below = g[(y + 1) * w + x] + 1, me = g[y * w + x];
    if (below < me) g[y * w + x] = below;
  }
}
