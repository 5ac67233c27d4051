// Constants that are loaded by address. Each load has its address from the one before, as the table holds zeros. Of m the low half is how many words a walk goes through, again and again, and
// the high half how many words it goes on by.
__constant__ word table[16384];
#define WALK                                                       \
  _Pragma("unroll 1") for (int i = 0; i < n; i++) {                \
    _Pragma("unroll") for (int k = 0; k < 16; k++) {               \
      x += step + table[x];                                        \
      x = x >= window ? x - window : x;                            \
    }                                                              \
  }
// Warps begin evenly apart, and blocks at places of their own. All places were there before.
KERNEL(constant_walk) {
  word window = m & 0xffff, step = (word)m >> 16, x = 0;
#pragma unroll 1
  for (word i = 0; i < window; i += step) x += table[i];
#pragma unroll 1
  for (word i = (threadIdx.x / 32 * (window / step / (blockDim.x / 32)) + blockIdx.x * 167) % (window / step); i > 0; i--) x += step;
  dword t0 = now();
  WALK
  dword t1 = now();
  TELL
  KEEP(x)
}
KERNEL(constant_first) {
  word window = m & 0xffff, step = (word)m >> 16, x = threadIdx.x / 32;
  dword t0 = now();
  WALK
  dword t1 = now();
  TELL
  KEEP(x)
}
// Lanes load at so many addresses beside each other as step says.
KERNEL(constant_lanes) {
  word step = (word)m >> 16, x = LANE % step;
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) x += table[x];
  }
  dword t1 = now();
  TELL
  KEEP(x)
}
// Lanes load at places of their own at random, in a window of a power of two.
KERNEL(constant_random) {
  word window = m & 0xffff, step = (word)m >> 16, v = (blockIdx.x * blockDim.x + threadIdx.x / 32 * 32 + threadIdx.x % 32 % step) * 2654435761u;
  dword t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) v = (v + table[v >> 8 & (window - 1)]) * 1664525u + 1013904223u;
  }
  dword t1 = now();
  TELL
  KEEP(v)
}
