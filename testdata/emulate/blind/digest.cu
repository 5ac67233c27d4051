#include <stdint.h>
// MD5 of messages of 55 bytes or fewer, made of a prefix and a counter: a search for a digest
#define F(x, y, z) ((x & y) | (~x & z))
#define G(x, y, z) ((x & z) | (y & ~z))
#define H(x, y, z) (x ^ y ^ z)
#define I(x, y, z) (y ^ (x | ~z))
#define R(f, a, b, c, d, k, s, t) a += f(b, c, d) + m[k] + t; a = __funnelshift_l(a, a, s) + b;
__global__ void md5_search(const uint32_t *__restrict__ prefix, uint32_t *__restrict__ found, uint32_t target, int rounds) {
  uint32_t i0 = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; r++) {
    uint32_t m[16];
#pragma unroll
    for (int k = 0; k < 4; k++) m[k] = prefix[k];
    m[4] = i0 + r * all; m[5] = 0x80;
#pragma unroll
    for (int k = 6; k < 16; k++) m[k] = 0;
    m[14] = 160;
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    R(F,a,b,c,d,0,7,0xd76aa478) R(F,d,a,b,c,1,12,0xe8c7b756) R(F,c,d,a,b,2,17,0x242070db) R(F,b,c,d,a,3,22,0xc1bdceee)
    R(F,a,b,c,d,4,7,0xf57c0faf) R(F,d,a,b,c,5,12,0x4787c62a) R(F,c,d,a,b,6,17,0xa8304613) R(F,b,c,d,a,7,22,0xfd469501)
    R(F,a,b,c,d,8,7,0x698098d8) R(F,d,a,b,c,9,12,0x8b44f7af) R(F,c,d,a,b,10,17,0xffff5bb1) R(F,b,c,d,a,11,22,0x895cd7be)
    R(F,a,b,c,d,12,7,0x6b901122) R(F,d,a,b,c,13,12,0xfd987193) R(F,c,d,a,b,14,17,0xa679438e) R(F,b,c,d,a,15,22,0x49b40821)
    R(G,a,b,c,d,1,5,0xf61e2562) R(G,d,a,b,c,6,9,0xc040b340) R(G,c,d,a,b,11,14,0x265e5a51) R(G,b,c,d,a,0,20,0xe9b6c7aa)
    R(G,a,b,c,d,5,5,0xd62f105d) R(G,d,a,b,c,10,9,0x02441453) R(G,c,d,a,b,15,14,0xd8a1e681) R(G,b,c,d,a,4,20,0xe7d3fbc8)
    R(G,a,b,c,d,9,5,0x21e1cde6) R(G,d,a,b,c,14,9,0xc33707d6) R(G,c,d,a,b,3,14,0xf4d50d87) R(G,b,c,d,a,8,20,0x455a14ed)
    R(G,a,b,c,d,13,5,0xa9e3e905) R(G,d,a,b,c,2,9,0xfcefa3f8) R(G,c,d,a,b,7,14,0x676f02d9) R(G,b,c,d,a,12,20,0x8d2a4c8a)
    R(H,a,b,c,d,5,4,0xfffa3942) R(H,d,a,b,c,8,11,0x8771f681) R(H,c,d,a,b,11,16,0x6d9d6122) R(H,b,c,d,a,14,23,0xfde5380c)
    R(H,a,b,c,d,1,4,0xa4beea44) R(H,d,a,b,c,4,11,0x4bdecfa9) R(H,c,d,a,b,7,16,0xf6bb4b60) R(H,b,c,d,a,10,23,0xbebfbc70)
    R(H,a,b,c,d,13,4,0x289b7ec6) R(H,d,a,b,c,0,11,0xeaa127fa) R(H,c,d,a,b,3,16,0xd4ef3085) R(H,b,c,d,a,6,23,0x04881d05)
    R(H,a,b,c,d,9,4,0xd9d4d039) R(H,d,a,b,c,12,11,0xe6db99e5) R(H,c,d,a,b,15,16,0x1fa27cf8) R(H,b,c,d,a,2,23,0xc4ac5665)
    R(I,a,b,c,d,0,6,0xf4292244) R(I,d,a,b,c,7,10,0x432aff97) R(I,c,d,a,b,14,15,0xab9423a7) R(I,b,c,d,a,5,21,0xfc93a039)
    R(I,a,b,c,d,12,6,0x655b59c3) R(I,d,a,b,c,3,10,0x8f0ccc92) R(I,c,d,a,b,10,15,0xffeff47d) R(I,b,c,d,a,1,21,0x85845dd1)
    R(I,a,b,c,d,8,6,0x6fa87e4f) R(I,d,a,b,c,15,10,0xfe2ce6e0) R(I,c,d,a,b,6,15,0xa3014314) R(I,b,c,d,a,13,21,0x4e0811a1)
    R(I,a,b,c,d,4,6,0xf7537e82) R(I,d,a,b,c,11,10,0xbd3af235) R(I,c,d,a,b,2,15,0x2ad7d2bb) R(I,b,c,d,a,9,21,0xeb86d391)
    if (a + 0x67452301 == target) found[0] = m[4];
  }
}

