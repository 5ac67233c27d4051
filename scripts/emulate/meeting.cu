// Meeting: barriers of the grid by how those who wait ask, the last work-group of a grid, lanes that read different elements of constant memory.
//
//     nvcc -std=c++17 -arch=sm_90 -o meeting meeting.cu
#include <cooperative_groups.h>
#include "common.h"

template <class F>
static double timed(F f) {
  static cudaEvent_t a, b;
  if (!a) cudaEventCreate(&a), cudaEventCreate(&b);
  float best = 1e30f, ms;
  for (int i = 0; i < 4; i++) {
    CHECK(cudaMemset(buf, 0, 4096));
    CHECK(cudaEventRecord(a));
    f();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    cudaEventElapsedTime(&ms, a, b);
    if (i) best = std::min(best, ms);
  }
  CHECK(cudaGetLastError());
  return best * 1e3;
}

// ---- barrier: all work-groups add one and wait until all have, so many times. How those who wait ask: 0 loads, 1 adds 0, 2 compares and swaps, 3 loads that acquire, 4 as
// cooperative groups do, 5 loads with a sleep, 6 adds 0 by one work-item, and others wait at a barrier, after work of the block on memory.
__global__ void barrier(unsigned *count, float *y, int steps, int how) {
  unsigned want = 0;
  for (int s = 0; s < steps; s++) {
    if (how == 4) { cooperative_groups::this_grid().sync(); continue; }
    if (how == 6) y[blockIdx.x * blockDim.x + threadIdx.x] = y[(blockIdx.x * blockDim.x + threadIdx.x + 1) % (gridDim.x * blockDim.x)] + 1.f;
    __threadfence();
    __syncthreads();
    want += gridDim.x;
    if (threadIdx.x == 0) {
      atomicAdd(count, 1);
      switch (how) {
        case 0: while (*(volatile unsigned *)count < want) {} break;
        case 2: while (atomicCAS(count, ~0u, 0) < want) {} break;
        case 3: { unsigned v; do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(count) : "memory"); while (v < want); break; }
        case 5: while (*(volatile unsigned *)count < want) __nanosleep(64); break;
        default: while (atomicAdd(count, 0) < want) {}
      }
    }
    __syncthreads();
  }
}
static void barriers() {
  for (int how = 0; how < 7; how++)
    for (int blocks : {1, 8, 66, 132, 264, 528, 1056}) {
      unsigned *count = (unsigned *)buf;
      float *y = (float *)buf + (1 << 20);
      int steps = 50;
      void *args[] = {&count, &y, &steps, &how};
      printf("barrier,how%d,blocks%d,us,%.3f\n", how, blocks, timed([&] { CHECK(cudaLaunchCooperativeKernel((void *)barrier, dim3(blocks), dim3(256), args, 0, 0)); }) / steps), fflush(stdout);
    }
}

// ---- last: what each work-group does at its end. How: 0 stores, 1 a fence too, 2 a fence and an addition that is not asked for, 3 one that is, 4 the last one reads what all have stored, 5 the
// same without a fence.
__global__ void last(unsigned *count, float *y, int how) {
  __shared__ bool is;
  if (threadIdx.x == 0) {
    y[blockIdx.x] = threadIdx.x;
    is = false;
    if (how > 0 && how < 5) __threadfence();
    if (how == 2) atomicAdd(count, 1);
    if (how > 2) is = atomicAdd(count, 1) == gridDim.x - 1;
  }
  if (how < 3) return;
  __syncthreads();
  if (is && how > 3) {
    float v = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += ((volatile float *)y)[i];
    y[threadIdx.x] = v;
  }
}
static void lasts() {
  for (int blocks : {1, 132, 528, 1056, 2112, 8448})
    for (int how = 0; how < 6; how++)
      printf("last,how%d,blocks%d,us,%.2f\n", how, blocks, timed([&] { last<<<blocks, 256>>>((unsigned *)buf, (float *)buf + (1 << 20), how); })), fflush(stdout);
}

// ---- element: lanes read so many different elements of TYPE in constant memory, at a distance of bytes: cycles of a load of one warp after the one before, and of a load of a
// multiprocessor with so many warps.
__constant__ u64 constants[4096];
template <class TYPE>
__global__ void element(long long *tell, unsigned different, unsigned apart, unsigned mask, int loads) {
  const char *p = (const char *)constants;
  unsigned at = threadIdx.x % different * apart, v = 0;
  long long begin = 0;
  for (int r = 0; r < 2; r++) {
    __syncthreads();
    begin = now();
    for (int k = 0; k < loads; k++) v = (unsigned)*(const TYPE *)(p + ((at + v) & mask));
  }
  tell[threadIdx.x / 32 * 2] = begin, tell[threadIdx.x / 32 * 2 + 1] = now() + v;
}
template <class TYPE>
static void elements(const char *name) {
  for (unsigned apart : {1, 2, 4, 8, 16, 64, 256})
    for (unsigned different : {1, 2, 4, 8, 16, 32})
      for (int warps : {1, 4, 16}) {
        if (apart % sizeof(TYPE) || apart * different > 32768) continue;
        element<TYPE><<<1, 32 * warps>>>(tt, different, apart, 32767, 256);
        CHECK(cudaDeviceSynchronize());
        printf("element,%s,apart%u,different%u,warps%d,cycles,%.2f\n", name, apart, different, warps, span(warps) / 256.0 / warps), fflush(stdout);
      }
}

// ---- word: lanes read words at random among so many of constant memory, again and again: cycles of a load of a multiprocessor with so many warps.
__global__ void word(long long *tell, unsigned words, int loads) {
  const unsigned *p = (const unsigned *)constants;
  unsigned s = threadIdx.x * 2654435761u + blockIdx.x * 40503u + 12345u, v = 0;
  __syncthreads();
  long long begin = now();
  for (int k = 0; k < loads; k++) s = s * 1664525u + 1013904223u, v += p[(s >> 10) % words + (v & 1)];
  if (blockIdx.x == 0) tell[threadIdx.x / 32 * 2] = begin, tell[threadIdx.x / 32 * 2 + 1] = now() + v;
}
static void words() {
  for (unsigned n : {32, 128, 256, 480, 512, 640, 1024, 2048, 4096, 8192})
    for (int warps : {1, 4, 16, 32})
      for (int blocks : {1, 132}) {
        for (int r = 0; r < 2; r++) word<<<blocks, 32 * warps>>>(tt, n - 1, 256);
        CHECK(cudaDeviceSynchronize());
        printf("word,words%u,warps%d,blocks%d,cycles,%.2f\n", n, warps, blocks, span(warps) / 256.0 / warps), fflush(stdout);
      }
}

int main() {
  prepare();
  barriers(), lasts();
  elements<unsigned char>("char"), elements<unsigned short>("short"), elements<unsigned>("int"), elements<u64>("long");
  words();
}
