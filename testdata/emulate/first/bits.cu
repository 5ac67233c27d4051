#include <stdint.h>
// Carry-save adders over words: how many of 15 flags are set, for 32 items at once, as four planes of bits.
__device__ __forceinline__ void csa(uint32_t &h, uint32_t &l, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t u = a ^ b;
  h = (a & b) | (u & c);
  l = u ^ c;
}

__global__ void count_planes(const uint32_t *__restrict__ flags, uint32_t *__restrict__ planes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t ones = 0, twos = 0, fours = 0, eights = 0;
#pragma unroll
  for (int k = 0; k < 15; k++) {
    uint32_t x = flags[k * n + i], c;
    c = ones & x; ones ^= x; x = c;
    c = twos & x; twos ^= x; x = c;
    c = fours & x; fours ^= x; x = c;
    eights ^= x;
  }
  planes[i] = ones;
  planes[n + i] = twos;
  planes[2 * n + i] = fours;
  planes[3 * n + i] = eights;
}
