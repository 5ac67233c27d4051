// Hashes and checksums.

// A byte at a time with a table in shared memory: the banks depend on the data.
__global__ void crc(const unsigned *__restrict__ x, unsigned *y, int words) {
  __shared__ unsigned table[256];
  for (int t = threadIdx.x; t < 256; t += blockDim.x) {
    unsigned c = t;
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    table[t] = c;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  unsigned c = ~0u;
  for (int w = 0; w < words; w++) {
    unsigned v = x[w * stride + i] * 2654435761u;
    for (int b = 0; b < 4; b++, v >>= 8) c = c >> 8 ^ table[(c ^ v) & 255];
  }
  y[i] = ~c;
}

// Bit by bit: selects only.
__global__ void crcbits(const unsigned *__restrict__ x, unsigned *y, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  unsigned c = ~0u;
  for (int w = 0; w < words; w++) {
    c ^= x[w * stride + i];
#pragma unroll
    for (int k = 0; k < 32; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  }
  y[i] = ~c;
}

// Rounds of additions, rotations and exclusive ors on 16 words, as in stream ciphers.
__device__ unsigned turn(unsigned v, int k) { return v << k | v >> (32 - k); }
__global__ void __launch_bounds__(256) rotations(unsigned *x, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s[16];
#pragma unroll
  for (int k = 0; k < 16; k++) s[k] = x[i] + k * 0x9e3779b9u;
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 8; k++) {  // four columns, four diagonals
      int q = k / 4;
      unsigned &a = s[k % 4], &b = s[4 + (k + q) % 4], &c = s[8 + (k + 2 * q) % 4], &d = s[12 + (k + 3 * q) % 4];
      a += b, d = turn(d ^ a, 16), c += d, b = turn(b ^ c, 12);
      a += b, d = turn(d ^ a, 8), c += d, b = turn(b ^ c, 7);
    }
  unsigned v = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) v ^= s[k];
  x[i] = v;
}

// Keys into an open table in global memory.
__global__ void insert(const unsigned *__restrict__ keys, unsigned *table, int n, int slots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = (keys[i] + i * 16) | 1, h = k * 2654435761u;
  for (int tries = 0; tries < 64; tries++, h++) {
    unsigned old = atomicCAS(&table[h & (slots - 1)], 0u, k);
    if (old == 0 || old == k) return;
  }
}
