// Pieces: loads and stores of less than lines, structures, streams that L2 serves, stores that loads follow, atomic operations of shared memory by
// how many places differ, loops that compare and swap, chains of blocks, small work-groups.
//
//     nvcc -std=c++17 -arch=sm_90 -o pieces pieces.cu
#include "common.h"
static double clocks = 1.98e9;

// Milliseconds of a launch by events: the median of some.
template <class F>
static double timed(F f, int times = 3) {
  static cudaEvent_t a, b;
  if (!a) cudaEventCreate(&a), cudaEventCreate(&b);
  std::vector<float> t;
  for (int i = 0; i < times + 1; i++) {
    CHECK(cudaEventRecord(a));
    f();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (i) t.push_back(ms);
  }
  CHECK(cudaGetLastError());
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

// ---- pieces: a warp loads or stores rows of WIDTH words, STRIDE bytes apart, from OFFSET bytes on, again and again in MB. Cycles of the device for
// each request of a warp: the time of four times as many requests less that of one.
template <bool STORE>
__global__ void piece(char *base, int width, int stride, int offset, unsigned mask, int n, unsigned *out) {
  unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, rows = 32 / width, s = 0, warps = gridDim.x * blockDim.x / 32;
  unsigned at = warp * rows * stride + lane / width * stride + lane % width * 4 + offset, step = warps * rows * stride;
#pragma unroll 4
  for (int i = 0; i < n; i++, at += step) {
    if (STORE) asm volatile("st.global.u32 [%0], %1;" ::"l"(base + (at & mask)), "r"(i) : "memory");
    else {
      unsigned v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(base + (at & mask)) : "memory");
      s += v;
    }
  }
  if (s == 12345678) *out = s;
}
static void pieces() {
  for (int mb : {16, 512})
    for (int width : {1, 2, 4, 8, 16, 32})
      for (int stride : {8, 16, 32, 64, 128, 256, 1024, 4096})
        for (int offset : {0, 4, 16}) {
          if (stride < width * 4 || stride == width * 4 && width < 8 || offset == 16 && width % 8) continue;
          int n = 16, blocks = 8 * SMS;
          unsigned mask = ((unsigned)mb << 20) - 4;
          auto run = [&](bool store, int n) { return timed([&] { store ? piece<true><<<blocks, 256>>>((char *)buf, width, stride, offset, mask, n, (unsigned *)tt) : piece<false><<<blocks, 256>>>((char *)buf, width, stride, offset, mask, n, (unsigned *)tt); }); };
          double a = run(false, 4 * n) - run(false, n), b = run(true, 4 * n) - run(true, n);
          double ops = 3.0 * n * blocks * 8;
          printf("pieces,%d,width%d,stride%d,offset%d,loads,%.4f,stores,%.4f\n", mb, width, stride, offset, a * 1e-3 * clocks / ops, b * 1e-3 * clocks / ops), fflush(stdout);
        }
}

// ---- structures of WORDS words, one for each lane: all words loaded or stored one after the other. Cycles of the device for each warp's structures.
template <int WORDS, bool STORE>
__global__ void structure(float *base, unsigned count, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float s = 0;
  for (int r = 0; r < n; r++, i += step) {
    float *p = base + (size_t)(i & (count - 1)) * WORDS;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
      if (STORE) asm volatile("st.global.f32 [%0], %1;" ::"l"(p + k), "f"(s + k) : "memory");
      else {
        float v;
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p + k) : "memory");
        s += v;
      }
    }
  }
  if (s == 1.5f) base[0] = 1;
}
template <int WORDS>
static void structs() {
  for (int mb : {16, 512}) {
    unsigned count = 1u << 31 - __builtin_clz((unsigned)(mb * 262144 / WORDS)), blocks = 8 * SMS;
    auto run = [&](bool store, int n) { return timed([&] { store ? structure<WORDS, true><<<blocks, 256>>>((float *)buf, count, n) : structure<WORDS, false><<<blocks, 256>>>((float *)buf, count, n); }); };
    double ops = 12.0 * blocks * 8, a = run(false, 16) - run(false, 4), b = run(true, 16) - run(true, 4);
    printf("structs,%d,words%d,loads,%.3f,stores,%.3f\n", mb, WORDS, a * 1e-3 * clocks / ops, b * 1e-3 * clocks / ops), fflush(stdout);
  }
}

