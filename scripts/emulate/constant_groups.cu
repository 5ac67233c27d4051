// How sub-groups of a multiprocessor share lines of constants, and multiprocessors those of the second cache, in 16 KB. A line has: loads of an iteration, bytes from place to place, sub-groups
// of a multiprocessor, how many of these go through the same places, bytes between the places of such, bytes between those of multiprocessors, multiprocessors that are busy, sub-groups of
// all; cycles a place in the last two rounds: the mean of sub-groups, and that of the slowest. 64 sub-groups with four loads take as long as 32: their two work-groups seem not to run at once.
//
//     nvcc -std=c++17 -arch=sm_90 -o constant_groups constant_groups.cu
#include "common.h"

__constant__ float table[16384];

template <int U> __global__ void walk(float *y, long long *t, int step, int same, int own, int apart, int places, int mask, int busy) {
  extern __shared__ float room[];
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) t[2 * w] = t[2 * w + 1] = 0;
  if ((int)sm >= busy) return;
  float s = threadIdx.x;
  long long t0 = 0;
  int at = (threadIdx.x / 32 + blockIdx.x % 2 * 32) / same * own + sm * apart;
  for (int r = 0; r < 3; r++) {
    if (r < 2) t0 = now();
    if (U == 1) {
#pragma unroll 1
      for (int k = 0; k < places; k++) s = s * 0.5f + table[(at + k * step) & mask];
    } else {
#pragma unroll 1
      for (int k = 0; k < places; k += 4) {
        float a = table[(at + k * step) & mask], b = table[(at + k * step + step) & mask], c = table[(at + k * step + 2 * step) & mask], d = table[(at + k * step + 3 * step) & mask];
        s = (((s * 0.5f + a) * 0.5f + b) * 0.5f + c) * 0.5f + d;
      }
    }
    asm volatile("" : "+f"(s)::"memory");
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
  if (s == 123.f) room[0] = s;
  y[threadIdx.x] = s;
}

int main() {
  prepare();
  CHECK(cudaFuncSetAttribute(walk<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  CHECK(cudaFuncSetAttribute(walk<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int u : {1, 4})
    for (int step : {16, 64})
      for (int warps : {8, 32, 64}) // 64: two work-groups of 32, which take turns in coming
        for (int same : {1, 8})
          for (int own : {0, 16, 128, 132})
            for (int apart : {0, 1, 16, 100})
              for (int busy : {1, 16, 132}) {
                if (busy == 1 && apart || same == 8 && own == 0) continue;
                int groups = warps == 64 ? 2 : 1, threads = 32 * warps / groups;
                int shared = groups == 2 ? 100 << 10 : 200 << 10;
                if (u == 1) walk<1><<<SMS * groups, threads, shared>>>((float *)buf, tt, step, same, own, apart, 128, 4095, busy);
                else walk<4><<<SMS * groups, threads, shared>>>((float *)buf, tt, step, same, own, apart, 128, 4095, busy);
                CHECK(cudaGetLastError());
                CHECK(cudaDeviceSynchronize());
                get((size_t)SMS * warps * 2);
                double sum = 0, most = 0;
                int n = 0;
                for (int w = 0; w < SMS * warps; w++)
                  if (host[2 * w + 1] > 0) sum += host[2 * w + 1] - host[2 * w], most = std::max(most, (double)(host[2 * w + 1] - host[2 * w])), n++;
                printf("groups,loads%d,step%d,warps%d,same%d,own%d,apart%d,busy%d,%d,%.2f,%.2f\n", u, 4 * step, warps, same, 4 * own, 4 * apart, busy, n, sum / std::max(n, 1) / 128 / 2, most / 128 / 2);
                fflush(stdout);
              }
  printf("# done\n");
}
