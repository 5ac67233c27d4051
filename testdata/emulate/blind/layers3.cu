#include <cuda_fp16.h>
#include <stdint.h>
// rotations of queries and keys by place: halves of a head are the two parts
__global__ void rotary(__half *__restrict__ q, const float *__restrict__ freq, int heads, int tokens) {
  int token = blockIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y, k = threadIdx.x;
  __half *p = q + ((size_t)token * heads + head) * 128;
  float s, c;
  sincosf(token * freq[k], &s, &c);
  float a = __half2float(p[k]), b = __half2float(p[k + 64]);
  p[k] = __float2half(a * c - b * s);
  p[k + 64] = __float2half(b * c + a * s);
}

// residual and root of the mean square of rows of 4096 halves, eight in a load
__global__ void add_rms(const __half *__restrict__ xs, __half *__restrict__ rs, const __half *__restrict__ gs, __half *__restrict__ os) {
  const uint4 *x = (const uint4 *)xs, *gain = (const uint4 *)gs;
  uint4 *residual = (uint4 *)rs, *out = (uint4 *)os;
  __shared__ float part[16];
  int row = blockIdx.x, t = threadIdx.x;
  uint4 a = x[row * 512 + t], b = residual[row * 512 + t];
  __half2 *pa = (__half2 *)&a, *pb = (__half2 *)&b;
  float2 v[4];
  float s = 0.f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float2 f = __half22float2(pa[k]), g = __half22float2(pb[k]);
    v[k] = make_float2(f.x + g.x, f.y + g.y);
    s += v[k].x * v[k].x + v[k].y * v[k].y;
    pb[k] = __floats2half2_rn(v[k].x, v[k].y);
  }
  residual[row * 512 + t] = b;
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (t % 32 == 0) part[t / 32] = s;
  __syncthreads();
  s = 0.f;
#pragma unroll
  for (int k = 0; k < 16; k++) s += part[k];
  float r = rsqrtf(s / 4096.f + 1e-5f);
  uint4 g4 = gain[t], o4;
  __half2 *pg = (__half2 *)&g4, *po = (__half2 *)&o4;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float2 g = __half22float2(pg[k]);
    po[k] = __floats2half2_rn(v[k].x * r * g.x, v[k].y * r * g.y);
  }
  out[row * 512 + t] = o4;
}

// gradients of an embedding: rows of a batch added where their words are
__global__ void embed_back(const int *__restrict__ token, const float *__restrict__ grad, float *__restrict__ table, int width, int vocabulary) {
  int i = blockIdx.x, id = token[i];
  for (int k = threadIdx.x; k < width; k += blockDim.x) atomicAdd(&table[(size_t)id * width + k], grad[(size_t)i * width + k]);
}

// rows to eight bits: the largest magnitude, then each by it
__global__ void quantize_rows(const float4 *__restrict__ x, char4 *__restrict__ q, float *__restrict__ scale, int quads) {
  __shared__ float part[8];
  const float4 *row = x + (size_t)blockIdx.x * quads;
  float m = 0.f;
  for (int i = threadIdx.x; i < quads; i += 256) {
    float4 v = row[i];
    m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
  __syncthreads();
  m = part[0];
  for (int k = 1; k < 8; k++) m = fmaxf(m, part[k]);
  float inv = 127.f / m;
  if (threadIdx.x == 0) scale[blockIdx.x] = m / 127.f;
  for (int i = threadIdx.x; i < quads; i += 256) {
    float4 v = row[i];
    q[(size_t)blockIdx.x * quads + i] = make_char4(__float2int_rn(v.x * inv), __float2int_rn(v.y * inv), __float2int_rn(v.z * inv), __float2int_rn(v.w * inv));
  }
}

// the transform of tiles for convolutions by Winograd, 4 by 4 of each channel
__global__ void winograd_in(const float *__restrict__ in, float *__restrict__ out, int w, int h, int tiles) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, across = (w - 2) / 2;
  if (t >= tiles) return;
  int x0 = t % across * 2, y0 = t / across * 2;
  const float *p = in + (size_t)c * w * h + y0 * w + x0;
  float d[4][4], m[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) d[i][j] = p[i * w + j];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    m[0][j] = d[0][j] - d[2][j]; m[1][j] = d[1][j] + d[2][j]; m[2][j] = d[2][j] - d[1][j]; m[3][j] = d[1][j] - d[3][j];
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    float r[4] = {m[i][0] - m[i][2], m[i][1] + m[i][2], m[i][2] - m[i][1], m[i][1] - m[i][3]};
#pragma unroll
    for (int j = 0; j < 4; j++) out[((size_t)(i * 4 + j) * gridDim.y + c) * tiles + t] = r[j];
  }
}

// gates of a unit: silu of one half of a row times the other, in bfloat-like halves
__global__ void swiglu(const __half2 *__restrict__ x, __half2 *__restrict__ y, int pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = i / pairs, k = i % pairs;
  float2 g = __half22float2(x[(size_t)row * 2 * pairs + k]), u = __half22float2(x[(size_t)row * 2 * pairs + pairs + k]);
  y[i] = __floats2half2_rn(g.x / (1.f + __expf(-g.x)) * u.x, g.y / (1.f + __expf(-g.y)) * u.y);
}
