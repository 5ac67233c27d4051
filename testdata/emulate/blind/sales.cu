#include <stdint.h>
// revenue of lines of orders that three columns choose, one sum of 64 bits
__global__ void revenue(const int *__restrict__ day, const uint8_t *__restrict__ discount, const uint8_t *__restrict__ quantity, const int *__restrict__ price, unsigned long long *__restrict__ sum, int n) {
  __shared__ unsigned long long part[8];
  unsigned long long s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    int4 d = ((const int4 *)day)[i], p = ((const int4 *)price)[i];
    uchar4 r = ((const uchar4 *)discount)[i], q = ((const uchar4 *)quantity)[i];
    if (d.x >= 8766 && d.x < 9131 && r.x >= 5 && r.x <= 7 && q.x < 24) s += (unsigned long long)p.x * r.x;
    if (d.y >= 8766 && d.y < 9131 && r.y >= 5 && r.y <= 7 && q.y < 24) s += (unsigned long long)p.y * r.y;
    if (d.z >= 8766 && d.z < 9131 && r.z >= 5 && r.z <= 7 && q.z < 24) s += (unsigned long long)p.z * r.z;
    if (d.w >= 8766 && d.w < 9131 && r.w >= 5 && r.w <= 7 && q.w < 24) s += (unsigned long long)p.w * r.w;
  }
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; k++) s += part[k];
    atomicAdd(sum, s);
  }
}

// counts of a sketch of four rows of 2^14 counters, which keys meet by four hashes
__global__ void sketch(const uint32_t *__restrict__ key, uint32_t *__restrict__ counter, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint32_t k = key[i];
#pragma unroll
    for (int r = 0; r < 4; r++) {
      const uint32_t by[4] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu};
      atomicAdd(&counter[r << 14 | k * by[r] >> 18], 1u);
    }
  }
}
