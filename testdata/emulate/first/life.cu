typedef unsigned char u8;
// A generation on a torus, a byte a cell
extern "C" __global__ void life_bytes(const u8 *__restrict__ now, u8 *__restrict__ next, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      alive += now[((y + dy + h) % h) * w + (x + dx + w) % w];
    }
  u8 self = now[y * w + x];
  next[y * w + x] = alive == 3 || (self && alive == 2);
}

// 32 cells a word, neighbours added by full adders
extern "C" __global__ void life_bits(const unsigned *__restrict__ now, unsigned *__restrict__ next, int words, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= h) return;
  int up = (y == 0 ? h - 1 : y - 1) * words, mid = y * words, down = (y == h - 1 ? 0 : y + 1) * words;
  int left = x == 0 ? words - 1 : x - 1, right = x == words - 1 ? 0 : x + 1;
  unsigned s0 = 0, s1 = 0, s2 = 0;
  int rows[3] = {up, mid, down};
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    unsigned a = now[rows[r] + left], b = now[rows[r] + x], c = now[rows[r] + right];
    unsigned n[3] = {b << 1 | a >> 31, r == 1 ? 0u : b, b >> 1 | c << 31};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      unsigned carry = s0 & n[k];
      s0 ^= n[k];
      unsigned carry2 = s1 & carry;
      s1 ^= carry;
      s2 |= carry2;
    }
  }
  next[mid + x] = ~s2 & s1 & (s0 | now[mid + x]);
}
