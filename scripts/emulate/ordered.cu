// Atomic operations in order: fences before them, as compilers write them for acquire and release, and several numbers at once. A line has the name, what
// varies, and cycles: of `fence` of a round of one sub-group, of `sums` of an operation of a sub-group on the whole device.
//
//     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o ordered ordered.cu
#include "common.h"

static double clocks;

// What a round does: 0 nothing but a fence; 1 a store before it; 2 a sum before it; 3 a load before it; 4 stores to four lines.
template <int WHAT, bool FENCE>
__global__ void fences(char *base, int n, int apart, long long *t) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  char *at = base + (size_t)warp * 65536 + threadIdx.x % 32 * 4;
  float sum = 0;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    char *p = at + i * apart % 65536;
    if (WHAT == 1) asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(sum) : "memory");
    if (WHAT == 2) asm volatile("red.relaxed.gpu.global.add.f32 [%0], 0f3f800000;" ::"l"(p) : "memory");
    if (WHAT == 3) {
      float v;
      asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
      sum += v;
    }
    if (WHAT == 4)
      for (int k = 0; k < 4; k++) asm volatile("st.global.f32 [%0], %1;" ::"l"(p + k * 8192), "f"(sum) : "memory");
    if (FENCE) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[2 * warp] = t0, t[2 * warp + 1] = t1;
  if (sum == 1.2345f) t[0] = 0;
}
template <int WHAT, bool FENCE>
static void fence() {
  for (int blocks : {1, SMS})
    for (int warps : {1, 4, 16}) {
      int n = 64;
      for (int r = 0; r < 2; r++) fences<WHAT, FENCE><<<blocks, 32 * warps>>>((char *)buf, n, 128, tt);
      CHECK(cudaDeviceSynchronize());
      printf("fence,%s%s,%d x %d,%.2f\n", (const char *[]){"", "store", "sum", "load", "four stores"}[WHAT], FENCE ? "" : " without", blocks, warps, (double)span(blocks * warps) / n);
    }
  fflush(stdout);
}

// Each sub-group adds to places of lanes that follow each other, WIDTH numbers by each lane, at ROW bytes by chance. ORDER: 0 none, 1 acquire and release.
template <int WIDTH, bool FLOAT, bool ORDER>
__global__ void sums(char *base, unsigned rows, unsigned row, int lanes, int n) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    unsigned x = (warp * n + i + lane / lanes * 7919) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    char *p = base + (size_t)((x ^ x >> 13) % rows) * row + lane % lanes * 4 * WIDTH;
    if (WIDTH == 1 && !FLOAT) asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    if (WIDTH == 1 && FLOAT && !ORDER) asm volatile("red.relaxed.gpu.global.add.f32 [%0], 0f3f800000;" ::"l"(p) : "memory");
    if (WIDTH == 2 && !ORDER) asm volatile("red.relaxed.gpu.global.v2.f32.add [%0], {0f3f800000,0f3f800000};" ::"l"(p) : "memory");
    if (WIDTH == 4 && !ORDER) asm volatile("red.relaxed.gpu.global.v4.f32.add [%0], {0f3f800000,0f3f800000,0f3f800000,0f3f800000};" ::"l"(p) : "memory");
    float a, b, c, d;
    if (WIDTH == 1 && FLOAT && ORDER) asm volatile("atom.acq_rel.gpu.global.add.f32 %0, [%1], 0f3f800000;" : "=f"(a) : "l"(p) : "memory");
    if (WIDTH == 2 && ORDER) asm volatile("atom.acq_rel.gpu.global.v2.f32.add {%0,%1}, [%2], {0f3f800000,0f3f800000};" : "=f"(a), "=f"(b) : "l"(p) : "memory");
    if (WIDTH == 4 && ORDER)
      asm volatile("atom.acq_rel.gpu.global.v4.f32.add {%0,%1,%2,%3}, [%4], {0f3f800000,0f3f800000,0f3f800000,0f3f800000};" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(p) : "memory");
  }
}
template <int WIDTH, bool FLOAT, bool ORDER>
static void sum() {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  for (unsigned megabytes : {1u, 3u, 24u})
    for (int lanes : {32, 8, 4, 1})
      for (int blocks : {SMS, 8 * SMS}) {
        unsigned row = 128 * WIDTH;
        float times[2];
        for (int k = 0; k < 2; k++) {
          times[k] = 1e30f;
          for (int r = 0; r < 3; r++) {
            CHECK(cudaEventRecord(from));
            sums<WIDTH, FLOAT, ORDER><<<blocks, 256>>>((char *)buf, (megabytes << 20) / row, row, lanes, k ? 48 : 16);
            CHECK(cudaEventRecord(to));
            CHECK(cudaEventSynchronize(to));
            float ms;
            CHECK(cudaEventElapsedTime(&ms, from, to));
            times[k] = std::min(times[k], ms);
          }
        }
        printf("sums,%s%d%s,%u MB,%d lanes,%d blocks,%.4f\n", FLOAT ? "f32 x " : "u32 x ", WIDTH, ORDER ? " in order" : "", megabytes, lanes, blocks,
               (times[1] - times[0]) * 1e-3 * clocks / (blocks * 8.0 * 32));
      }
  fflush(stdout);
}

int main() {
  prepare();
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  clocks = khz * 1e3;
  fence<0, true>(), fence<1, true>(), fence<2, true>(), fence<3, true>(), fence<4, true>(), fence<1, false>(), fence<2, false>(), fence<3, false>();
  sum<1, false, false>(), sum<1, true, false>(), sum<2, true, false>(), sum<4, true, false>(), sum<1, true, true>(), sum<2, true, true>(), sum<4, true, true>();
}
