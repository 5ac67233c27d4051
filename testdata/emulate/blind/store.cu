#include <stdint.h>
// numbers of variable length, seven bits in a byte: values of chunks of 32 bytes and how many end there
__global__ void varint(const uint8_t *__restrict__ in, const int *__restrict__ first, uint32_t *__restrict__ out, int chunks) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chunks) return;
  const uint8_t *p = in + (size_t)c * 32;
  uint32_t *o = out + first[c];
  uint32_t v = 0;
  int shift = 0;
  for (int k = 0; k < 32; k++) {
    uint8_t b = p[k];
    v |= (uint32_t)(b & 127) << shift;
    if (b & 128) shift += 7;
    else { *o++ = v; v = 0; shift = 0; }
  }
}

// symbols of a stream by rANS, of 256 in all: a state for each thread, words taken in turn by a warp
__global__ void rans(const uint16_t *__restrict__ words, const uint32_t *__restrict__ slot, const int *__restrict__ start, uint8_t *__restrict__ out, int symbols) {
  __shared__ uint32_t table[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) table[i] = slot[i];
  __syncthreads();
  int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint16_t *p = words + start[warp];
  uint32_t x = 0x10000u + lane * 977u;
  for (int s = 0; s < symbols; s++) {
    uint32_t e = table[x & 4095];
    x = (e >> 20) * (x >> 12) + (e >> 8 & 4095);
    out[((size_t)warp * symbols + s) * 32 + lane] = e & 255;
    bool need = x < 0x10000u;
    unsigned vote = __ballot_sync(~0u, need);
    if (need) x = x << 16 | p[__popc(vote & ((1u << lane) - 1))];
    p += __popc(vote);
  }
}

// rows of two sorted columns that have the same key: places by bounds
__global__ void merge_join(const int *__restrict__ left, const int *__restrict__ right, int2 *__restrict__ range, int nl, int nr) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nl) return;
  int key = left[i], lo = 0, hi = nr;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (right[mid] < key) lo = mid + 1; else hi = mid;
  }
  int begin = lo;
  hi = nr;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (right[mid] <= key) lo = mid + 1; else hi = mid;
  }
  range[i] = make_int2(begin, lo - begin);
}

// a checksum of GHASH: products in the field of 2^128, by bits
__global__ void ghash(const uint4 *__restrict__ data, uint4 *__restrict__ tag, uint4 h, int blocks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 y = make_uint4(0, 0, 0, 0);
  for (int b = 0; b < blocks; b++) {
    uint4 d = data[(size_t)b * n + i];
    uint32_t x[4] = {y.x ^ d.x, y.y ^ d.y, y.z ^ d.z, y.w ^ d.w};
    uint4 v = h, z = make_uint4(0, 0, 0, 0);
    for (int w = 0; w < 4; w++)
      for (int k = 31; k >= 0; k--) {
        uint32_t m = -(x[w] >> k & 1);
        z.x ^= v.x & m; z.y ^= v.y & m; z.z ^= v.z & m; z.w ^= v.w & m;
        uint32_t low = -(v.w & 1) & 0xe1000000u;
        v.w = v.w >> 1 | v.z << 31; v.z = v.z >> 1 | v.y << 31; v.y = v.y >> 1 | v.x << 31; v.x = v.x >> 1 ^ low;
      }
    y = z;
  }
  tag[i] = y;
}

// sums by group in a table of the block, then in global memory: groups are 1 to 16 in a column of bytes
__global__ void group_sums(const uint8_t *__restrict__ group, const int *__restrict__ cents, unsigned long long *__restrict__ total, int n) {
  __shared__ unsigned long long sum[17 * 4];
  for (int i = threadIdx.x; i < 68; i += blockDim.x) sum[i] = 0;
  __syncthreads();
  unsigned long long *mine = sum + 17 * (threadIdx.x & 3);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[group[i]], (unsigned long long)cents[i]);
  __syncthreads();
  if (threadIdx.x < 17) atomicAdd(&total[threadIdx.x], sum[threadIdx.x] + sum[17 + threadIdx.x] + sum[34 + threadIdx.x] + sum[51 + threadIdx.x]);
}