// ---- streams: LOADS arrays are loaded and one stored, WIDTH words at once, again and again within MB of all; GB/s of what L2 moves
template <int LOADS, int STORES, typename T>
__global__ void stream(T *base, size_t each, int n) {
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (int r = 0; r < n; r++)
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < each; i += step) {
      T v[LOADS + 1];
      v[LOADS] = T();
#pragma unroll
      for (int k = 0; k < LOADS; k++) v[k] = __ldcg(base + k * each + i);
      float s = 0;
#pragma unroll
      for (int k = 0; k < LOADS; k++) s += *(float *)&v[k];
      *(float *)&v[LOADS] = s;
#pragma unroll
      for (int k = 0; k < STORES; k++) base[(LOADS + k) * each + i] = v[LOADS];
      if (STORES == 0 && s == 1.5f) base[0] = v[0];
    }
}
template <int LOADS, int STORES, typename T>
static void streams(const char *type) {
  for (int mb : {6, 12, 24, 36, 48, 64, 512})
    for (int blocks : {4, 8}) {
      size_t each = (size_t)mb * 1048576 / sizeof(T) / (LOADS + STORES) / 1024 * 1024;
      int n = std::max(192 / mb, 1);
      auto run = [&](int n) { return timed([&] { stream<LOADS, STORES, T><<<blocks * SMS, 256>>>((T *)buf, each, n); }); };
      double ms = run(4 * n) - run(n);
      printf("streams,%s,%d,%d,%d,blocks%d,GBs,%.0f\n", type, LOADS, STORES, mb, blocks, 3.0 * n * each * sizeof(T) * (LOADS + STORES) / ms / 1e6), fflush(stdout);
    }
}

// ---- what was stored is loaded again by the same warp: cycles of a multiprocessor for each load, KB of stores by a block before; PART words of each 8
__global__ void stored_plain(float *base, int kb, int part, long long *t) {
  float s = 0;
  float *p = base + blockIdx.x * (1 << 16);
  int words = kb * 256;
  if (part < 0) for (int i = threadIdx.x; i < words; i += blockDim.x) s += p[i];
  else for (int i = threadIdx.x; i < words; i += blockDim.x) if (i % 8 < part) p[i] = 1;
  __syncthreads();
  long long t0 = now();
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    float v;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p + i) : "memory");
    s = s * 0.5f + v;
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (s == 1.5f) t[1 << 20] = 1;
}
static void again() {
  for (int kb : {4, 16, 64, 128, 200, 240})
    for (int part : {-1, 8, 4, 1, 0})
      for (int w : {1, 8}) {
        for (int r = 0; r < 2; r++) stored_plain<<<1, 32 * w>>>((float *)buf, kb, part, tt);
        CHECK(cudaDeviceSynchronize());
        printf("again_stored,%d,part%d,warps%d,%.2f\n", kb, part, w, (double)span(w) / (kb * 8)), fflush(stdout);
      }
}

