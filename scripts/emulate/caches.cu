// Caches of instructions and of constants: jumps over code, operands in a constant bank, LDC by lanes that differ.
//
//     nvcc -std=c++17 -arch=sm_90 -o caches caches.cu
#include "common.h"

// ---- jumps over code that is not executed: BLOCKS times BYTES
template <int BLOCKS, int BYTES>
__global__ void jumps(long long *t, float a, unsigned jump) {
  float x = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    long long t0 = now();
#pragma unroll
    for (int k = 0; k < BLOCKS; k++)
      if (!jump) {
#pragma unroll
        for (int f = 0; f < BYTES / 16 - 2; f++) asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(a));
      }
    long long t1 = now();
    if (threadIdx.x % 32 == 0) t[(i * 32 + threadIdx.x / 32) * 2] = t0, t[(i * 32 + threadIdx.x / 32) * 2 + 1] = t1;
  }
  if (x == 1.2345f) t[9999] = 0;
}
static void rounds(const char *name, int a, int b, int warps, double of) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  get(4 * 64);
  printf("%s,%d,%d,%d", name, a, b, warps);
  for (int i = 0; i < 4; i++) {
    long long s = 1ll << 62, e = 0;
    for (int k = 0; k < warps; k++) s = std::min(s, host[(i * 32 + k) * 2]), e = std::max(e, host[(i * 32 + k) * 2 + 1]);
    printf(",%.2f", (double)(e - s) / of);
  }
  printf("\n"), fflush(stdout);
}
template <int BLOCKS, int BYTES>
static void jump() {
  for (int w : {1, 4}) jumps<BLOCKS, BYTES><<<1, 32 * w>>>(tt, 1.0f, 1), rounds("code_jumps", BLOCKS, BYTES, w, BLOCKS);
}

// ---- FFMA with an operand in a constant bank, a place further each time
__constant__ float table[16384];
template <int COUNT, int WORDS>
__global__ void operands(long long *t) {
  float x = threadIdx.x, y = x, z = x, v = x;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    long long t0 = now();
#pragma unroll
    for (int k = 0; k < COUNT; k += 4) {
      x = x * x + table[k * WORDS];
      y = y * y + table[(k + 1) * WORDS];
      z = z * z + table[(k + 2) * WORDS];
      v = v * v + table[(k + 3) * WORDS];
    }
    asm volatile("" : "+f"(x), "+f"(y), "+f"(z), "+f"(v)::"memory");
    long long t1 = now();
    if (threadIdx.x % 32 == 0) t[(i * 32 + threadIdx.x / 32) * 2] = t0, t[(i * 32 + threadIdx.x / 32) * 2 + 1] = t1;
  }
  if (x + y + z + v == 1.2345f) t[9999] = 0;
}
template <int COUNT, int WORDS>
static void operand() {
  for (int w : {1, 4, 8}) operands<COUNT, WORDS><<<1, 32 * w>>>(tt), rounds("constant_operands", COUNT, WORDS * 4, w, COUNT);
}

// ---- LDC: so many different words of a warp, by warps
__global__ void lookups(long long *t, int different, int n, int words) {
  unsigned a = threadIdx.x % 32 % different * words * 4, s = 0;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int k = 0; k < 8; k++) {
      unsigned at = a + k * 4 + (s & 1), v;
      asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "l"((u64)__cvta_generic_to_constant(table) + at) : "memory");
      s += v;
    }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (s == 12345) t[9999] = 0;
}
// The same without waiting for each.
__global__ void streams(long long *t, int different, int n, int words) {
  unsigned a = threadIdx.x % 32 % different * words * 4, s[8] = {};
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("ld.const.u32 %0, [%1];" : "=r"(s[k]) : "l"((u64)__cvta_generic_to_constant(table) + a + k * 4) : "memory");
    a ^= s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4] ^ s[5] ^ s[6] ^ s[7];
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (a == 12345) t[9999] = 0;
}
static void lookup() {
  for (int different : {1, 2, 4, 8, 16, 32})
    for (int w : {1, 4, 16}) {
      for (int r = 0; r < 2; r++) lookups<<<1, 32 * w>>>(tt, different, 64, 1);
      CHECK(cudaDeviceSynchronize());
      double chain = span(w) / 64.0 / 8;
      for (int r = 0; r < 2; r++) streams<<<1, 32 * w>>>(tt, different, 64, 1);
      CHECK(cudaDeviceSynchronize());
      printf("constant_words,%d,%d,%.2f,stream,%.2f\n", different, w, chain, span(w) / 64.0 / 8 / w), fflush(stdout);
    }
}

int main() {
  prepare();
  jump<8, 768>(), jump<32, 768>(), jump<64, 768>(), jump<112, 768>(), jump<256, 768>();
  operand<64, 16>(), operand<128, 16>(), operand<256, 16>(), operand<512, 16>(), operand<1024, 16>(), operand<1024, 1>();
  lookup();
  printf("# done\n");
  return 0;
}
