#include <stdint.h>
// genotypes of two bits against a trait: sums for a regression of each marker, a warp for each
__global__ void gwas(const uint32_t *__restrict__ geno, const float *__restrict__ trait, float4 *__restrict__ out, int words) {
  int marker = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t *row = geno + (size_t)marker * words;
  float sx = 0, sxx = 0, sxy = 0;
  int n = 0;
  for (int w = lane; w < words; w += 32) {
    uint32_t g = row[w];
#pragma unroll
    for (int k = 0; k < 16; k++) {
      int d = g >> 2 * k & 3;
      if (d != 3) {
        float y = trait[w * 16 + k];
        sx += d; sxx += d * d; sxy += d * y; n++;
      }
    }
  }
  for (int o = 16; o > 0; o /= 2) {
    sx += __shfl_xor_sync(~0u, sx, o);
    sxx += __shfl_xor_sync(~0u, sxx, o);
    sxy += __shfl_xor_sync(~0u, sxy, o);
    n += __shfl_xor_sync(~0u, n, o);
  }
  if (lane == 0) out[marker] = make_float4(sx, sxx, sxy, n);
}

// membranes of neurons by Hodgkin and Huxley, forward steps in registers
__global__ void neurons(float *__restrict__ v0, const float *__restrict__ current, float *__restrict__ last, int n, int steps, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = -65.f + v0[i], m = 0.05f, h = 0.6f, k = 0.32f, in = current[i] * 10.f, spike = -1.f;
  for (int s = 0; s < steps; s++) {
    float am = 0.1f * (v + 40.f) / (1.f - expf(-(v + 40.f) * 0.1f)), bm = 4.f * expf(-(v + 65.f) / 18.f);
    float ah = 0.07f * expf(-(v + 65.f) * 0.05f), bh = 1.f / (1.f + expf(-(v + 35.f) * 0.1f));
    float an = 0.01f * (v + 55.f) / (1.f - expf(-(v + 55.f) * 0.1f)), bn = 0.125f * expf(-(v + 65.f) * 0.0125f);
    m += dt * (am * (1.f - m) - bm * m);
    h += dt * (ah * (1.f - h) - bh * h);
    k += dt * (an * (1.f - k) - bn * k);
    float before = v;
    v += dt * (in - 120.f * m * m * m * h * (v - 50.f) - 36.f * k * k * k * k * (v + 77.f) - 0.3f * (v + 54.4f));
    if (before < 0.f && v >= 0.f) spike = s * dt;
  }
  v0[i] = v;
  last[i] = spike;
}

// frequencies of words of six letters in reads, of four letters by two bits each: counters of a block in shared memory
__global__ void hexamers(const uint32_t *__restrict__ reads, unsigned *__restrict__ count, int words) {
  __shared__ unsigned local[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words - 1; w += gridDim.x * blockDim.x) {
    uint64_t two = reads[w] | (uint64_t)reads[w + 1] << 32;
#pragma unroll
    for (int k = 0; k < 16; k++) atomicAdd(&local[two >> 2 * k & 4095], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    if (local[i]) atomicAdd(&count[i], local[i]);
}

// a matrix of correlations between genes, of ranks in rows, tiles of 32 by 32
__global__ void coexpression(const float *__restrict__ x, const float2 *__restrict__ moments, float *__restrict__ r, int genes, int samples) {
  __shared__ float a[32][33], b[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  if (j0 < i0) return;
  float s[4] = {0.f, 0.f, 0.f, 0.f};
  for (int k0 = 0; k0 < samples; k0 += 32) {
    for (int y = ty; y < 32; y += 8) {
      a[y][tx] = x[(size_t)(i0 + y) * samples + k0 + tx];
      b[y][tx] = x[(size_t)(j0 + y) * samples + k0 + tx];
    }
    __syncthreads();
    for (int k = 0; k < 32; k++)
#pragma unroll
      for (int y = 0; y < 4; y++) s[y] += a[ty + 8 * y][k] * b[tx][k];
    __syncthreads();
  }
  float2 mj = moments[j0 + tx];
#pragma unroll
  for (int y = 0; y < 4; y++) {
    float2 mi = moments[i0 + ty + 8 * y];
    r[(size_t)(i0 + ty + 8 * y) * genes + j0 + tx] = (s[y] / samples - mi.x * mj.x) * mi.y * mj.y;
  }
}