// ---- atomic operations of shared memory: lanes meet at PLACES words. What: 0 add 1, 1 add a value, 2 max, 3 exchange with the old value, 4 a float, 5 add 1 with the old value
template <int WHAT>
__global__ void inside(int places, int n, long long *t) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = 0;
  __syncthreads();
  unsigned *p = s + threadIdx.x % 32 % places + threadIdx.x / 32 % 8 * 64, got = 0;
  unsigned a = place(p), v = threadIdx.x;
  long long t0 = now();
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    if (WHAT == 0) atomicAdd(p, 1u);
    if (WHAT == 1) atomicAdd(p, v + i);
    if (WHAT == 2) atomicMax(p, v + i);
    if (WHAT == 3) got += atomicExch(p, v + i);
    if (WHAT == 4) atomicAdd((float *)p, 1.f);
    if (WHAT == 5) got += atomicAdd(p, 1u);
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (got == 12345678) t[1 << 20] = 1;
}
template <int WHAT>
static void insides() {
  for (int places : {1, 2, 4, 8, 16, 32})
    for (int w : {1, 4, 16, 32}) {
      for (int r = 0; r < 2; r++) inside<WHAT><<<1, 32 * w>>>(places, 128, tt);
      CHECK(cudaDeviceSynchronize());
      printf("inside,%d,places%d,warps%d,%.2f\n", WHAT, places, w, (double)span(w) / 128 / w), fflush(stdout);
    }
}

// ---- loops that compare and swap: each lane once, of BINS words APART bytes apart; in global memory (0), or in shared memory (1). Cycles of the device or of
// a multiprocessor for each update, and how often a lane tried
__global__ void swaps(unsigned *base, unsigned bins, unsigned apart, int n, u64 *tries) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  for (int r = 0; r < n; r++) {
    unsigned *p = base + ((i * 2654435761u + r * 40503u) >> 7) % bins * apart, old = *(volatile unsigned *)p, seen;
    do {
      seen = old;
      old = atomicCAS(p, seen, seen + i);
      count++;
    } while (old != seen);
  }
  atomicAdd(tries, (u64)count);
}
__global__ void swaps_inside(unsigned bins, int n, u64 *tries, long long *t) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = 0;
  __syncthreads();
  unsigned i = threadIdx.x, count = 0;
  long long t0 = now();
  for (int r = 0; r < n; r++) {
    unsigned *p = s + ((i * 2654435761u + r * 40503u) >> 7) % bins, old = *(volatile unsigned *)p, seen;
    do {
      seen = old;
      old = atomicCAS(p, seen, seen + i);
      count++;
    } while (old != seen);
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  atomicAdd(tries, (u64)count);
}
static void compared() {
  u64 *tries = (u64 *)(tt + (1 << 21));
  for (unsigned bins : {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 1 << 20})
    for (int blocks : {8, 132, 528}) {
      if (bins < 16 && blocks > 132) continue;
      CHECK(cudaMemset(tries, 0, 8));
      double ms = timed([&] { swaps<<<blocks, 256>>>((unsigned *)buf, bins, 8, 1, tries); }, 2);
      u64 all;
      CHECK(cudaMemcpy(&all, tries, 8, cudaMemcpyDeviceToHost));
      printf("swaps,%u,blocks%d,us,%.2f,tries,%.2f\n", bins, blocks, ms * 1e3, all / 3.0 / (blocks * 256)), fflush(stdout);
    }
  for (unsigned bins : {1, 2, 4, 16, 64, 256, 1024})
    for (int w : {1, 2, 4, 8, 16, 32}) {
      CHECK(cudaMemset(tries, 0, 8));
      for (int r = 0; r < 2; r++) swaps_inside<<<1, 32 * w>>>(bins, 4, tries, tt);
      CHECK(cudaDeviceSynchronize());
      u64 all;
      CHECK(cudaMemcpy(&all, tries, 8, cudaMemcpyDeviceToHost));
      printf("swaps_inside,%u,warps%d,cycles,%lld,tries,%.2f\n", bins, w, span(w), all / 2.0 / (w * 32 * 4)), fflush(stdout);
    }
}

