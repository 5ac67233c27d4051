#include <stdint.h>
// bands on the scale of mel of spectra: weights of triangles, a warp for each frame
__global__ void mel(const float *__restrict__ power, const int *__restrict__ begin, const float *__restrict__ weight, float *__restrict__ out, int bins, int bands, int frames) {
  int f = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (f >= frames) return;
  const float *p = power + (size_t)f * bins;
  for (int b = lane; b < bands; b += 32) {
    int from = begin[b], to = begin[b + 2], mid = begin[b + 1];
    float s = 0;
    for (int k = from; k < to; k++) s += p[k] * (k < mid ? (k - from) * weight[2 * b] : (to - k) * weight[2 * b + 1]);
    out[(size_t)f * bands + b] = __log10f(fmaxf(s, 1e-10f));
  }
}

// how alike a frame of 1,024 samples is to itself, 256 places later and less: in shared memory
__global__ void autocorrelation(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[1280];
  const float *p = in + (size_t)blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1280; k += 256) s[k] = k < 1024 ? p[k] : 0;
  __syncthreads();
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < 1024; k++) sum += s[k] * s[k + threadIdx.x];
  out[(size_t)blockIdx.x * 256 + threadIdx.x] = sum;
}
// the same, four places for each thread in registers
__global__ void autocorrelation4(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ __align__(16) float s[1284];
  const float *p = in + (size_t)blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1284; k += 64) s[k] = k < 1024 ? p[k] : 0;
  __syncthreads();
  float sum[4] = {0, 0, 0, 0};
  int l = 4 * threadIdx.x;
  float4 next = *(const float4 *)&s[l];
  for (int k = 0; k < 1024; k += 4) {
    float4 a = *(const float4 *)&s[k], b = next;
    next = *(const float4 *)&s[k + l + 4];
    float x[4] = {a.x, a.y, a.z, a.w}, y[8] = {b.x, b.y, b.z, b.w, next.x, next.y, next.z, next.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) sum[j] += x[i] * y[i + j];
  }
  *(float4 *)&out[(size_t)blockIdx.x * 256 + l] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

// a modified cosine transform of 256 values from 512, with a window: cosines from a table in shared memory
__global__ void mdct(const float *__restrict__ in, const float *__restrict__ window, const float *__restrict__ cosine, float *__restrict__ out) {
  __shared__ float x[512], c[2048];
  const float *p = in + (size_t)blockIdx.x * 256;
  for (int k = threadIdx.x; k < 512; k += 256) x[k] = p[k] * window[k];
  for (int k = threadIdx.x; k < 2048; k += 256) c[k] = cosine[k];
  __syncthreads();
  float s = 0;
  int step = 2 * threadIdx.x + 1, at = step * 257;
  for (int k = 0; k < 512; k++) { s += x[k] * c[at & 2047]; at += 2 * step; }
  out[(size_t)blockIdx.x * 256 + threadIdx.x] = s;
}

// how many different words there are: registers of HyperLogLog in shared memory, merged by their maximum
__global__ void distinct(const uint32_t *__restrict__ key, unsigned *__restrict__ reg, int n) {
  __shared__ unsigned s[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint32_t h = key[i] * 0xcc9e2d51u;
    h = __funnelshift_l(h, h, 15) * 0x1b873593u;
    h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    unsigned rank = __clz(h << 12 | 2048) + 1;
    if (s[h >> 20] < rank) atomicMax(&s[h >> 20], rank);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) if (s[k]) atomicMax(&reg[k], s[k]);
}

// hypotheses of lines through two points: how many points are near each
__global__ void ransac(const float2 *__restrict__ point, const int2 *__restrict__ pick, int *__restrict__ votes, float near, int n) {
  __shared__ int part[8];
  int2 c = pick[blockIdx.x];
  float2 p = point[c.x], q = point[c.y];
  float nx = q.y - p.y, ny = p.x - q.x, size = rsqrtf(nx * nx + ny * ny + 1e-12f);
  nx *= size; ny *= size;
  float d = nx * p.x + ny * p.y;
  int count = 0;
  for (int i = threadIdx.x; i < n; i += 256) { float2 v = point[i]; count += fabsf(nx * v.x + ny * v.y - d) < near; }
  count = __reduce_add_sync(~0u, count);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) { for (int k = 1; k < 8; k++) count += part[k]; votes[blockIdx.x] = count; }
}
