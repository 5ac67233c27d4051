typedef unsigned int u32;
typedef unsigned long long u64;

// products of numbers of 256 bits, limbs of a number n apart
__global__ void mul256(const u32 *a, const u32 *b, u32 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 x[8], y[8], z[16];
  for (int k = 0; k < 8; k++) {
    x[k] = a[k * n + i];
    y[k] = b[k * n + i];
  }
  for (int k = 0; k < 16; k++) z[k] = 0;
  for (int j = 0; j < 8; j++) {
    u64 carry = 0;
    for (int k = 0; k < 8; k++) {
      u64 t = (u64)x[j] * y[k] + z[j + k] + carry;
      z[j + k] = (u32)t;
      carry = t >> 32;
    }
    z[j + 8] = (u32)carry;
  }
  for (int k = 0; k < 16; k++) c[k * n + i] = z[k];
}
