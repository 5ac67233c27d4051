// Constants that all lanes share, where work-groups walk through places of their own or the same ones, at once or later: by an address in a register (LDC, walks), and at
// fixed places (fixed). A line has: kind, step and distance of work-groups in bytes, places, cycles between starts, work-groups of a multiprocessor, work-items of each,
// multiprocessors; cycles a place of each of four rounds, the mean of the work-groups. Only the first round begins together: later ones need not be under way at once.
#include "common.h"

__constant__ float table[16384];
static const int ROUNDS = 4;

__device__ __forceinline__ void later(int cycles) {
  long long t0 = now();
  while (now() < t0 + cycles) {}
}

// By an address: the base follows from the number of the work-group, which all lanes share.
template <int STEP>
__global__ void walks(float *y, long long *t, int apart, int places, int gap, int one) {
  if (one && blockIdx.x != 0) { later(200000); return; }
  float v = threadIdx.x, s[4] = {};
  int own = blockIdx.y * apart;
#pragma unroll 1
  for (int r = 0; r < ROUNDS; r++) {
    __syncthreads();
    later(r == 0 ? 20000 + blockIdx.y * gap : 0);
    long long t0 = now();
#pragma unroll 1
    for (int k = 0; k < places; k += 4)
#pragma unroll
      for (int j = 0; j < 4; j++) s[j] = s[j] * v + table[own + (k + j) * STEP];
    asm volatile("" : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])::"memory");
    long long t1 = now();
    if (threadIdx.x == 0) t[((blockIdx.y * gridDim.x + blockIdx.x) * ROUNDS + r) * 2] = t0, t[((blockIdx.y * gridDim.x + blockIdx.x) * ROUNDS + r) * 2 + 1] = t1;
  }
  y[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

// At fixed places: all of the code is different instructions. PASSES times over 4 KB, STEP words apart, from another word each time.
template <int STEP>
__global__ void fixed(int *y, long long *t, int, int, int gap, int one) {
  if (one && blockIdx.x != 0) { later(200000); return; }
  const int *words = (const int *)table;
  int sum = 0;
#pragma unroll 1
  for (int r = 0; r < ROUNDS; r++) {
    __syncthreads();
    later(r == 0 ? 20000 + blockIdx.y * gap : 0);
    long long t0 = now();
#pragma unroll
    for (int i = 0; i < STEP; i++)
#pragma unroll
      for (int k = 0; k < 1024; k += STEP) sum += words[k + i];
    asm volatile("" : "+r"(sum)::"memory");
    long long t1 = now();
    if (threadIdx.x == 0) t[((blockIdx.y * gridDim.x + blockIdx.x) * ROUNDS + r) * 2] = t0, t[((blockIdx.y * gridDim.x + blockIdx.x) * ROUNDS + r) * 2 + 1] = t1;
  }
  y[threadIdx.x] = sum;
}

static void tell(int groups, int places, bool one) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  get((size_t)SMS * groups * ROUNDS * 2);
  for (int r = 0; r < ROUNDS; r++) {
    double sum = 0;
    int n = 0;
    for (int g = 0; g < groups; g++)
      for (int x = 0; x < (one ? 1 : SMS); x++) {
        long long *p = &host[((size_t)(g * SMS + x) * ROUNDS + r) * 2];
        sum += p[1] - p[0], n++;
      }
    printf(",%.2f", sum / n / places);
  }
  printf("\n");
  fflush(stdout);
}

template <int STEP> static void all() {
  for (bool one : {true, false})
    for (int threads : {32, 128})
      for (int groups : {1, 2, 3, 4, 6, 8, 12, 16})
        for (int apart : {0, 1024})
          for (int gap : {0, 100, 400}) {
            if (groups * 1024 > 16384 || apart && gap || groups == 1 && (apart || gap)) continue;
            for (int places : {16, 32, 64, 256}) {
              if (places * STEP > 1024) continue;
              walks<STEP><<<dim3(SMS, groups), threads>>>((float *)buf, tt, apart, places, gap, one);
              printf("walks,step%d,apart%d,places%d,gap%d,groups%d,threads%d,sms%d", 4 * STEP, 4 * apart, places, gap, groups, threads, one ? 1 : SMS), tell(groups, places, one);
            }
          }
}

template <int STEP> static void allFixed() {
  for (bool one : {true, false})
    for (int threads : {32, 128, 256})
      for (int groups : {1, 2, 4, 8})
        for (int gap : {0, 100, 400, 2000}) {
          fixed<STEP><<<dim3(SMS, groups), threads>>>((int *)buf, tt, 0, 0, gap, one);
          printf("fixed,step%d,apart0,places1024,gap%d,groups%d,threads%d,sms%d", 4 * STEP, gap, groups, threads, one ? 1 : SMS), tell(groups, 1024, one);
        }
}

int main() {
  prepare();
  allFixed<1>(), allFixed<2>(), allFixed<4>(), allFixed<8>(), allFixed<16>();
  all<1>(), all<4>(), all<8>(), all<16>();
  printf("# done\n");
}
