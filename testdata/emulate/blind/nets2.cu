#include <stdint.h>
#include <cuda_fp16.h>
// a convolution of 4 steps of each channel, causal, with a bias and a gate by its sigmoid; steps are along the work-group
__global__ void causal_conv(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias, float *__restrict__ y, int steps) {
  int c = blockIdx.y, t = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = x + (size_t)c * steps;
  float s = bias[c];
#pragma unroll
  for (int k = 0; k < 4; k++) { int at = t + k - 3; s += at >= 0 ? w[4 * c + k] * p[at] : 0.f; }
  y[(size_t)c * steps + t] = s / (1.f + expf(-s));
}

// gradients of a normalisation over a batch: three sums of each channel
__global__ void batch_back(const __half2 *__restrict__ dy, const __half2 *__restrict__ x, const float *__restrict__ mean, const float *__restrict__ inv, float *__restrict__ dscale, float *__restrict__ dbias, int rows, int channels) {
  __shared__ float2 a[8][33], b[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float2 m = make_float2(mean[2 * c], mean[2 * c + 1]), v = make_float2(inv[2 * c], inv[2 * c + 1]), s = make_float2(0, 0), q = make_float2(0, 0);
  for (int r = blockIdx.y * 8 + threadIdx.y; r < rows; r += 8 * gridDim.y) {
    float2 g = __half22float2(dy[(size_t)r * (channels / 2) + c]), z = __half22float2(x[(size_t)r * (channels / 2) + c]);
    s.x += g.x; s.y += g.y;
    q.x += g.x * (z.x - m.x) * v.x; q.y += g.y * (z.y - m.y) * v.y;
  }
  a[threadIdx.y][threadIdx.x] = s; b[threadIdx.y][threadIdx.x] = q;
  __syncthreads();
  for (int d = 4; d; d >>= 1) {
    if (threadIdx.y < d) {
      float2 o = a[threadIdx.y + d][threadIdx.x], p = b[threadIdx.y + d][threadIdx.x];
      a[threadIdx.y][threadIdx.x].x += o.x; a[threadIdx.y][threadIdx.x].y += o.y;
      b[threadIdx.y][threadIdx.x].x += p.x; b[threadIdx.y][threadIdx.x].y += p.y;
    }
    __syncthreads();
  }
  if (threadIdx.y == 0) {
    atomicAdd(&dbias[2 * c], a[0][threadIdx.x].x); atomicAdd(&dbias[2 * c + 1], a[0][threadIdx.x].y);
    atomicAdd(&dscale[2 * c], b[0][threadIdx.x].x); atomicAdd(&dscale[2 * c + 1], b[0][threadIdx.x].y);
  }
}

// a product of bytes with a sign, four at once, and scales of rows and columns: 64 by 64 results by a work-group
__global__ void product_bytes(const int *__restrict__ a, const int *__restrict__ b, const float *__restrict__ sa, const float *__restrict__ sb, float *__restrict__ c, int k4, int n) {
  __shared__ int ta[64][17], tb[64][17];
  int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx, sum[4][4] = {};
  for (int k0 = 0; k0 < k4; k0 += 16) {
    for (int q = tid; q < 64 * 16; q += 256) {
      ta[q / 16][q % 16] = a[(size_t)(blockIdx.y * 64 + q / 16) * k4 + k0 + q % 16];
      tb[q / 16][q % 16] = b[(size_t)(blockIdx.x * 64 + q / 16) * k4 + k0 + q % 16];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = __dp4a(ta[ty + 16 * i][k], tb[tx + 16 * j][k], sum[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int r = blockIdx.y * 64 + ty + 16 * i, q = blockIdx.x * 64 + tx + 16 * j;
      c[(size_t)r * n + q] = sum[i][j] * sa[r] * sb[q];
    }
}

// a picture twice as large, channels last, halves by two
__global__ void upsample(const __half2 *__restrict__ in, __half2 *__restrict__ out, int w, int h, int pairs) {
  int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
  float fx = fmaxf(0.5f * x - 0.25f, 0.f), fy = fmaxf(0.5f * y - 0.25f, 0.f);
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  float ax = fx - x0, ay = fy - y0;
  float2 p = __half22float2(in[((size_t)y0 * w + x0) * pairs + c]), q = __half22float2(in[((size_t)y0 * w + x1) * pairs + c]);
  float2 r = __half22float2(in[((size_t)y1 * w + x0) * pairs + c]), s = __half22float2(in[((size_t)y1 * w + x1) * pairs + c]);
  float2 v;
  v.x = (1 - ay) * ((1 - ax) * p.x + ax * q.x) + ay * ((1 - ax) * r.x + ax * s.x);
  v.y = (1 - ay) * ((1 - ax) * p.y + ax * q.y) + ay * ((1 - ax) * r.y + ax * s.y);
  out[((size_t)y * 2 * w + x) * pairs + c] = __float22half2_rn(v);
}

// the loss of rows that most are easy, and its gradient
__global__ void focal(const float *__restrict__ logits, const uint8_t *__restrict__ label, float *__restrict__ loss, float *__restrict__ grad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = logits[i], y = label[i] ? 1.f : 0.f;
  float p = 1.f / (1.f + expf(-x)), ce = fmaxf(x, 0.f) - x * y + log1pf(expf(-fabsf(x)));
  float pt = y * p + (1 - y) * (1 - p), m = 1 - pt, a = y * 0.25f + (1 - y) * 0.75f;
  loss[i] = a * m * m * ce;
  grad[i] = a * (m * m * (p - y) + 2 * m * ce * pt * m * (1 - 2 * y));
}

// one query of a head against its keys and values, 8 warps by turns, 128 channels: what is seen so far goes along
__global__ void decode(const __half *__restrict__ q, const __half *__restrict__ keys, const __half *__restrict__ values, float *__restrict__ out, int length, float scale) {
  __shared__ float best[8], total[8], acc[8][128];
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31, head = blockIdx.x;
  float x[4], s[4] = {0, 0, 0, 0}, m = -1e30f, sum = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) x[k] = __half2float(q[head * 128 + 4 * lane + k]) * scale;
  for (int t = warp; t < length; t += 8) {
    size_t at = ((size_t)head * length + t) * 128 + 4 * lane;
    __half2 k0 = *(const __half2 *)(keys + at), k1 = *(const __half2 *)(keys + at + 2);
    float2 a = __half22float2(k0), b = __half22float2(k1);
    float d = x[0] * a.x + x[1] * a.y + x[2] * b.x + x[3] * b.y;
#pragma unroll
    for (int o = 16; o; o >>= 1) d += __shfl_xor_sync(0xffffffffu, d, o);
    float n = fmaxf(m, d), f = __expf(m - n), e = __expf(d - n);
    float2 v0 = __half22float2(*(const __half2 *)(values + at)), v1 = __half22float2(*(const __half2 *)(values + at + 2));
    s[0] = s[0] * f + e * v0.x; s[1] = s[1] * f + e * v0.y; s[2] = s[2] * f + e * v1.x; s[3] = s[3] * f + e * v1.y;
    sum = sum * f + e; m = n;
  }
  if (lane == 0) { best[warp] = m; total[warp] = sum; }
#pragma unroll
  for (int k = 0; k < 4; k++) acc[warp][4 * lane + k] = s[k];
  __syncthreads();
  if (threadIdx.x < 128) {
    float n = -1e30f, t = 0, r = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) n = fmaxf(n, best[k]);
#pragma unroll
    for (int k = 0; k < 8; k++) { float f = __expf(best[k] - n); t += f * total[k]; r += f * acc[k][threadIdx.x]; }
    out[head * 128 + threadIdx.x] = r / t;
  }
}
