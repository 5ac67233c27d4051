// What the measurement kernels of the emulator's device descriptions share. The three programs print a line for each measurement: its name, what
// varies, and the number, in cycles where no unit stands with it.
#pragma once
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

typedef unsigned long long u64;

// A first error is told, and too many end the program: what was measured before stays.
#define CHECK(x)                                                                                                                       \
  do {                                                                                                                                 \
    cudaError_t e_ = (x);                                                                                                              \
    if (e_ != cudaSuccess) {                                                                                                           \
      printf("# error %s at line %d: %s\n", #x, __LINE__, cudaGetErrorString(e_));                                                     \
      fflush(stdout);                                                                                                                  \
      static int errors_;                                                                                                              \
      if (++errors_ > 5 || e_ == cudaErrorIllegalAddress || e_ == cudaErrorLaunchFailure || e_ == cudaErrorMisalignedAddress) exit(1); \
    }                                                                                                                                  \
  } while (0)

__device__ __forceinline__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static const size_t GB = 1ull << 30;
static u64 *buf;                     // 9 GB, zeros at first
static long long *tt;                // what kernels tell: mostly the clocks at the beginning and the end of each warp
static std::vector<long long> host;  // the same here
static int SMS;

static void prepare() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  SMS = p.multiProcessorCount;
  printf("# %s %d\n", p.name, SMS);
  CHECK(cudaMalloc(&buf, 9 * GB));
  CHECK(cudaMalloc(&tt, 64 << 20));
  CHECK(cudaMemset(buf, 0, 9 * GB));
}

static void get(size_t n) {
  host.resize(n);
  CHECK(cudaMemcpy(host.data(), tt, n * 8, cudaMemcpyDeviceToHost));
}

// The time from the first beginning to the last end of so many warps.
static long long span(int warps) {
  get(2 * warps);
  long long a = host[0], b = host[1];
  for (int i = 0; i < warps; i++) a = std::min(a, host[2 * i]), b = std::max(b, host[2 * i + 1]);
  return b - a;
}