// ---- chains: a block waits for what the one before it stores, and stores; microseconds for each, by work-items
__global__ void chain(volatile unsigned *state, int fence) {
  if (threadIdx.x == 0) {
    unsigned got = 0;
    if (blockIdx.x > 0) while ((got = state[blockIdx.x - 1]) == 0);
    if (fence) __threadfence();
    state[blockIdx.x] = got + 1;
  }
  __syncthreads();
}
static void chains() {
  chain<<<1, 32>>>((unsigned *)buf, 0);
  for (int fence : {0, 1})
    for (int threads : {32, 256})
      for (int blocks : {132, 1056, 4096}) {
        CHECK(cudaMemset(buf, 0, 65536));
        cudaEvent_t a, b;
        cudaEventCreate(&a), cudaEventCreate(&b);
        CHECK(cudaEventRecord(a));
        chain<<<blocks, threads>>>((unsigned *)buf, fence);
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        float ms;
        cudaEventElapsedTime(&ms, a, b);
        printf("chain,%d,%dx%d,us,%.2f\n", fence, blocks, threads, ms * 1e3), fflush(stdout);
      }
}

// ---- stores of all multiprocessors to a few words: cycles of the device for each request of a warp
__global__ void hot(unsigned *base, unsigned words, unsigned apart, int n) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int i = 0; i < n; i++) *(volatile unsigned *)(base + ((threadIdx.x % 32 + warp * 7 + i) % words) * apart) = i;
}
static void hots() {
  for (unsigned words : {1, 4, 16, 32, 256, 4096, 65536})
    for (unsigned apart : {1, 8, 64}) {
      double a = timed([&] { hot<<<4 * SMS, 256>>>((unsigned *)buf, words, apart, 32); }) - timed([&] { hot<<<4 * SMS, 256>>>((unsigned *)buf, words, apart, 8); });
      printf("hot_stores,%u,apart%u,cycles,%.3f\n", words, apart, a * 1e-3 * clocks / (24.0 * 4 * SMS * 8)), fflush(stdout);
    }
}

// ---- rates of L1 by requests beside others: N loads that hit, of one word (0), of 32 words (1), of 4 rows of 8 (2), by turns (3); cycles of a multiprocessor for each
__global__ void hits(const float *x, int how, int n, long long *t) {
  unsigned lane = threadIdx.x % 32;
  const float *p = x + (how == 0 ? 0 : how == 2 ? lane / 8 * 1024 + lane % 8 : lane), *q = how == 3 ? x + 256 : p + 32;
  float s[8] = {};
  for (int r = 0; r < 2; r++)
    for (int k = 0; k < 64; k++) s[0] += p[k * 64] + q[k * 64];
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      float v;
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"((k & 1 ? q : p) + (i & 7) * 512 + k / 2 * 64) : "memory");
      s[k] = fmaf(v, 0.5f, s[k]);
    }
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7] == 1.5f) t[1 << 20] = 1;
}
static void near() {
  for (int how : {0, 1, 2, 3})
    for (int w : {1, 2, 4, 8, 16, 32}) {
      for (int r = 0; r < 2; r++) hits<<<1, 32 * w>>>((float *)buf, how, 64, tt);
      CHECK(cudaDeviceSynchronize());
      printf("hits,%d,warps%d,%.3f\n", how, w, (double)span(w) / 512 / w), fflush(stdout);
    }
}

int main() {
  prepare();
  near(), again(), insides<0>(), insides<1>(), insides<2>(), insides<3>(), insides<4>(), insides<5>();
  structs<2>(), structs<3>(), structs<4>(), structs<6>(), structs<8>(), structs<9>(), structs<12>(), structs<16>(), structs<19>(), structs<32>();
  streams<1, 0, float>("float"), streams<1, 1, float>("float"), streams<2, 1, float>("float"), streams<3, 1, float>("float"), streams<0, 1, float>("float");
  streams<1, 0, float4>("float4"), streams<1, 1, float4>("float4"), streams<2, 1, float4>("float4"), streams<0, 1, float4>("float4");
  hots(), chains(), compared(), pieces();
  printf("# done\n");
  return 0;
}
