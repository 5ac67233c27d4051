// Codes and ciphers.

__constant__ unsigned rounds[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of 64 bytes for each thread.
__global__ void sha256(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
  for (int k = 0; k < 16; k++) w[k] = in[k * n + i];
#define TURN(x, k) __funnelshift_r(x, x, k)
#pragma unroll
  for (int k = 0; k < 64; k++) {
    if (k >= 16) w[k & 15] += (TURN(w[k + 1 & 15], 7) ^ TURN(w[k + 1 & 15], 18) ^ w[k + 1 & 15] >> 3) + w[k + 9 & 15] + (TURN(w[k + 14 & 15], 17) ^ TURN(w[k + 14 & 15], 19) ^ w[k + 14 & 15] >> 10);
    unsigned a = s[7] + (TURN(s[4], 6) ^ TURN(s[4], 11) ^ TURN(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) + rounds[k] + w[k & 15];
    unsigned b = (TURN(s[0], 2) ^ TURN(s[0], 13) ^ TURN(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + a, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = a + b;
  }
#pragma unroll
  for (int k = 0; k < 8; k++) out[k * n + i] = s[k];
}

// AES with one table of words in shared memory.
__global__ void aes(const uint4 *__restrict__ in, uint4 *__restrict__ out, const unsigned *__restrict__ table, const uint4 *__restrict__ keys, int n) {
  __shared__ unsigned t[256];
  __shared__ uint4 k[11];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) t[i] = table[i] * 0x01000193u ^ i * 0x9e3779b9u;
  if (threadIdx.x < 11) k[threadIdx.x] = keys[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 s = in[i];
#pragma unroll 2
    for (int r = 1; r < 11; r++) {
#define LOOK(a, b, c, d) t[a & 255] ^ __byte_perm(t[b >> 8 & 255], 0, 0x2103) ^ __byte_perm(t[c >> 16 & 255], 0, 0x1032) ^ __byte_perm(t[d >> 24], 0, 0x0321)
      s = make_uint4(LOOK(s.x, s.y, s.z, s.w) ^ k[r].x, LOOK(s.y, s.z, s.w, s.x) ^ k[r].y, LOOK(s.z, s.w, s.x, s.y) ^ k[r].z, LOOK(s.w, s.x, s.y, s.z) ^ k[r].w);
    }
    out[i] = s;
  }
}

// Products in the field of 256 elements, by logarithms in constant memory: parity of 8 of 16 stripes.
__constant__ unsigned char powers[512], logarithms[256];
__global__ void parity(const unsigned char *__restrict__ data, unsigned char *__restrict__ out, const unsigned char *__restrict__ matrix, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  for (int r = 0; r < 4; r++) {
    unsigned char sum = 0;
    for (int c = 0; c < 12; c++) {
      unsigned char v = data[(size_t)c * length + i];
      if (v != 0) sum ^= powers[logarithms[v] + matrix[r * 12 + c]];
    }
    out[(size_t)r * length + i] = sum;
  }
}

// Huffman's codes by a table of 10 bits, a chunk for each thread.
__global__ void huffman(const unsigned *__restrict__ in, const unsigned short *__restrict__ table, unsigned char *__restrict__ out, int each) {
  __shared__ unsigned short fast[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) fast[k] = table[k];
  __syncthreads();
  int chunk = blockIdx.x * blockDim.x + threadIdx.x, at = 0, have = 0;
  const unsigned *from = in + (size_t)chunk * each;
  unsigned char *to = out + (size_t)chunk * each;
  unsigned long long bits = 0;
  for (int k = 0; k < each; k++) {
    if (have < 10) bits |= (unsigned long long)from[at++] << have, have += 32;
    unsigned short e = fast[bits & 1023];
    int length = (e & 7) + 2;
    to[k] = e >> 1;
    bits >>= length;
    have -= length;
  }
}

// A filter of Bloom's: K places of a bit array for each key.
__global__ void bloom(const unsigned *__restrict__ key, const unsigned *__restrict__ bits, unsigned char *__restrict__ found, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = key[i] ^ i;
  bool all = true;
  for (int k = 0; k < 5 && all; k++) {
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u, h ^= h >> 16;
    unsigned at = h & mask;
    all = bits[at / 32] >> at % 32 & 1;
  }
  found[i] = all;
}

// Differences and zigzag, packed to as few bits as a block of 32 takes.
__global__ void pack(const int *__restrict__ in, unsigned *__restrict__ out, unsigned char *__restrict__ width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  int v = in[i], d = v - __shfl_up_sync(~0u, v, 1);
  if (lane == 0) d = 0;
  unsigned z = d << 1 ^ d >> 31, most = 32 - __clz(__reduce_or_sync(~0u, z));
  for (int b = 0; b < most; b++) {
    unsigned word = __ballot_sync(~0u, z >> b & 1);
    if (lane == b) out[i / 32 * 32 + b] = word;
  }
  if (lane == 0) width[i / 32] = most;
}
