#include <stdint.h>
// solutions of the queens' problem on 12 by 12 squares below each of the first three rows' places, with a stack of masks
__global__ void queens(const uint32_t *__restrict__ start, int *__restrict__ found, int n, int tasks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tasks) return;
  uint32_t full = (1u << n) - 1, s = start[i], free[12], col[12], up[12], down[12];
  int c0 = s & 15, c1 = s >> 4 & 15, c2 = s >> 8 & 15, row = 0, count = 0;
  col[0] = 1u << c0 | 1u << c1 | 1u << c2;
  up[0] = (1u << c0 << 3 | 1u << c1 << 2 | 1u << c2 << 1) & full;
  down[0] = 1u << c0 >> 3 | 1u << c1 >> 2 | 1u << c2 >> 1;
  free[0] = full & ~(col[0] | up[0] | down[0]);
  while (row >= 0) {
    uint32_t f = free[row];
    if (!f) { row--; continue; }
    uint32_t b = f & -f;
    free[row] = f ^ b;
    if (row == n - 4) { count++; continue; }
    col[row + 1] = col[row] | b; up[row + 1] = (up[row] | b) << 1 & full; down[row + 1] = (down[row] | b) >> 1;
    row++;
    free[row] = full & ~(col[row] | up[row] | down[row]);
  }
  found[i] = count;
}

__device__ __forceinline__ uint32_t mixed(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
// half a sweep of Metropolis over spins of two colours
__global__ void ising(int8_t *__restrict__ spin, const int8_t *__restrict__ other, int w, int h, int colour, uint32_t seed, float beta) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int odd = (y + colour) & 1, side = odd ? (x + 1) % w : (x + w - 1) % w;
  int at = y * w + x, s = spin[at];
  int around = other[at] + other[y * w + side] + other[(y + 1) % h * w + x] + other[(y + h - 1) % h * w + x];
  float u = (mixed(seed ^ at) >> 8) * (1.f / 16777216.f);
  if (u < expf(-2.f * beta * s * around)) spin[at] = -s;
}

// sixteen rounds of a sandpile in shared memory: a place with four grains gives one to each neighbour
__global__ void sandpile(const int *__restrict__ in, int *__restrict__ out, int w) {
  __shared__ int a[2][64][65];
  int bx = blockIdx.x * 32 - 16, by = blockIdx.y * 32 - 16;
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) {
    int x = bx + k % 64, y = by + k / 64;
    a[0][k / 64][k % 64] = x >= 0 && y >= 0 && x < w && y < w ? in[y * w + x] : 0;
  }
  for (int r = 0; r < 16; r++) {
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) {
      int x = k % 64, y = k / 64, v = a[r & 1][y][x] & 3;
      if (x > 0) v += a[r & 1][y][x - 1] >> 2;
      if (x < 63) v += a[r & 1][y][x + 1] >> 2;
      if (y > 0) v += a[r & 1][y - 1][x] >> 2;
      if (y < 63) v += a[r & 1][y + 1][x] >> 2;
      a[~r & 1][y][x] = v;
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) out[(by + 16 + k / 32) * w + bx + 16 + k % 32] = a[0][k / 32 + 16][k % 32 + 16];
}
