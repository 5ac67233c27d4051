// movement of each point between two pictures, from sums of gradients over 7 by 7 points, tiles in shared memory
__global__ void lucas_kanade(const float *__restrict__ first, const float *__restrict__ next, float2 *__restrict__ flow, int w, int h) {
  __shared__ float a[24][40], b[24][40];
  int x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 16 - 4;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 24 * 40; i += 512) {
    int x = min(max(x0 + i % 40, 0), w - 1), y = min(max(y0 + i / 40, 0), h - 1);
    a[i / 40][i % 40] = first[y * w + x];
    b[i / 40][i % 40] = next[y * w + x];
  }
  __syncthreads();
  int tx = threadIdx.x + 4, ty = threadIdx.y + 4;
  float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
  for (int dy = -3; dy <= 3; dy++)
    for (int dx = -3; dx <= 3; dx++) {
      float gx = 0.5f * (a[ty + dy][tx + dx + 1] - a[ty + dy][tx + dx - 1]), gy = 0.5f * (a[ty + dy + 1][tx + dx] - a[ty + dy - 1][tx + dx]);
      float gt = b[ty + dy][tx + dx] - a[ty + dy][tx + dx];
      xx += gx * gx; xy += gx * gy; yy += gy * gy; xt += gx * gt; yt += gy * gt;
    }
  float det = xx * yy - xy * xy;
  float2 f = make_float2(0, 0);
  if (det > 1e-4f) { f.x = (xy * yt - yy * xt) / det; f.y = (xy * xt - xx * yt) / det; }
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) flow[y * w + x] = f;
}

// edges smoothed along their direction: a walk along the edge to both ends
__device__ float luma(uchar4 c) { return 0.299f * c.x + 0.587f * c.y + 0.114f * c.z; }
__global__ void smooth_edges(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  uchar4 here = in[y * w + x];
  float c = luma(here), n = luma(in[(y - 1) * w + x]), s = luma(in[(y + 1) * w + x]), e = luma(in[y * w + x + 1]), o = luma(in[y * w + x - 1]);
  float high = fmaxf(c, fmaxf(fmaxf(n, s), fmaxf(e, o))), low = fminf(c, fminf(fminf(n, s), fminf(e, o)));
  if (high - low < fmaxf(1.5f, 0.125f * high)) { out[y * w + x] = here; return; }
  bool flat = fabsf(n + s - 2.f * c) >= fabsf(e + o - 2.f * c);
  float up = flat ? n : o, down = flat ? s : e;
  int side = fabsf(up - c) >= fabsf(down - c) ? -1 : 1, across = flat ? side * w : side, along = flat ? 1 : w;
  float edge = 0.5f * (c + (side < 0 ? up : down)), slope = 0.25f * fmaxf(fabsf(up - c), fabsf(down - c));
  int left = 0, right = 0, at = y * w + x, all = w * h;
  for (; left < 8; left++) {
    int p = at - left * along;
    if (p < along || p + across < 0 || p + across >= all) break;
    if (fabsf(0.5f * (luma(in[p]) + luma(in[p + across])) - edge) > slope) break;
  }
  for (; right < 8; right++) {
    int p = at + right * along;
    if (p >= all || p + across < 0 || p + across >= all) break;
    if (fabsf(0.5f * (luma(in[p]) + luma(in[p + across])) - edge) > slope) break;
  }
  float part = 0.5f - (float)min(left, right) / (left + right + 1e-3f);
  uchar4 other = in[at + across];
  out[at] = make_uchar4(here.x + part * (other.x - here.x), here.y + part * (other.y - here.y), here.z + part * (other.z - here.z), 255);
}

// the quarter around each point that varies least gives its mean
__global__ void kuwahara(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float best = 1e30f, value = 0;
  for (int q = 0; q < 4; q++) {
    int ox = q & 1 ? 0 : -4, oy = q & 2 ? 0 : -4;
    float sum = 0, squares = 0;
    for (int j = 0; j <= 4; j++)
      for (int i = 0; i <= 4; i++) {
        int sx = min(max(x + ox + i, 0), w - 1), sy = min(max(y + oy + j, 0), h - 1);
        float v = in[sy * w + sx];
        sum += v; squares += v * v;
      }
    float mean = sum / 25.f, variance = squares / 25.f - mean * mean;
    if (variance < best) { best = variance; value = mean; }
  }
  out[y * w + x] = value;
}

// a convolution whose nine places each point moves by offsets of its own
__global__ void deformable(const float *__restrict__ in, const float *__restrict__ offset, const float *__restrict__ weight, float *__restrict__ out, int w, int h, int channels) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum[4] = {0, 0, 0, 0};
  int plane = w * h;
  for (int k = 0; k < 9; k++) {
    float px = x + k % 3 - 1 + 2.f * offset[2 * k * plane + y * w + x] - 2.f, py = y + k / 3 - 1 + 2.f * offset[(2 * k + 1) * plane + y * w + x] - 2.f;
    float fx = floorf(px), fy = floorf(py), tx = px - fx, ty = py - fy;
    int ix = (int)fx, iy = (int)fy;
    bool l = ix >= 0 && ix < w, r = ix + 1 >= 0 && ix + 1 < w, t = iy >= 0 && iy < h, b = iy + 1 >= 0 && iy + 1 < h;
    for (int c = 0; c < channels; c++) {
      const float *p = in + c * plane;
      float v = 0;
      if (l && t) v += (1 - tx) * (1 - ty) * p[iy * w + ix];
      if (r && t) v += tx * (1 - ty) * p[iy * w + ix + 1];
      if (l && b) v += (1 - tx) * ty * p[(iy + 1) * w + ix];
      if (r && b) v += tx * ty * p[(iy + 1) * w + ix + 1];
      for (int o = 0; o < 4; o++) sum[o] += v * weight[(o * channels + c) * 9 + k];
    }
  }
  for (int o = 0; o < 4; o++) out[o * plane + y * w + x] = sum[o];
}
