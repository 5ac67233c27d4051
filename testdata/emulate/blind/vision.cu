#include <stdint.h>
// local binary patterns of bytes
__global__ void lbp(const uint8_t *__restrict__ in, uint8_t *__restrict__ out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const uint8_t *p = in + (size_t)y * w + x;
  int c = p[0], code = 0;
  code |= (p[-w - 1] >= c) << 0; code |= (p[-w] >= c) << 1; code |= (p[-w + 1] >= c) << 2; code |= (p[1] >= c) << 3;
  code |= (p[w + 1] >= c) << 4; code |= (p[w] >= c) << 5; code |= (p[w - 1] >= c) << 6; code |= (p[-1] >= c) << 7;
  out[(size_t)y * w + x] = (uint8_t)code;
}

// contrast by four tables of neighbouring tiles, mixed
__global__ void clahe(const uint8_t *__restrict__ in, const uint8_t *__restrict__ tables, uint8_t *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float fx = (x + 0.5f) / 64.f - 0.5f, fy = (y + 0.5f) / 64.f - 0.5f;
  int tx = (int)floorf(fx), ty = (int)floorf(fy), nx = w / 64, ny = h / 64;
  float ax = fx - tx, ay = fy - ty;
  int x0 = max(tx, 0), x1 = min(tx + 1, nx - 1), y0 = max(ty, 0), y1 = min(ty + 1, ny - 1);
  int v = in[(size_t)y * w + x];
  float top = (1 - ax) * tables[(y0 * nx + x0) * 256 + v] + ax * tables[(y0 * nx + x1) * 256 + v];
  float bottom = (1 - ax) * tables[(y1 * nx + x0) * 256 + v] + ax * tables[(y1 * nx + x1) * 256 + v];
  out[(size_t)y * w + x] = (uint8_t)((1 - ay) * top + ay * bottom + 0.5f);
}

// colours from the mosaic of a sensor, two by two
__global__ void demosaic(const uint16_t *__restrict__ raw, float *__restrict__ rgb, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  int xl = max(x - 1, 0), xr = min(x + 1, w - 1), yu = max(y - 1, 0), yd = min(y + 1, h - 1);
  float c = raw[y * w + x], l = raw[y * w + xl], r = raw[y * w + xr], u = raw[yu * w + x], d = raw[yd * w + x];
  float diagonal = 0.25f * (raw[yu * w + xl] + raw[yu * w + xr] + raw[yd * w + xl] + raw[yd * w + xr]);
  float cross = 0.25f * (l + r + u + d), red, green, blue;
  if ((y & 1) == 0) {
    if ((x & 1) == 0) { red = c; green = cross; blue = diagonal; }
    else { red = 0.5f * (l + r); green = c; blue = 0.5f * (u + d); }
  } else {
    if ((x & 1) == 0) { red = 0.5f * (u + d); green = c; blue = 0.5f * (l + r); }
    else { red = diagonal; green = cross; blue = c; }
  }
  size_t at = 3 * ((size_t)y * w + x);
  rgb[at] = red; rgb[at + 1] = green; rgb[at + 2] = blue;
}

// the shift of the right picture with the least difference of 5 by 5 places, of 32 shifts
__global__ void stereo(const uint8_t *__restrict__ left, const uint8_t *__restrict__ right, uint8_t *__restrict__ out, int w, int h) {
  __shared__ uint8_t a[12][36], b[12][68];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, tid = threadIdx.y * 32 + threadIdx.x;
  for (int k = tid; k < 12 * 36; k += 256) {
    int y = min(max(y0 + k / 36 - 2, 0), h - 1), x = min(max(x0 + k % 36 - 2, 0), w - 1);
    a[k / 36][k % 36] = left[y * w + x];
  }
  for (int k = tid; k < 12 * 68; k += 256) {
    int y = min(max(y0 + k / 68 - 2, 0), h - 1), x = min(max(x0 + k % 68 - 34, 0), w - 1);
    b[k / 68][k % 68] = right[y * w + x];
  }
  __syncthreads();
  int best = 1 << 30, shift = 0;
  for (int s = 0; s < 32; s++) {
    int sum = 0;
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
      for (int dx = 0; dx < 5; dx++) sum += abs((int)a[threadIdx.y + dy][threadIdx.x + dx] - (int)b[threadIdx.y + dy][threadIdx.x + dx + 32 - s]);
    if (sum < best) { best = sum; shift = s; }
  }
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = (uint8_t)shift;
}

// the nearest of m descriptors of 256 bits for each of n
__global__ void match_bits(const uint4 *__restrict__ a, const uint4 *__restrict__ b, int *__restrict__ which, int n, int m) {
  __shared__ uint4 tile[128][2];
  int i = blockIdx.x * 128 + threadIdx.x;
  uint4 p = a[2 * i], q = a[2 * i + 1];
  int best = 257, at = -1;
  for (int j0 = 0; j0 < m; j0 += 128) {
    tile[threadIdx.x][0] = b[2 * (j0 + threadIdx.x)];
    tile[threadIdx.x][1] = b[2 * (j0 + threadIdx.x) + 1];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; j++) {
      uint4 r = tile[j][0], s = tile[j][1];
      int d = __popc(p.x ^ r.x) + __popc(p.y ^ r.y) + __popc(p.z ^ r.z) + __popc(p.w ^ r.w) + __popc(q.x ^ s.x) + __popc(q.y ^ s.y) + __popc(q.z ^ s.z) + __popc(q.w ^ s.w);
      if (d < best) { best = d; at = j0 + j; }
    }
    __syncthreads();
  }
  which[i] = at;
}

// one round of labels that spread to neighbours of the same value, with an atomic minimum at the root
__global__ void hook(const uint8_t *__restrict__ in, int *__restrict__ label, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  int i = y * w + x, v = in[i], l = label[i], least = l;
  if (x > 0 && in[i - 1] == v) least = min(least, label[i - 1]);
  if (x < w - 1 && in[i + 1] == v) least = min(least, label[i + 1]);
  if (y > 0 && in[i - w] == v) least = min(least, label[i - w]);
  if (y < h - 1 && in[i + w] == v) least = min(least, label[i + w]);
  if (least < l) atomicMin(&label[l], least);
}
