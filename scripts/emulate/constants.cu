// Constants that all lanes of a warp share: ULDC by an address, operands at fixed places, and LDC, by footprint, distance, warps and blocks.
//
//     nvcc -std=c++17 -arch=sm_90 -o constants constants.cu
#include "common.h"

__constant__ float table[16384];
static const int ROUNDS = 4; // each is timed by itself: the first finds nothing in the caches of the multiprocessor

__device__ __forceinline__ void mark(long long *t, int round, long long t0, long long t1) {
  long long *at = t + ((blockIdx.x * ROUNDS + round) * 32 + threadIdx.x / 32) * 2;
  if (threadIdx.x % 32 == 0) at[0] = t0, at[1] = t1;
}

// Warps begin so many cycles after each other.
__device__ __forceinline__ void later(int apart) {
  long long t0 = now();
  while (now() < t0 + threadIdx.x / 32 * apart) {}
}

// One ULDC for each STEP words, of `places` places in a row. Nothing waits for a sum but the next one of four.
template <int STEP>
__global__ void walks(float *y, long long *t, int places, int apart) {
  float v = threadIdx.x, s[4] = {};
#pragma unroll 1
  for (int r = 0; r < ROUNDS; r++) {
    later(apart);
    long long t0 = now();
#pragma unroll 1
    for (int k = 0; k < places; k += 4)
#pragma unroll
      for (int j = 0; j < 4; j++) s[j] = s[j] * v + table[(k + j) * STEP];
    asm volatile("" : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])::"memory");
    long long t1 = now();
    mark(t, r, t0, t1);
    __syncthreads();
  }
  y[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

// The same by LDC: the place is in a register of each lane. Nothing waits for a load but the next four.
template <int STEP>
__global__ void loads(float *y, long long *t, int places, int apart) {
  unsigned s[4] = {};
#pragma unroll 1
  for (int r = 0; r < ROUNDS; r++) {
    unsigned a = threadIdx.x >> 10;
    later(apart);
    long long t0 = now();
#pragma unroll 1
    for (int k = 0; k < places; k += 4) {
#pragma unroll
      for (int j = 0; j < 4; j++) asm volatile("ld.const.u32 %0, [%1];" : "=r"(s[j]) : "l"((u64)__cvta_generic_to_constant(table) + a + j * STEP * 4) : "memory");
      a += 4 * STEP * 4 + (s[0] ^ s[1] ^ s[2] ^ s[3]);
    }
    long long t1 = now();
    mark(t, r, t0, t1);
    __syncthreads();
  }
  if (s[0] == 12345) y[threadIdx.x] = 0;
}

// FFMA with operands at fixed places, STEP words apart.
template <int COUNT, int STEP>
__global__ void __launch_bounds__(1024, 2) operands(float *y, long long *t, int, int apart) {
  float x[4] = {(float)threadIdx.x, 1, 2, 3};
#pragma unroll 1
  for (int r = 0; r < ROUNDS; r++) {
    later(apart);
    long long t0 = now();
#pragma unroll
    for (int k = 0; k < COUNT; k++) x[k % 4] = x[k % 4] * x[k % 4] + table[k * STEP];
    asm volatile("" : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])::"memory");
    long long t1 = now();
    mark(t, r, t0, t1);
    __syncthreads();
  }
  if (x[0] + x[1] + x[2] + x[3] == 1.2345f) y[0] = 0;
}

// How long a round takes, in cycles for each place: of the block that takes longest from its first warp's begin to its last one's end, and of a warp in the
// mean.
static void tell(const char *name, int step, int places, int apart, int warps, int blocks) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  get(blocks * ROUNDS * 64);
  printf("%s,step%d,places%d,apart%d,warps%d,blocks%d", name, step * 4, places, apart, warps, blocks);
  for (int r = 0; r < ROUNDS; r++) {
    long long most = 0;
    double sum = 0;
    for (int b = 0; b < blocks; b++) {
      long long from = 1ll << 62, to = 0;
      for (int k = 0; k < warps; k++) {
        long long *at = &host[((b * ROUNDS + r) * 32 + k) * 2];
        from = std::min(from, at[0]), to = std::max(to, at[1]), sum += at[1] - at[0];
      }
      most = std::max(most, to - from);
    }
    printf(",%.2f,%.2f", (double)most / places, sum / warps / blocks / places);
  }
  printf("\n"), fflush(stdout);
}
typedef void kernel(float *, long long *, int, int);
static void all(const char *name, kernel *f, int step, int places) {
  for (int warps : {1, 2, 4, 8, 16, 32})
    for (int apart : {0, 101, 1009})
      if (!apart || warps > 1) f<<<1, 32 * warps>>>((float *)buf, tt, places, apart), tell(name, step, places, apart, warps, 1);
  for (int warps : {1, 16}) f<<<SMS, 32 * warps>>>((float *)buf, tt, places, 0), tell(name, step, places, 0, warps, SMS);
}
template <int COUNT, int STEP>
static void fixed() { all("operands", operands<COUNT, STEP>, STEP, COUNT); }

int main() {
  prepare();
  const int lines[] = {8, 16, 24, 32, 40, 48, 64, 96, 128, 256, 512, 1024};
  for (int n : lines) all("walks", walks<16>, 16, n), all("loads", loads<16>, 16, n);
  for (int n : {16, 32, 64, 128, 256, 512, 1024, 2048}) all("walks", walks<8>, 8, n), all("walks", walks<2>, 2, n), all("walks", walks<1>, 1, n);
  for (int n : {64, 256, 512, 1024, 2048}) all("loads", loads<4>, 4, n);
  fixed<8, 16>(), fixed<16, 16>(), fixed<24, 16>(), fixed<32, 16>(), fixed<40, 16>(), fixed<48, 16>(), fixed<64, 16>(), fixed<96, 16>(), fixed<128, 16>(), fixed<256, 16>();
  fixed<64, 8>(), fixed<128, 8>(), fixed<128, 2>(), fixed<128, 1>(), fixed<256, 1>(), fixed<512, 1>(), fixed<768, 1>();
  printf("# done\n");
  return 0;
}
