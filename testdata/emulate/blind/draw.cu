#include <stdint.h>
// blocks of 4 by 4 pixels in 8 bytes: two ends along the box of colours, 2 bits for each pixel
__global__ void bc1(const uchar4 *__restrict__ in, uint2 *__restrict__ out, int w, int h) {
  int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y * blockDim.y + threadIdx.y;
  if (4 * bx >= w || 4 * by >= h) return;
  uchar4 p[16];
  int lo[3] = {255, 255, 255}, hi[3] = {0, 0, 0};
#pragma unroll
  for (int k = 0; k < 16; k++) {
    p[k] = in[(size_t)(4 * by + k / 4) * w + 4 * bx + k % 4];
    lo[0] = min(lo[0], p[k].x); lo[1] = min(lo[1], p[k].y); lo[2] = min(lo[2], p[k].z);
    hi[0] = max(hi[0], p[k].x); hi[1] = max(hi[1], p[k].y); hi[2] = max(hi[2], p[k].z);
  }
  uint32_t c0 = (hi[0] >> 3) << 11 | (hi[1] >> 2) << 5 | hi[2] >> 3, c1 = (lo[0] >> 3) << 11 | (lo[1] >> 2) << 5 | lo[2] >> 3, bits = 0;
  int dr = hi[0] - lo[0], dg = hi[1] - lo[1], db = hi[2] - lo[2], len = dr * dr + dg * dg + db * db;
  float inv = len ? 3.f / len : 0.f;
#pragma unroll
  for (int k = 0; k < 16; k++) {
    int d = (p[k].x - lo[0]) * dr + (p[k].y - lo[1]) * dg + (p[k].z - lo[2]) * db, q = (int)(d * inv + 0.5f);
    uint32_t code = q == 3 ? 0 : q == 0 ? 1 : q == 2 ? 2 : 3;
    bits |= code << 2 * k;
  }
  out[(size_t)by * (w / 4) + bx] = make_uint2(c0 | c1 << 16, bits);
}

// occlusion in screen space: 16 samples of a spiral around each pixel, turned by its place
__global__ void occlusion(const float *__restrict__ depth, const float4 *__restrict__ normal, float *__restrict__ out, int w, int h, float radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float z = depth[y * w + x], sum = 0, turn = 0.3926990817f * ((3 * x ^ y + x * y) & 15);
  float4 n = normal[y * w + x];
#pragma unroll 4
  for (int k = 0; k < 16; k++) {
    float a = (k + 0.5f) / 16.f, c, s;
    __sincosf(a * 43.98229715f + turn, &s, &c);
    int sx = min(max(x + (int)(c * a * radius), 0), w - 1), sy = min(max(y + (int)(s * a * radius), 0), h - 1);
    float dz = depth[sy * w + sx] - z, vx = (sx - x) * 0.01f, vy = (sy - y) * 0.01f;
    float vv = vx * vx + vy * vy + dz * dz, vn = vx * n.x + vy * n.y + dz * n.z, f = fmaxf(1.f - vv, 0.f);
    sum += f * f * f * fmaxf((vn - 0.01f) / (0.01f + vv), 0.f);
  }
  out[y * w + x] = fmaxf(0.f, 1.f - sum * (5.f / 16.f));
}
