#include <cuda_bf16.h>
#include <cuda_fp16.h>

// y = W x of bf16, a row by a warp
__global__ void gemv_bf16(const __nv_bfloat16 *__restrict__ w, const __nv_bfloat16 *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  const uint4 *p = reinterpret_cast<const uint4 *>(w + (size_t)row * cols);
  const uint4 *q = reinterpret_cast<const uint4 *>(x);
  float s = 0.f;
  for (int k = lane; k < cols / 8; k += 32) {
    uint4 a = p[k], b = q[k];
    const __nv_bfloat162 *u = reinterpret_cast<const __nv_bfloat162 *>(&a), *v = reinterpret_cast<const __nv_bfloat162 *>(&b);
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float2 f = __bfloat1622float2(u[j]), g = __bfloat1622float2(v[j]);
      s = fmaf(f.x, g.x, s);
      s = fmaf(f.y, g.y, s);
    }
  }
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[row] = s;
}

// rotary embedding of queries, in place, pairs half a head apart
__global__ void rotary(__half *q, const float *__restrict__ cosines, const float *__restrict__ sines, int tokens, int heads, int dim) {
  int token = blockIdx.x;
  int half_dim = dim / 2;
  for (int e = threadIdx.x; e < heads * half_dim; e += blockDim.x) {
    int h = e / half_dim, k = e % half_dim;
    __half *p = q + ((size_t)token * heads + h) * dim;
    float c = cosines[token * half_dim + k], s = sines[token * half_dim + k];
    float a = __half2float(p[k]), b = __half2float(p[k + half_dim]);
    p[k] = __float2half(a * c - b * s);
    p[k + half_dim] = __float2half(b * c + a * s);
  }
}

// tanh approximation of GELU times a gate, two halves at once
__global__ void gelu_gate(const __half2 *__restrict__ a, const __half2 *__restrict__ g, __half2 *__restrict__ o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 x = __half22float2(a[i]);
    x.x = 0.5f * x.x * (1.f + tanhf(0.79788456f * (x.x + 0.044715f * x.x * x.x * x.x)));
    x.y = 0.5f * x.y * (1.f + tanhf(0.79788456f * (x.y + 0.044715f * x.y * x.y * x.y)));
    o[i] = __hmul2(__float22half2_rn(x), g[i]);
  }
}

// Winograd's F(2x2, 3x3): tiles of 4 x 4 of the input, transformed
__global__ void winograd_input(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  int tx = blockIdx.x * blockDim.x + threadIdx.x, ty = blockIdx.y * blockDim.y + threadIdx.y;
  int tw = (w - 2) / 2, th = (h - 2) / 2;
  if (tx >= tw || ty >= th) return;
  const float *p = in + (size_t)blockIdx.z * w * h + 2 * ty * w + 2 * tx;
  float d[4][4], t[4][4];
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++) d[r][c] = p[r * w + c];
  for (int c = 0; c < 4; c++) {
    t[0][c] = d[0][c] - d[2][c];
    t[1][c] = d[1][c] + d[2][c];
    t[2][c] = d[2][c] - d[1][c];
    t[3][c] = d[1][c] - d[3][c];
  }
  size_t plane = (size_t)gridDim.z * tw * th;
  float *o = out + (size_t)blockIdx.z * tw * th + ty * tw + tx;
  for (int r = 0; r < 4; r++) {
    o[(r * 4 + 0) * plane] = t[r][0] - t[r][2];
    o[(r * 4 + 1) * plane] = t[r][1] + t[r][2];
    o[(r * 4 + 2) * plane] = t[r][2] - t[r][1];
    o[(r * 4 + 3) * plane] = t[r][1] - t[r][3];
  }
}

// a causal convolution of four taps along time, channels contiguous
__global__ void causal4(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int steps, int channels) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  int first = blockIdx.y * 64;
  float w0 = w[c], w1 = w[channels + c], w2 = w[2 * channels + c], w3 = w[3 * channels + c];
  const float *p = x + (size_t)first * channels + c;
  float a = first ? p[-3 * channels] : 0, b = first ? p[-2 * channels] : 0, d = first ? p[-channels] : 0;
  for (int t = 0; t < 64; t++) {
    float v = p[t * channels];
    float s = w0 * a + w1 * b + w2 * d + w3 * v;
    y[(size_t)(first + t) * channels + c] = s / (1.f + __expf(-s));
    a = b; b = d; d = v;
  }
}
