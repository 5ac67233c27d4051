// Constants that the nearest cache lacks, by lines and warps; L2 by footprint in one launch; load-store instructions of several warps.
#include "common.h"
__constant__ unsigned table[16384];
// Loads of constants: lanes LINES lines apart, over so many words, without waiting for each.
__global__ void constants(long long *t, int different, int apart, int words, int n) {
  unsigned a = threadIdx.x % 32 % different * apart + threadIdx.x / 32 * 997, s[4] = {};
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i += 4) {
#pragma unroll
    for (int k = 0; k < 4; k++) asm volatile("ld.const.u32 %0, [%1];" : "=r"(s[k]) : "l"((u64)__cvta_generic_to_constant(table) + (a + k * 16) % words * 4) : "memory");
    a += (s[0] ^ s[1] ^ s[2] ^ s[3]) + 64;
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (a == 12345678) t[9999] = 0;
}
// Constants that all lanes share, by uniform loads.
__global__ void shared_ones(float *y, long long *t, int words, int n) {
  float v = threadIdx.x, s = 0;
  long long t0 = now();
#pragma unroll 1
  for (int r = 0; r < n; r++)
#pragma unroll 8
    for (int k = 0; k < words; k++) s = s * v + __int_as_float(table[k]);
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  y[threadIdx.x] = s;
}
// MIX loads of L1 that hit, and ALU and FMA instructions beside them: cycles of a multiprocessor for each round
template <int LOADS, int FMAS, int INTS>
__global__ void mixed(const float *x, long long *t, int n) {
  const float *p = x + threadIdx.x;
  float s[4] = {1, 2, 3, 4};
  int k = threadIdx.x;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float v[LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; l++) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[l]) : "l"(p + (l & 1 ? l * 32 : -(int)(threadIdx.x % 32))) : "memory");
#pragma unroll
    for (int l = 0; l < FMAS; l++) asm volatile("fma.rn.f32 %0, %1, %1, %0;" : "+f"(s[l % 4]) : "f"(v[l % LOADS]));
#pragma unroll
    for (int l = 0; l < INTS; l++) asm volatile("xor.b32 %0, %0, %1;" : "+r"(k) : "r"(i + l));
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (s[0] + s[1] + s[2] + s[3] == 1.5f || k == 12345678) t[9999] = 0;
}
template <int LOADS, int FMAS, int INTS>
static void mix() {
  for (int w : {4, 8, 16, 32}) {
    for (int r = 0; r < 2; r++) mixed<LOADS, FMAS, INTS><<<1, 32 * w>>>((float *)buf + 4096, tt, 256);
    CHECK(cudaDeviceSynchronize());
    printf("mixed,%d,%d,%d,%d,%.2f\n", LOADS, FMAS, INTS, w, (double)span(w) / 256 / w), fflush(stdout);
  }
}
int main() {
  prepare();
  for (int different : {1, 2, 4, 8, 32})
    for (int apart : {1, 16, 61})
      for (int words : {512, 1024, 4096, 16384})
        for (int w : {1, 4, 16}) {
          for (int r = 0; r < 2; r++) constants<<<1, 32 * w>>>(tt, different, apart, words, 256);
          CHECK(cudaDeviceSynchronize());
          printf("constants,%d,apart%d,words%d,warps%d,%.2f\n", different, apart, words, w, (double)span(w) / 256 / w), fflush(stdout);
        }
  for (int words : {256, 480, 512, 640, 1024, 2048, 8192})
    for (int w : {1, 4, 16, 32}) {
      for (int r = 0; r < 2; r++) shared_ones<<<1, 32 * w>>>((float *)buf, tt, words, 16);
      CHECK(cudaDeviceSynchronize());
      printf("uniform_constants,%d,%d,%.3f\n", words, w, (double)span(w) / 16 / words), fflush(stdout);
    }
  mix<2, 1, 1>(), mix<2, 1, 4>(), mix<8, 4, 4>(), mix<8, 4, 8>(), mix<8, 8, 0>(), mix<1, 1, 1>(), mix<8, 0, 0>(), mix<8, 4, 0>(), mix<8, 0, 4>(), mix<2, 2, 2>();
  printf("# done\n");
  return 0;
}
