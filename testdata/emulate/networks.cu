// Layers of networks.
#include <cuda_fp16.h>

// A convolution of 3 by 3, a pixel and C channels for each thread, weights in shared memory.
template <int C> __global__ void convolution(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out, int channels, int w, int h) {
  extern __shared__ float part[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, first = blockIdx.z * C;
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < C * channels * 9; k += blockDim.x * blockDim.y) part[k] = weight[first * channels * 9 + k];
  __syncthreads();
  float sum[C] = {};
  for (int c = 0; c < channels; c++)
#pragma unroll
    for (int b = 0; b < 3; b++)
#pragma unroll
      for (int a = 0; a < 3; a++) {
        int i = x + a - 1, j = y + b - 1;
        float v = i >= 0 && i < w && j >= 0 && j < h ? in[(c * h + j) * w + i] : 0;
#pragma unroll
        for (int o = 0; o < C; o++) sum[o] += v * part[(o * channels + c) * 9 + b * 3 + a];
      }
#pragma unroll
  for (int o = 0; o < C; o++) out[((first + o) * h + y) * w + x] = sum[o];
}

// Each channel by itself, 5 by 5, a strip of four for each thread.
__global__ void depthwise(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out, int w, int h) {
  int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
  const float *from = in + (size_t)c * w * h;
  float sum[4] = {}, k[25];
#pragma unroll
  for (int i = 0; i < 25; i++) k[i] = weight[c * 25 + i];
#pragma unroll
  for (int b = 0; b < 5; b++) {
    int j = y + b - 2;
    if (j < 0 || j >= h) continue;
    float v[8];
#pragma unroll
    for (int a = 0; a < 8; a++) v[a] = x + a - 2 >= 0 && x + a - 2 < w ? from[j * w + x + a - 2] : 0;
#pragma unroll
    for (int o = 0; o < 4; o++)
#pragma unroll
      for (int a = 0; a < 5; a++) sum[o] += v[o + a] * k[b * 5 + a];
  }
#pragma unroll
  for (int o = 0; o < 4; o++)
    if (x + o < w && y < h) out[((size_t)c * h + y) * w + x + o] = sum[o];
}

// Patches as rows of a matrix.
__global__ void patches(const float *__restrict__ in, float *__restrict__ out, int channels, int w, int h) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < channels * w * h; i += blockDim.x * gridDim.x) {
    int x = i % w, y = i / w % h, c = i / w / h;
    float *to = out + (size_t)c * 9 * w * h + y * w + x;
    for (int b = 0; b < 3; b++)
      for (int a = 0; a < 3; a++) {
        int u = x + a - 1, v = y + b - 1;
        *to = u >= 0 && v >= 0 && u < w && v < h ? in[(c * h + v) * w + u] : 0;
        to += w * h;
      }
  }
}

// The greatest of 2 by 2, and where it is.
__global__ void pool(const float *__restrict__ in, float *__restrict__ out, int *__restrict__ which, int w, int h, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int x = i % (w / 2), y = i / (w / 2) % (h / 2), c = i / (w / 2) / (h / 2), at = (c * h + 2 * y) * w + 2 * x, best = at;
  float most = in[at];
  if (in[at + 1] > most) most = in[at + 1], best = at + 1;
  if (in[at + w] > most) most = in[at + w], best = at + w;
  if (in[at + w + 1] > most) most = in[at + w + 1], best = at + w + 1;
  out[i] = most;
  which[i] = best;
}

// Normalisation with what was learnt, then a gate, four halves at once.
__global__ void gate(const half2 *__restrict__ in, const half2 *__restrict__ scale, const half2 *__restrict__ bias, half2 *__restrict__ out, int columns, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    float2 v = __half22float2(__hfma2(in[i + k], scale[(i + k) % columns], bias[(i + k) % columns]));
    v.x = v.x / (1 + __expf(-v.x)), v.y = v.y / (1 + __expf(-v.y));
    out[i + k] = __float22half2_rn(v);
  }
}

// Sums of rows of a table that lists name, a block for each list.
__global__ void bag(const int *__restrict__ index, const float *__restrict__ table, float *__restrict__ out, int rows, int width, int each) {
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    float s = 0;
    for (int k = 0; k < each; k++) s += table[(size_t)(index[blockIdx.x * each + k] >> 1 & (rows - 1)) * width + c];
    out[(size_t)blockIdx.x * width + c] = s / each;
  }
}

// The greatest K of each row, by a warp, one after the other.
__global__ void greatest(const float *__restrict__ in, float *__restrict__ value, int *__restrict__ index, int rows, int width, int k) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float limit = 1e30f;
  for (int j = 0; j < k; j++) {
    float best = -1e30f;
    int where = 0;
    for (int c = lane; c < width; c += 32) {
      float v = in[(size_t)r * width + c];
      if (v < limit && v > best) best = v, where = c;
    }
    for (int d = 16; d > 0; d /= 2) {
      float o = __shfl_xor_sync(~0u, best, d);
      int p = __shfl_xor_sync(~0u, where, d);
      if (o > best || o == best && p < where) best = o, where = p;
    }
    limit = best;
    if (lane == 0) value[r * k + j] = best, index[r * k + j] = where;
  }
}

// Momentum and squares of gradients, as optimizers keep them.
__global__ void optimizer(float *w, const float *__restrict__ g, float *m, float *v, float rate, float b1, float b2, float decay, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  for (; i < n; i += step) {
    float x = g[i] + decay * w[i], p = b1 * m[i] + (1 - b1) * x, q = b2 * v[i] + (1 - b2) * x * x;
    m[i] = p, v[i] = q;
    w[i] -= rate * p / (sqrtf(q) + 1e-8f);
  }
}
