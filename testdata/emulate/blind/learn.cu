#include <stdint.h>
// which of 16 normal distributions in 8 dimensions samples come from: logarithms of sums of exponentials
__global__ void mixture(const float *__restrict__ x, const float *__restrict__ mean, const float *__restrict__ weight, float *__restrict__ share, float *__restrict__ total, int n) {
  __shared__ float m[16 * 16], c[16], sum[8];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) m[k] = mean[k];
  if (threadIdx.x < 16) c[threadIdx.x] = weight[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8], p[16], top = -1e30f;
#pragma unroll
  for (int d = 0; d < 8; d++) v[d] = x[(size_t)d * n + i];
#pragma unroll
  for (int k = 0; k < 16; k++) {
    float s = c[k];
#pragma unroll
    for (int d = 0; d < 8; d++) { float e = v[d] - m[k * 16 + d]; s -= 0.5f * e * e * m[k * 16 + 8 + d]; }
    p[k] = s;
    top = fmaxf(top, s);
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) { p[k] = __expf(p[k] - top); all += p[k]; }
  float by = 1 / all;
#pragma unroll
  for (int k = 0; k < 16; k++) share[(size_t)k * n + i] = p[k] * by;
  float l = top + __logf(all);
  for (int d = 16; d; d >>= 1) l += __shfl_down_sync(~0u, l, d);
  if ((threadIdx.x & 31) == 0) sum[threadIdx.x / 32] = l;
  __syncthreads();
  if (threadIdx.x == 0) { for (int k = 1; k < 8; k++) l += sum[k]; atomicAdd(total, l); }
}

// forces between all points of an embedding in the plane, by Student's distribution: tiles in shared memory
__global__ void tsne_repulse(const float2 *__restrict__ y, float *__restrict__ force, float *__restrict__ norm, int n) {
  __shared__ float2 s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float2 p = y[i];
  float fx = 0, fy = 0, z = 0;
  for (int j = 0; j < n; j += 256) {
    __syncthreads();
    s[threadIdx.x] = y[j + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) {
      float dx = p.x - s[k].x, dy = p.y - s[k].y, q = __fdividef(1.f, 1 + dx * dx + dy * dy);
      z += q;
      fx += q * q * dx;
      fy += q * q * dy;
    }
  }
  force[i] = fx; force[n + i] = fy; norm[i] = z - 1;
}

// support vector machine with radial functions: a row of 64 features for each thread, vectors in shared memory
__global__ void svm_rbf(const float *__restrict__ x, const float *__restrict__ vector, const float *__restrict__ alpha, float *__restrict__ out, float gamma, int vectors, int n) {
  __shared__ float s[32][64], a[32];
  int i = blockIdx.x * 128 + threadIdx.x;
  float v[64], sum = 0;
#pragma unroll
  for (int d = 0; d < 64; d++) v[d] = x[(size_t)d * n + i];
  for (int j = 0; j < vectors; j += 32) {
    __syncthreads();
    for (int k = threadIdx.x; k < 32 * 64; k += 128) s[k / 64][k % 64] = vector[(size_t)j * 64 + k];
    if (threadIdx.x < 32) a[threadIdx.x] = alpha[j + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
      float d2 = 0;
#pragma unroll
      for (int d = 0; d < 64; d++) { float e = v[d] - s[k][d]; d2 += e * e; }
      sum += a[k] * expf(-gamma * d2);
    }
  }
  out[i] = sum;
}

// topics of words are drawn anew, after Gibbs: sums of products of counts over 64 topics
__global__ void lda_draw(const int *__restrict__ word, const int *__restrict__ doc, const float *__restrict__ of_word, const float *__restrict__ of_doc, int *__restrict__ topic, uint32_t seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float *a = of_word + (size_t)word[i] * 64, *b = of_doc + (size_t)doc[i] * 64;
  float all = 0;
  for (int k = 0; k < 64; k++) all += a[k] * b[k];
  uint32_t h = (i ^ seed) * 0x9e3779b1u;
  h ^= h >> 15; h *= 0x85ebca77u; h ^= h >> 13;
  float u = (h >> 8) * (1.f / 16777216) * all, s = 0;
  int k = 0;
  for (; k < 63; k++) {
    s += a[k] * b[k];
    if (s > u) break;
  }
  topic[i] = k;
}

// the matrix of normal equations of a user's ratings, 32 x 32, summed in registers by a block of 64 threads
__global__ void als_normal(const float *__restrict__ factor, const int *__restrict__ begin, const int *__restrict__ item, float *__restrict__ out) {
  __shared__ float row[8][32];
  int u = blockIdx.x, t = threadIdx.x, i0 = t / 8 * 4, j0 = t % 8 * 4, from = begin[u], to = begin[u + 1];
  float s[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) s[i][j] = 0;
  for (int k = from; k < to; k += 8) {
    __syncthreads();
    for (int q = t; q < 256; q += 64) row[q / 32][q % 32] = k + q / 32 < to ? factor[(size_t)item[k + q / 32] * 32 + q % 32] : 0;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 8; q++) {
      float4 a = *(const float4 *)&row[q][i0], b = *(const float4 *)&row[q][j0];
      float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) s[i][j] += x[i] * y[j];
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) *(float4 *)&out[(size_t)u * 1024 + (i0 + i) * 32 + j0] = make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
}
