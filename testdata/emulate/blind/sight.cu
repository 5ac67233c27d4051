#include <stdint.h>
// corners by the segment test: nine neighbours of sixteen on a circle that are all brighter or all darker
__global__ void fast9(const uint8_t *__restrict__ in, uint8_t *__restrict__ out, int w, int h, int least) {
  const int dx[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1}, dy[16] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 3 || y < 3 || x >= w - 3 || y >= h - 3) return;
  int c = in[y * w + x];
  uint32_t bright = 0, dark = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) {
    int v = in[(y + dy[k]) * w + x + dx[k]];
    bright |= (v > c + least) << k;
    dark |= (v < c - least) << k;
  }
  bright |= bright << 16; dark |= dark << 16;
  uint32_t a = bright & bright >> 1, b = dark & dark >> 1;
  a &= a >> 2; b &= b >> 2; a &= a >> 4; b &= b >> 4;
  a &= bright >> 8; b &= dark >> 8;
  out[y * w + x] = (a | b) & 65535 ? 255 : 0;
}

// structural similarity of two pictures: means over 8 x 8 windows by a tile in shared memory
__global__ void ssim(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int w, int h) {
  __shared__ float p[23][40], q[23][40];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, tx = threadIdx.x, ty = threadIdx.y;
  for (int y = ty; y < 23; y += 16)
    for (int x = tx; x < 39; x += 32) {
      int gx = min(x0 + x, w - 1), gy = min(y0 + y, h - 1);
      p[y][x] = a[gy * w + gx];
      q[y][x] = b[gy * w + gx];
    }
  __syncthreads();
  float sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float u = p[ty + j][tx + i], v = q[ty + j][tx + i];
      sa += u; sb += v; saa += u * u; sbb += v * v; sab += u * v;
    }
  float ma = sa / 64, mb = sb / 64, va = saa / 64 - ma * ma, vb = sbb / 64 - mb * mb, c = sab / 64 - ma * mb;
  out[(y0 + ty) * w + x0 + tx] = (2 * ma * mb + 1e-4f) * (2 * c + 9e-4f) / ((ma * ma + mb * mb + 1e-4f) * (va + vb + 9e-4f));
}

// a flow of pixels after Lucas and Kanade: sums of products of gradients over windows of 7 x 7, straight from memory
__global__ void flow(const float *__restrict__ a, const float *__restrict__ b, float2 *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 4 || y < 4 || x >= w - 4 || y >= h - 4) return;
  float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
  for (int j = -3; j <= 3; j++)
    for (int i = -3; i <= 3; i++) {
      int at = (y + j) * w + x + i;
      float gx = 0.5f * (a[at + 1] - a[at - 1]), gy = 0.5f * (a[at + w] - a[at - w]), gt = b[at] - a[at];
      xx += gx * gx; xy += gx * gy; yy += gy * gy; xt += gx * gt; yt += gy * gt;
    }
  float det = xx * yy - xy * xy;
  float2 v = make_float2(0, 0);
  if (det > 1e-6f) { v.x = (xy * yt - yy * xt) / det; v.y = (xy * xt - xx * yt) / det; }
  out[y * w + x] = v;
}

// histograms of gradients in cells of 8 x 8 pixels, 9 directions, in shared memory
__global__ void hog(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  __shared__ float bin[4][4][9];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty, t = ty * 32 + tx;
  if (t < 144) (&bin[0][0][0])[t] = 0;
  __syncthreads();
  for (int k = 0; k < 32; k += 8) {
    int yy = y + k, xl = max(x - 1, 0), xr = min(x + 1, w - 1), yu = max(yy - 1, 0), yd = min(yy + 1, h - 1);
    float gx = in[yy * w + xr] - in[yy * w + xl], gy = in[yd * w + x] - in[yu * w + x];
    float size = sqrtf(gx * gx + gy * gy), angle = atan2f(gy, gx) * (9 / 3.14159265f);
    if (angle < 0) angle += 9;
    int low = (int)angle;
    float part = angle - low;
    atomicAdd(&bin[(ty + k) / 8][tx / 8][low % 9], size * (1 - part));
    atomicAdd(&bin[(ty + k) / 8][tx / 8][(low + 1) % 9], size * part);
  }
  __syncthreads();
  if (t < 144) out[(blockIdx.y * gridDim.x + blockIdx.x) * 144 + t] = (&bin[0][0][0])[t];
}

// descriptors of 256 bits: comparisons of pairs of pixels around points, a warp for each point
__global__ void brief(const uint8_t *__restrict__ in, const int *__restrict__ point, const char4 *__restrict__ pair, uint32_t *__restrict__ out, int w, int points) {
  int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (p >= points) return;
  const uint8_t *c = in + point[p];
  for (int k = 0; k < 8; k++) {
    char4 d = pair[32 * k + lane];
    uint32_t bits = __ballot_sync(~0u, c[d.y * w + d.x] < c[d.w * w + d.z]);
    if (lane == k) out[8 * p + k] = bits;
  }
}

// a table of colours of 33 x 33 x 33, between whose entries tetrahedra lie
__global__ void color_table(const uchar4 *__restrict__ in, const float4 *__restrict__ table, uchar4 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 c = in[i];
  float r = c.x * (32 / 255.f), g = c.y * (32 / 255.f), b = c.z * (32 / 255.f);
  int ir = min((int)r, 31), ig = min((int)g, 31), ib = min((int)b, 31), at = (ib * 33 + ig) * 33 + ir;
  float fr = r - ir, fg = g - ig, fb = b - ib;
  int d1, d2; float w0, w1, w2, w3;
  if (fr >= fg) {
    if (fg >= fb) { d1 = 1; d2 = 34; w0 = 1 - fr; w1 = fr - fg; w2 = fg - fb; w3 = fb; }
    else if (fr >= fb) { d1 = 1; d2 = 1090; w0 = 1 - fr; w1 = fr - fb; w2 = fb - fg; w3 = fg; }
    else { d1 = 1089; d2 = 1090; w0 = 1 - fb; w1 = fb - fr; w2 = fr - fg; w3 = fg; }
  } else {
    if (fb >= fg) { d1 = 1089; d2 = 1122; w0 = 1 - fb; w1 = fb - fg; w2 = fg - fr; w3 = fr; }
    else if (fb >= fr) { d1 = 33; d2 = 1122; w0 = 1 - fg; w1 = fg - fb; w2 = fb - fr; w3 = fr; }
    else { d1 = 33; d2 = 34; w0 = 1 - fg; w1 = fg - fr; w2 = fr - fb; w3 = fb; }
  }
  float4 p = table[at], q = table[at + d1], s = table[at + d2], t = table[at + 1123];
  uchar4 o;
  o.x = (unsigned char)__float2int_rn(255 * __saturatef(w0 * p.x + w1 * q.x + w2 * s.x + w3 * t.x));
  o.y = (unsigned char)__float2int_rn(255 * __saturatef(w0 * p.y + w1 * q.y + w2 * s.y + w3 * t.y));
  o.z = (unsigned char)__float2int_rn(255 * __saturatef(w0 * p.z + w1 * q.z + w2 * s.z + w3 * t.z));
  o.w = c.w;
  out[i] = o;
}
