// Constants by rows: work-groups of one sub-group ask for places a step apart, each so far beside the others, by LDC and by ULDC, as often as to see what the
// caches keep. A line has: step and distance in bytes, bytes after which places come again, work-groups of a multiprocessor, multiprocessors; cycles a place.
//
//     nvcc -std=c++17 -arch=sm_90 -o constants_rows constants_rows.cu
#include "common.h"

__constant__ float table[16384];
static const int ROUNDS = 256;

template <bool UNIFORM>
__global__ void rows(float *y, long long *t, int step, int apart, int mask, int sms, int one) {
  int own = blockIdx.x / sms * apart;
  if (one && blockIdx.x % sms != 0) return;
  if (!UNIFORM) own += threadIdx.x >> 10;
  float s = threadIdx.x;
  long long t0 = 0;
  for (int r = 0; r < 2; r++) {
    t0 = now();
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) s = s * 0.5f + table[(k * step + own) & mask];
    asm volatile("" : "+f"(s)::"memory");
  }
  long long t1 = now();
  if (threadIdx.x == 0) t[blockIdx.x * 2] = t0, t[blockIdx.x * 2 + 1] = t1;
  y[blockIdx.x * 32 + threadIdx.x] = s;
}

// Lanes of a sub-group at several places, so many a step apart.
__global__ void lanes(float *y, long long *t, int step, int apart, int places, int mask, int sms) {
  int own = blockIdx.x / sms * 132 + (threadIdx.x % places) * apart;
  float s = threadIdx.x;
  long long t0 = 0;
  for (int r = 0; r < 2; r++) {
    t0 = now();
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) s = s * 0.5f + table[(k * step + own) & mask];
    asm volatile("" : "+f"(s)::"memory");
  }
  long long t1 = now();
  if (threadIdx.x == 0) t[blockIdx.x * 2] = t0, t[blockIdx.x * 2 + 1] = t1;
  y[blockIdx.x * 32 + threadIdx.x] = s;
}

static void tell(int blocks, bool one) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  get(blocks * 2);
  double sum = 0;
  int n = 0;
  for (int b = 0; b < blocks; b++)
    if (!one || b % SMS == 0) sum += host[2 * b + 1] - host[2 * b], n++;
  printf(",%.2f\n", sum / n / ROUNDS);
}

int main() {
  prepare();
  for (int uniform : {0, 1})
    for (int step : {1, 4, 16, 32, 64, 128, 256})
      for (int foot : {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}) {
        if (step * 4 >= foot) continue;
        for (int warps : {1, 4, 8, 16, 32})
          for (int apart : {0, 4, 16, 132}) {
            if (warps == 1 && apart || step != 64 && apart == 4) continue;
            for (int one : {1, 0}) {
              if (one && warps == 16) continue;
              if (uniform) rows<true><<<SMS * warps, 32>>>((float *)buf, tt, step, apart, foot / 4 - 1, SMS, one);
              else rows<false><<<SMS * warps, 32>>>((float *)buf, tt, step, apart, foot / 4 - 1, SMS, one);
              printf("%s,step%d,apart%d,bytes%d,groups%d,sms%d", uniform ? "uldc" : "ldc", 4 * step, 4 * apart, foot, warps, one ? 1 : SMS), tell(SMS * warps, one);
            }
          }
      }
  for (int step : {0, 1, 16, 64})
    for (int apart : {1, 4, 16, 64})
      for (int places : {2, 4, 8, 16, 32})
        for (int foot : {2048, 4096, 16384, 65536})
          for (int warps : {1, 8, 32}) {
            if (places * apart * 4 > foot) continue;
            lanes<<<SMS * warps, 32>>>((float *)buf, tt, step, apart, places, foot / 4 - 1, SMS);
            printf("lanes,step%d,apart%d,places%d,bytes%d,groups%d", 4 * step, 4 * apart, places, foot, warps), tell(SMS * warps, false);
          }
  printf("# done\n");
  return 0;
}