// number theoretic transforms of 1,024 residues modulo 998244353, each by a block in shared memory, by Montgomery products
__device__ uint32_t mulmod(uint32_t a, uint32_t b) {
  uint64_t t = (uint64_t)a * b;
  uint32_t q = (uint32_t)t * 998244351u;
  uint32_t r = (t + (uint64_t)q * 998244353u) >> 32;
  return r >= 998244353u ? r - 998244353u : r;
}
__global__ void ntt(uint32_t *__restrict__ data, const uint32_t *__restrict__ root) {
  __shared__ uint32_t s[1024];
  uint32_t *d = data + blockIdx.x * 1024, t = threadIdx.x;
  s[__brev(t) >> 22] = d[t];
  s[__brev(t + 512) >> 22] = d[t + 512];
  for (int half = 1; half < 1024; half *= 2) {
    __syncthreads();
    int j = t & (half - 1), at = 2 * t - j;
    uint32_t x = s[at], y = mulmod(s[at + half], root[half + j]);
    uint32_t sum = x + y, dif = x - y;
    s[at] = sum >= 998244353u ? sum - 998244353u : sum;
    s[at + half] = x < y ? dif + 998244353u : dif;
  }
  __syncthreads();
  d[t] = s[t];
  d[t + 512] = s[t + 512];
}

// places on a Hilbert curve of order 16
__global__ void hilbert(const uint32_t *__restrict__ place, uint32_t *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x = place[i] & 65535, y = place[i] >> 16, d = 0;
  for (uint32_t s = 32768; s > 0; s >>= 1) {
    uint32_t rx = (x & s) != 0, ry = (y & s) != 0;
    d += s * s * (3 * rx ^ ry);
    if (!ry) {
      if (rx) { x = 65535 - x; y = 65535 - y; }
      uint32_t t = x; x = y; y = t;
    }
  }
  out[i] = d;
}

// the nodes of a radix tree over sorted codes
__device__ int common(const uint32_t *code, int n, int i, int j) {
  if (j < 0 || j >= n) return -1;
  uint32_t a = code[i], b = code[j];
  return a == b ? 32 + __clz(i ^ j) : __clz(a ^ b);
}
__global__ void radix_tree(const uint32_t *__restrict__ code, int2 *__restrict__ child, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  int d = common(code, n, i, i + 1) > common(code, n, i, i - 1) ? 1 : -1, least = common(code, n, i, i - d), most = 2;
  while (common(code, n, i, i + most * d) > least) most *= 2;
  int l = 0;
  for (int t = most / 2; t >= 1; t /= 2)
    if (common(code, n, i, i + (l + t) * d) > least) l += t;
  int j = i + l * d, node = common(code, n, i, j), s = 0;
  for (int t = (l + 1) / 2;; t = (t + 1) / 2) {
    if (common(code, n, i, i + (s + t) * d) > node) s += t;
    if (t <= 1) break;
  }
  int split = i + s * d + min(d, 0);
  child[i] = make_int2(min(i, j) == split ? ~split : split, max(i, j) == split + 1 ? ~(split + 1) : split + 1);
}
