// Which line of a set of constants gives way, and how multiprocessors share the second cache. A line of "cycle" has: lines, bytes between them; cycles a place. One of "walk": bytes from
// place to place, and between the first places of sub-groups, sub-groups of a multiprocessor, multiprocessors that are busy, sub-groups of all; cycles a place of the last
// three rounds: the mean of sub-groups, and that of the slowest.
//
//     nvcc -std=c++17 -arch=sm_90 -o constant_sets constant_sets.cu
#include "common.h"

__constant__ float table[16384];

// Places so many words apart, again and again: by one warp that waits for each.
__global__ void cycle(float *y, long long *t, int lines, int apart, int rounds) {
  float s = threadIdx.x;
  long long t0 = 0;
  for (int r = 0; r < 2; r++) {
    t0 = now();
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
#pragma unroll 1
      for (int i = 0; i < lines; i++) s = s * 0.5f + table[i * apart];
    asm volatile("" : "+f"(s)::"memory");
  }
  long long t1 = now();
  if (threadIdx.x == 0) t[0] = t0, t[1] = t1;
  y[threadIdx.x] = s;
}

// Each warp walks through constants of its own, step words from place to place: by so many multiprocessors, the others leave at once. A work-group takes the shared memory of a
// multiprocessor, so that each has one.
__global__ void walk(float *y, long long *t, int step, int own, int places, int busy) {
  extern __shared__ float room[];
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) t[4 * w + 2] = sm, t[4 * w] = t[4 * w + 1] = 0;
  if ((int)sm >= busy) return;
  float s = threadIdx.x;
  long long t0 = 0;
  int at = (threadIdx.x / 32 * own) & 16383;
  for (int r = 0; r < 4; r++) {
    if (r < 2) t0 = now();
#pragma unroll 1
    for (int k = 0; k < places; k++) s = s * 0.5f + table[(at + k * step) & 16383];
    asm volatile("" : "+f"(s)::"memory");
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[4 * w] = t0, t[4 * w + 1] = t1;
  if (s == 123.f) room[0] = s;
  y[threadIdx.x] = s;
}

int main() {
  prepare();
  for (int apart : {16, 64, 128, 256, 1024})
    for (int lines = 1; lines <= 16; lines++) {
      if (lines * apart > 16384) continue;
      cycle<<<1, 32>>>((float *)buf, tt, lines, apart, 64);
      CHECK(cudaDeviceSynchronize());
      get(2);
      printf("cycle,lines%d,apart%d,%.2f\n", lines, 4 * apart, (double)(host[1] - host[0]) / 64 / lines);
    }
  CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int step : {16, 64, 128})
    for (int own : {0, 16, 132, 1024})
      for (int warps : {1, 2, 4, 8, 16, 32})
        for (int busy : {1, 2, 4, 8, 16, 33, 66, 99, 132}) {
          walk<<<SMS, 32 * warps, 200 << 10>>>((float *)buf, tt, step, own, 64, busy);
          CHECK(cudaDeviceSynchronize());
          get((size_t)SMS * warps * 4);
          double sum = 0, most = 0;
          int n = 0;
          for (int w = 0; w < SMS * warps; w++)
            if (host[4 * w + 1] > 0) sum += host[4 * w + 1] - host[4 * w], most = std::max(most, (double)(host[4 * w + 1] - host[4 * w])), n++;
          printf("walk,step%d,own%d,warps%d,busy%d,%d,%.2f,%.2f\n", 4 * step, 4 * own, warps, busy, n, sum / std::max(n, 1) / 64 / 3, most / 64 / 3);
        }
  printf("# done\n");
}
