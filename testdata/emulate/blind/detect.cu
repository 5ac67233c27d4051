#include <stdint.h>
// which of 64 later boxes each box covers by more than a half
__global__ void nms_mask(const float4 *__restrict__ boxes, unsigned long long *__restrict__ mask, int n, float most) {
  __shared__ float4 other[64];
  int row = blockIdx.y * 64 + threadIdx.x, col0 = blockIdx.x * 64;
  if (col0 + threadIdx.x < n) other[threadIdx.x] = boxes[col0 + threadIdx.x];
  __syncthreads();
  if (row >= n || blockIdx.x < blockIdx.y) return;
  float4 a = boxes[row];
  float area = (a.z - a.x) * (a.w - a.y);
  unsigned long long bits = 0;
  int start = blockIdx.x == blockIdx.y ? threadIdx.x + 1 : 0, end = min(n - col0, 64);
  for (int k = start; k < end; k++) {
    float4 b = other[k];
    float w = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.f), h = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.f);
    float cut = w * h;
    if (cut > most * (area + (b.z - b.x) * (b.w - b.y) - cut)) bits |= 1ull << k;
  }
  mask[(size_t)row * gridDim.x + blockIdx.x] = bits;
}

// 7 by 7 averages of regions of a picture with channels, four samples each
__global__ void roi_align(const float *__restrict__ in, const float4 *__restrict__ rois, float *__restrict__ out, int channels, int w, int h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int px = i % 7, py = i / 7 % 7, c = i / 49 % channels, roi = i / 49 / channels;
  float4 r = rois[roi];
  float bw = (r.z - r.x) / 7, bh = (r.w - r.y) / 7, s = 0;
  const float *p = in + (size_t)c * w * h;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float x = fmaxf(r.x + (px + 0.25f + 0.5f * (k & 1)) * bw, 0.f), y = fmaxf(r.y + (py + 0.25f + 0.5f * (k >> 1)) * bh, 0.f);
    int x0 = min((int)x, w - 2), y0 = min((int)y, h - 2);
    float ax = x - x0, ay = y - y0;
    const float *q = p + y0 * w + x0;
    s += (1 - ay) * ((1 - ax) * q[0] + ax * q[1]) + ay * ((1 - ax) * q[w] + ax * q[w + 1]);
  }
  out[i] = 0.25f * s;
}

// gaussians that a tile of 16 by 16 places sees, from front to back, until nothing more is seen
__global__ void splat(const float4 *__restrict__ centre, const float4 *__restrict__ shape, const int *__restrict__ begin, float *__restrict__ out, int w) {
  __shared__ float4 cs[256], ss[256];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, tid = threadIdx.y * 16 + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x;
  int from = begin[tile], to = begin[tile + 1];
  float left = 1, sum = 0;
  bool done = false;
  for (int k0 = from; k0 < to; k0 += 256) {
    if (__syncthreads_count(done) == 256) break;
    if (k0 + tid < to) { cs[tid] = centre[k0 + tid]; ss[tid] = shape[k0 + tid]; }
    __syncthreads();
    int end = min(to - k0, 256);
    for (int k = 0; !done && k < end; k++) {
      float4 c = cs[k], s = ss[k];
      float dx = c.x - x, dy = c.y - y, power = -0.5f * (s.x * dx * dx + s.z * dy * dy) - s.y * dx * dy;
      if (power > 0) continue;
      float alpha = fminf(0.99f, s.w * __expf(power));
      if (alpha < 1.f / 255) continue;
      float next = left * (1 - alpha);
      if (next < 1e-4f) { done = true; continue; }
      sum += c.z * alpha * left;
      left = next;
    }
  }
  out[(size_t)y * w + x] = sum;
}

// the nearest box that a ray meets, in a tree of boxes: children 2 i + 1 and 2 i + 2 of a node
__global__ void walk_tree(const float4 *__restrict__ lo, const float4 *__restrict__ hi, const float4 *__restrict__ rays, float *__restrict__ out, int leaves, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 o = rays[2 * i], d = rays[2 * i + 1];
  float ix = 1.f / d.x, iy = 1.f / d.y, iz = 1.f / d.z, best = 1e30f;
  int stack[24], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    int node = stack[--top];
    float4 a = lo[node], b = hi[node];
    float x0 = (a.x - o.x) * ix, x1 = (b.x - o.x) * ix, y0 = (a.y - o.y) * iy, y1 = (b.y - o.y) * iy, z0 = (a.z - o.z) * iz, z1 = (b.z - o.z) * iz;
    float near = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f)), far = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
    if (near > far || near >= best) continue;
    if (node >= leaves - 1) best = near;
    else { stack[top++] = 2 * node + 2; stack[top++] = 2 * node + 1; }
  }
  out[i] = best;
}
