#include <stdint.h>
// a table of keys by open addressing
__global__ void hash_build(const uint32_t *__restrict__ key, uint32_t *__restrict__ table, uint32_t *__restrict__ value, int n, uint32_t mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t k = key[i] * 2654435761u + 1u;
  uint32_t slot = (k ^ k >> 15) & mask;
  while (true) {
    uint32_t found = atomicCAS(&table[slot], 0u, k);
    if (found == 0u || found == k) { value[slot] = i; return; }
    slot = (slot + 1) & mask;
  }
}

// running totals of an account: a scan of each block by shuffles
__global__ void running(const int *__restrict__ amount, long long *__restrict__ total, int n) {
  __shared__ long long part[8];
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  long long v = i < n ? amount[i] : 0;
  for (int d = 1; d < 32; d *= 2) { long long u = __shfl_up_sync(~0u, v, d); if (lane >= d) v += u; }
  if (lane == 31) part[w] = v;
  __syncthreads();
  if (w == 0) {
    long long p = lane < 8 ? part[lane] : 0;
    for (int d = 1; d < 8; d *= 2) { long long u = __shfl_up_sync(~0u, p, d); if (lane >= d) p += u; }
    if (lane < 8) part[lane] = p;
  }
  __syncthreads();
  if (w > 0) v += part[w - 1];
  if (i < n) total[i] = v;
}

// a column of codes of 16 bits as the numbers that they stand for, summed by rows of eight
__global__ void decode_sum(const ushort4 *__restrict__ code, const double *__restrict__ dictionary, double *__restrict__ sum, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  ushort4 a = code[2 * r], b = code[2 * r + 1];
  sum[r] = dictionary[a.x & 4095] + dictionary[a.y & 4095] + dictionary[a.z & 4095] + dictionary[a.w & 4095] + dictionary[b.x & 4095] + dictionary[b.y & 4095] + dictionary[b.z & 4095] + dictionary[b.w & 4095];
}

// prices times amounts in decimals of 64 bits, rounded to two places behind the point
__global__ void decimals(const long long *__restrict__ price, const long long *__restrict__ amount, long long *__restrict__ cost, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long p = price[i] * 1237 - 5000, q = amount[i] * 99991;
  long long high = __mul64hi(p, q), low = p * q;
  if (high != (low >> 63)) { cost[i] = high < 0 ? -9223372036854775807ll : 9223372036854775807ll; return; }
  long long half = low < 0 ? -5000 : 5000;
  cost[i] = (low + half) / 10000;
}

// texts run through an automaton of 16 classes of characters and 32 states
__global__ void automata(const uint8_t *__restrict__ text, const uint8_t *__restrict__ kind, const uint8_t *__restrict__ next, uint8_t *__restrict__ state, int length, int n) {
  __shared__ uint8_t of[256], go[512];
  of[threadIdx.x] = kind[threadIdx.x] & 15;
  for (int i = threadIdx.x; i < 512; i += 256) go[i] = next[i] * 37 + i & 31;
  __syncthreads();
  int t = blockIdx.x * 256 + threadIdx.x;
  if (t >= n) return;
  int s = 0;
  for (int k = 0; k < length; k++) s = go[s * 16 + of[text[(size_t)k * n + t]]];
  state[t] = s;
}

// the least and the greatest number of each thousand rows
__global__ void zones(const long long *__restrict__ v, long long *__restrict__ least, long long *__restrict__ most, int n) {
  __shared__ long long a[8], b[8];
  long long lo = 0x7fffffffffffffffll, hi = -lo - 1;
  for (int i = threadIdx.x; i < 2048; i += 256) {
    long long x = v[(size_t)blockIdx.x * 2048 + i];
    lo = min(lo, x); hi = max(hi, x);
  }
  for (int d = 16; d; d >>= 1) { lo = min(lo, __shfl_down_sync(~0u, lo, d)); hi = max(hi, __shfl_down_sync(~0u, hi, d)); }
  if ((threadIdx.x & 31) == 0) { a[threadIdx.x / 32] = lo; b[threadIdx.x / 32] = hi; }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) { lo = min(lo, a[w]); hi = max(hi, b[w]); }
    least[blockIdx.x] = lo; most[blockIdx.x] = hi;
  }
}
