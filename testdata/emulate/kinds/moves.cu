// Kernels that move data.
#include <cuda_fp16.h>
// Stores by an array of places; KIND 0: stores, 1: sums of float, 2: counts.
#ifndef KIND
#define KIND 0
#endif
extern "C" __global__ void moves_scatter(const float *in, const int *place, float *out, unsigned *count, int n, unsigned mult, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = (place[i] * mult + 12345u) & mask;
#if KIND == 0
  out[at] = in[i];
#elif KIND == 1
  atomicAdd(out + at, in[i]);
#else
  atomicAdd(count + at, 1u);
#endif
}
// Elements of a tensor of four axes with any strides, by quotients.
extern "C" __global__ void moves_permute(const float *in, float *out, int n, int d1, int d2, int d3, int s0, int s1, int s2, int s3) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k3 = i % d3, r = i / d3, k2 = r % d2;
  r /= d2;
  int k1 = r % d1, k0 = r / d1;
  out[i] = in[k0 * s0 + k1 * s1 + k2 * s2 + k3 * s3];
}
// Two strided operands and a result.
extern "C" __global__ void moves_strided(const float *a, const float *b, float *c, int n, int sa, int sb, int sc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[(size_t)i * sc] = a[(size_t)i * sa] * b[(size_t)i * sb] + 1.0f;
}
// Rows by an index, as of an embedding.
extern "C" __global__ void moves_rows(const float *table, const int *index, float *out, int rows, int cols, unsigned mult, unsigned mask) {
  int r = blockIdx.x, c = threadIdx.x;
  unsigned from = (index[r] * mult) & mask;
  for (int k = c; k < cols; k += blockDim.x) out[(size_t)r * cols + k] = table[(size_t)from * cols + k];
}
// Casts. CAST 0: float to half, 1: half to float, 2: bytes to float, 3: float to signed bytes, 4: double to float.
#ifndef CAST
#define CAST 0
#endif
extern "C" __global__ void moves_cast(const void *in, void *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if CAST == 0
  ((__half *)out)[i] = __float2half(((const float *)in)[i]);
#elif CAST == 1
  ((float *)out)[i] = __half2float(((const __half *)in)[i]);
#elif CAST == 2
  ((float *)out)[i] = ((const unsigned char *)in)[i] * (1.0f / 255.0f);
#elif CAST == 3
  ((signed char *)out)[i] = (signed char)max(-128, min(127, __float2int_rn(((const float *)in)[i] * 20.0f)));
#else
  ((float *)out)[i] = (float)((const double *)in)[i];
#endif
}
// A machine of states over bytes, its table in WHERE 0: shared, 1: constant, 2: global memory.
#ifndef WHERE
#define WHERE 0
#endif
__constant__ unsigned char machine[4096];
extern "C" __global__ void moves_states(const unsigned *text, const unsigned char *table, int *out, int words, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if WHERE == 0
  __shared__ unsigned char t[4096];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) ((unsigned *)t)[k] = ((const unsigned *)table)[k];
  __syncthreads();
#elif WHERE == 1
  const unsigned char *t = machine;
#else
  const unsigned char *t = table;
#endif
  unsigned s = 0, hits = 0;
  for (int w = 0; w < words; w++) {
    unsigned v = text[w * total + i] * 2654435761u + i;
    for (int b = 0; b < 4; b++) {
      s = t[(s & 15u) * 256u + (v & 255u)];
      hits += s == 3u;
      v >>= 8;
    }
  }
  out[i] = hits;
}
// Reorders by digits of 4 bits, a block for 1024 words: ranks in shared memory, then stores at places of the whole.
extern "C" __global__ void moves_radix(const unsigned *in, unsigned *out, const unsigned *base, int shift, int n) {
  __shared__ unsigned count[16][9];
  __shared__ unsigned start[16];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned v[4], rank[4], digit[4];
  for (int e = threadIdx.x; e < 16 * 9; e += 256) ((unsigned *)count)[e] = 0;
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    v[k] = in[blockIdx.x * 1024 + k * 256 + threadIdx.x] * 2654435761u + threadIdx.x * 40503u;
    digit[k] = (v[k] >> shift) & 15u;
    unsigned peers = 0xffffffffu;
    for (int b = 0; b < 4; b++) {
      unsigned vote = __ballot_sync(0xffffffffu, (digit[k] >> b) & 1u);
      peers &= (digit[k] >> b) & 1u ? vote : ~vote;
    }
    unsigned below = __popc(peers & ((1u << lane) - 1u)), have = count[digit[k]][warp];
    rank[k] = have + below;
    __syncwarp();
    if (below == 0) count[digit[k]][warp] = have + __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int w = 0; w < 8; w++) {
      unsigned c = count[threadIdx.x][w];
      count[threadIdx.x][w] = sum;
      sum += c;
    }
    start[threadIdx.x] = threadIdx.x * (n / 16) + blockIdx.x * 64;
  }
  __syncthreads();
  for (int k = 0; k < 4; k++) out[(start[digit[k]] + count[digit[k]][warp] + rank[k]) & (n - 1)] = v[k] + (base ? 0 : 1);
}
