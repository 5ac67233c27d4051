#include <stdint.h>
#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))
#define MIX(a, b, c, d, x, y) a += b + (x); d = TURN(d ^ a, 16); c += d; b = TURN(b ^ c, 12); a += b + (y); d = TURN(d ^ a, 8); c += d; b = TURN(b ^ c, 7);
// the first 32 bytes of BLAKE3 of blocks of 64 bytes, words of blocks apart
__global__ void blake(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t m[16], s[16] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u, 0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0, 0, 64, 11};
#pragma unroll
  for (int k = 0; k < 16; k++) m[k] = in[(size_t)k * n + i];
  const int next[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
#pragma unroll
  for (int r = 0; r < 7; r++) {
    MIX(s[0], s[4], s[8], s[12], m[0], m[1]) MIX(s[1], s[5], s[9], s[13], m[2], m[3]) MIX(s[2], s[6], s[10], s[14], m[4], m[5]) MIX(s[3], s[7], s[11], s[15], m[6], m[7])
    MIX(s[0], s[5], s[10], s[15], m[8], m[9]) MIX(s[1], s[6], s[11], s[12], m[10], m[11]) MIX(s[2], s[7], s[8], s[13], m[12], m[13]) MIX(s[3], s[4], s[9], s[14], m[14], m[15])
    uint32_t t[16];
#pragma unroll
    for (int k = 0; k < 16; k++) t[k] = m[next[k]];
#pragma unroll
    for (int k = 0; k < 16; k++) m[k] = t[k];
  }
#pragma unroll
  for (int k = 0; k < 8; k++) out[(size_t)k * n + i] = s[k] ^ s[k + 8];
}

#define ROL64(x, n) ((x) << (n) | (x) >> (64 - (n)))
#define SIP a += b; b = ROL64(b, 13); b ^= a; a = ROL64(a, 32); c += d; d = ROL64(d, 16); d ^= c; a += d; d = ROL64(d, 21); d ^= a; c += b; b = ROL64(b, 17); b ^= c; c = ROL64(c, 32);
// SipHash of words of 8 bytes, 1 to 8 of each row
__global__ void sip(const uint64_t *__restrict__ rows, const uint8_t *__restrict__ length, uint64_t *__restrict__ out, uint64_t k0, uint64_t k1, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull, c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
  int l = length[i];
  for (int k = 0; k < l; k++) {
    uint64_t m = rows[(size_t)k * n + i];
    d ^= m; SIP SIP a ^= m;
  }
  uint64_t last = (uint64_t)l << 56;
  d ^= last; SIP SIP a ^= last; c ^= 0xff; SIP SIP SIP SIP
  out[i] = a ^ b ^ c ^ d;
}
