// Integers in registers.

__global__ void xorshift(unsigned *x, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i] + i;
  for (int s = 0; s < steps; s++) v ^= v << 13, v ^= v >> 17, v ^= v << 5;
  x[i] = v;
}

__global__ void congruential(unsigned *x, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = x[i], b = a + i;
  for (int s = 0; s < steps; s++) a = a * 1664525u + 1013904223u, b = b * 22695477u + a;
  x[i] = a ^ b;
}

// 64-bit products and additions with carry.
__global__ void wide64(unsigned long long *x, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long v = x[i] + i;
  for (int s = 0; s < steps; s++) v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull + 0x9e3779b97f4a7c15ull;
  x[i] = v;
}

__global__ void bits(unsigned *x, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i] * 2654435761u, c = 0;
  for (int s = 0; s < steps; s++) {
    c += __popc(v) + __clz(v | 1);
    v = __brev(v) + __byte_perm(v, c, 0x1302) + (v & 0xff00ff00u);
  }
  x[i] = v ^ c;
}

// Divisions by a number that the compiler does not know.
__global__ void quotients(int *x, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (x[i] * 7919 + i) / d + (x[i] * 104729 - i) % (d + 2);
}
