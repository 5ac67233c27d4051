#include <stdint.h>
#include <cuda_fp16.h>
// distances of edit of patterns of up to 32 letters to lines of 64 letters, by Myers' bit vectors; a table of masks of each pattern is in global memory
__global__ void edits(const uint8_t *__restrict__ text, const uint32_t *__restrict__ mask, uint8_t *__restrict__ out, int length, int lines) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  const uint32_t *eq = mask + 32 * blockIdx.y;
  uint32_t pv = ~0u, mv = 0;
  int score = 24;
  for (int k = 0; k < length; k++) {
    uint32_t e = eq[text[(size_t)k * lines + i] & 31], xv = e | mv, xh = (((e & pv) + pv) ^ pv) | e;
    uint32_t ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph & 1u << 23) score++;
    if (mh & 1u << 23) score--;
    ph = ph << 1 | 1;
    pv = mh << 1 | ~(xv | ph);
    mv = ph & xv;
  }
  out[(size_t)blockIdx.y * lines + i] = score;
}

// code points of UTF-8 and where each begins, 4 bytes by a work-item; the count of each block goes out
__global__ void utf8_count(const uint32_t *__restrict__ text, int *__restrict__ count, int *__restrict__ bad, int n) {
  __shared__ int total[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, c = 0, wrong = 0;
  if (i < n) {
    uint32_t w = text[i];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      uint32_t b = w >> 8 * k & 255;
      if ((b & 0xc0) != 0x80) c++;
      if (b == 0xc0 || b == 0xc1 || b > 0xf4) wrong = 1;
    }
  }
  if (__any_sync(~0u, wrong) && lane == 0) atomicOr(bad, 1);
  c = __reduce_add_sync(~0u, c);
  if (lane == 0) total[threadIdx.x / 32] = c;
  __syncthreads();
  if (threadIdx.x < 8) {
    c = total[threadIdx.x];
    for (int d = 4; d; d >>= 1) c += __shfl_down_sync(0xffu, c, d, 8);
    if (threadIdx.x == 0) count[blockIdx.x] = c;
  }
}

// a table of states in shared memory runs over lines of text that lie one after the other
__global__ void automaton(const uint8_t *__restrict__ text, const uint8_t *__restrict__ table, uint8_t *__restrict__ accepted, int length, int lines) {
  extern __shared__ uint8_t next[];
  for (int k = threadIdx.x; k < 64 * 64; k += blockDim.x) next[k] = table[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  const uint4 *p = (const uint4 *)(text + (size_t)i * length);
  int state = 0;
  for (int k = 0; k < length / 16; k++) {
    uint4 v = p[k];
    uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 16; j++) state = next[state * 64 + (w[j / 4] >> 8 * (j % 4) & 63)] & 63;
  }
  accepted[i] = state;
}

// the two best of 64 experts of each token, and their weights: a warp for each token
__global__ void route_tokens(const __half *__restrict__ logits, int2 *__restrict__ which, float2 *__restrict__ weight, int *__restrict__ load, int tokens) {
  int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (t >= tokens) return;
  float a = __half2float(logits[(size_t)t * 64 + lane]), b = __half2float(logits[(size_t)t * 64 + 32 + lane]), v[2];
  int e[2];
  for (int k = 0; k < 2; k++) {
    float m = fmaxf(a, b);
    int at = a >= b ? lane : lane + 32;
    for (int d = 16; d; d >>= 1) {
      float o = __shfl_xor_sync(~0u, m, d);
      int p = __shfl_xor_sync(~0u, at, d);
      if (o > m || (o == m && p < at)) { m = o; at = p; }
    }
    v[k] = m; e[k] = at;
    if (at == lane) a = -1e30f;
    if (at == lane + 32) b = -1e30f;
  }
  if (lane == 0) {
    float q = expf(v[1] - v[0]);
    which[t] = make_int2(e[0], e[1]);
    weight[t] = make_float2(1.f / (1.f + q), q / (1.f + q));
    atomicAdd(&load[e[0]], 1); atomicAdd(&load[e[1]], 1);
  }
}
