#include <stdint.h>
#define ROT(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QUARTER(a, b, c, d) a += b; d = ROT(d ^ a, 16); c += d; b = ROT(b ^ c, 12); a += b; d = ROT(d ^ a, 8); c += d; b = ROT(b ^ c, 7);
// ChaCha20: 64 bytes of the key stream by each work-item
__global__ void chacha(const uint32_t *__restrict__ key, uint32_t *__restrict__ out, uint32_t counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t s[16], x[16];
  s[0] = 0x61707865u; s[1] = 0x3320646eu; s[2] = 0x79622d32u; s[3] = 0x6b206574u;
#pragma unroll
  for (int k = 0; k < 8; k++) s[4 + k] = key[k];
  s[12] = counter + i; s[13] = key[8]; s[14] = key[9]; s[15] = key[10];
#pragma unroll
  for (int k = 0; k < 16; k++) x[k] = s[k];
  for (int round = 0; round < 10; round++) {
    QUARTER(x[0], x[4], x[8], x[12]) QUARTER(x[1], x[5], x[9], x[13]) QUARTER(x[2], x[6], x[10], x[14]) QUARTER(x[3], x[7], x[11], x[15])
    QUARTER(x[0], x[5], x[10], x[15]) QUARTER(x[1], x[6], x[11], x[12]) QUARTER(x[2], x[7], x[8], x[13]) QUARTER(x[3], x[4], x[9], x[14])
  }
#pragma unroll
  for (int k = 0; k < 16; k++) out[(size_t)k * n + i] = x[k] + s[k];
}

__device__ __forceinline__ uint64_t rol(uint64_t x, int n) { return n ? x << n | x >> (64 - n) : x; }

__constant__ uint64_t rounds_of_keccak[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull, 0x0000000080000001ull,
    0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull,
    0x000000000000800aull, 0x800000008000000aull, 0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

// one permutation Keccak-f[1600] of 8 words that are padded, four words of the result
__global__ void keccak(const uint64_t *__restrict__ in, uint64_t *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t a[25];
#pragma unroll
  for (int k = 0; k < 25; k++) a[k] = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) a[k] = in[(size_t)k * n + i];
  a[8] = 1; a[16] = 0x8000000000000000ull;
#pragma unroll 1
  for (int r = 0; r < 24; r++) {
    uint64_t c[5], b[25];
#pragma unroll
    for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int x = 0; x < 5; x++) {
      uint64_t d = c[(x + 4) % 5] ^ rol(c[(x + 1) % 5], 1);
#pragma unroll
      for (int y = 0; y < 25; y += 5) a[x + y] ^= d;
    }
    const int turn[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
#pragma unroll
    for (int y = 0; y < 5; y++)
#pragma unroll
      for (int x = 0; x < 5; x++) b[y + 5 * ((2 * x + 3 * y) % 5)] = rol(a[x + 5 * y], turn[x + 5 * y]);
#pragma unroll
    for (int y = 0; y < 25; y += 5)
#pragma unroll
      for (int x = 0; x < 5; x++) a[x + y] = b[x + y] ^ (~b[(x + 1) % 5 + y] & b[(x + 2) % 5 + y]);
    a[0] ^= rounds_of_keccak[r];
  }
#pragma unroll
  for (int k = 0; k < 4; k++) out[(size_t)k * n + i] = a[k];
}

// powers modulo an odd number of 64 bits, by Montgomery's products
__device__ __forceinline__ uint64_t montgomery(uint64_t a, uint64_t b, uint64_t m, uint64_t inverse) {
  uint64_t lo = a * b, hi = __umul64hi(a, b);
  uint64_t q = lo * inverse, back = __umul64hi(q, m);
  uint64_t r = hi - back;
  return hi < back ? r + m : r;
}
__global__ void modpow(const uint64_t *__restrict__ base, uint64_t *__restrict__ out, uint64_t m, uint64_t inverse, uint64_t one, uint32_t exponent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t x = base[i] % m, r = one;
  for (uint32_t e = exponent; e; e >>= 1) {
    if (e & 1) r = montgomery(r, x, m, inverse);
    x = montgomery(x, x, m, inverse);
  }
  out[i] = r;
}

// four parity bytes of Reed and Solomon for blocks of 28 bytes, by tables of logarithms in shared memory
__global__ void rs_encode(const uint8_t *__restrict__ data, const uint8_t *__restrict__ tables, uint32_t *__restrict__ parity, int n) {
  __shared__ uint8_t power[512], log[256];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) power[k] = tables[k];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) log[k] = tables[512 + k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t *words = (const uint32_t *)(data + (size_t)28 * i);
  uint32_t p0 = 0, p1 = 0, p2 = 0, p3 = 0;
  for (int w = 0; w < 7; w++) {
    uint32_t word = words[w];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      uint32_t feed = (word >> (8 * k) & 255) ^ p3;
      uint32_t l = log[feed];
      p3 = p2 ^ (feed ? power[l + 75] : 0);
      p2 = p1 ^ (feed ? power[l + 249] : 0);
      p1 = p0 ^ (feed ? power[l + 78] : 0);
      p0 = feed ? power[l + 6] : 0;
    }
  }
  parity[i] = p0 | p1 << 8 | p2 << 16 | p3 << 24;
}
