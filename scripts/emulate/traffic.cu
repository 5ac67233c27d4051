// Traffic: atomics by lines and slices of L2, hot lines, loads by stride, what L1 keeps, distances in L2, stores, beginnings and ends of launches.
//
//     nvcc -std=c++17 -arch=sm_90 -o traffic traffic.cu
#include "common.h"
static double clocks = 1.98e9;

// Milliseconds of a launch by events: the median of some.
template <class F>
static double timed(F f, int times = 5) {
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

__device__ __forceinline__ unsigned mix(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352d, x ^= x >> 15, x *= 0x846ca68b;
  return x ^ x >> 16;
}

// ---- atomics. What: 0 RED u32, 1 ATOM u32, 2 RED f32, 3 CAS, 4 RED u64, 5 RED f64, 6 EXCH, 7 RED max. How: 0 a line of the warp's, all 32 words; 1 each lane a random word of the
// lines; 2 each lane the first word of a random line; 3 eight lanes a sector, of one line of the warp's; 4 all lanes one word of the warp's line
template <int WHAT>
__global__ void atoms(char *base, unsigned lines, int how, int n, unsigned *out) {
  unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, got = 0;
  for (int i = 0; i < n; i++) {
    unsigned r = mix(warp * 977 + i), own = mix(warp * 977 + i + (lane + 1) * 7919), at;
    if (how == 0) at = r % lines * 128 + lane * 4;
    else if (how == 1) at = own % lines * 128 + (own >> 20) % 32 * 4;
    else if (how == 2) at = own % lines * 128;
    else if (how == 3) at = r % lines * 128 + lane % 8 * 4;
    else at = r % lines * 128;
    if (WHAT == 4 || WHAT == 5) at = at / 8 * 8;
    unsigned *p = (unsigned *)(base + at);
    if (WHAT == 0) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    if (WHAT == 1) got += atomicAdd(p, 1);
    if (WHAT == 2) asm volatile("red.global.add.f32 [%0], 0f3f800000;" ::"l"(p) : "memory");
    if (WHAT == 3) got += atomicCAS(p, got, i);
    if (WHAT == 4) asm volatile("red.global.add.u64 [%0], 1;" ::"l"(p) : "memory");
    if (WHAT == 5) asm volatile("red.global.add.f64 [%0], 0d3ff0000000000000;" ::"l"(p) : "memory");
    if (WHAT == 6) got += atomicExch(p, i);
    if (WHAT == 7) asm volatile("red.global.max.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
  }
  if (got == 12345678) *out = got;
}
template <int WHAT>
static void atom(const char *name, std::vector<int> hows, std::vector<unsigned> counts) {
  for (int how : hows)
    for (unsigned lines : counts) {
      int n = how == 1 || how == 2 || how == 4 ? 4 : 16, blocks = 4 * SMS, threads = 256;
      if (lines < 8) n = std::max(n / 4, 1);
      double ms = timed([&] { atoms<WHAT><<<blocks, threads>>>((char *)buf, lines, how, n, (unsigned *)tt); }, 3);
      double ops = (double)blocks * threads / 32 * n;
      printf("atoms,%s,how%d,lines%u,cycles,%.4f\n", name, how, lines, (ms - 0.0025) * 1e-3 * clocks / ops), fflush(stdout);
    }
}

// Two places: how long atomic operations on one and the other take, half of the warps each.
__global__ void two(char *base, unsigned apart, int n) {
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned *p = (unsigned *)(base + (warp % 2 ? apart : 0) + lane % 8 * 4);
  for (int i = 0; i < n; i++) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
}
static void places() {
  std::vector<unsigned> at = {0, 32, 64, 96, 128, 160, 256, 384, 512, 1024, 2048, 4096, 8192, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 21, 1 << 22};
  for (unsigned a : at) printf("places,%u,us,%.2f\n", a, timed([&] { two<<<SMS, 256>>>((char *)buf, a, 4); }, 3) * 1e3), fflush(stdout);
  printf("places_of_lines");
  for (int k = 1; k <= 1024; k++) printf(",%.1f", timed([&] { two<<<SMS, 256>>>((char *)buf, k * 128, 4); }, 1) * 1e3);
  printf("\n"), fflush(stdout);
  printf("places_of_sectors");
  for (int k = 1; k <= 64; k++) printf(",%.1f", timed([&] { two<<<SMS, 256>>>((char *)buf, k * 32, 4); }, 1) * 1e3);
  printf("\n"), fflush(stdout);
}

// ---- hot lines: all multiprocessors load lines at random of a few, past L1; 1 sector each or 4, cycles of the device for each sector
template <int LANES>
__global__ void hot(const char *base, unsigned lines, unsigned apart, int n, unsigned *out) {
  unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, s[4] = {};
  for (int i = 0; i < n; i += 4)
#pragma unroll
    for (int k = 0; k < 4; k++) {
      unsigned r = mix(warp * 977 + i + k) % lines, v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(base + (size_t)r * apart + lane % LANES * 4) : "memory");
      s[k] += v;
    }
  if (s[0] + s[1] + s[2] + s[3] == 12345678) *out = 1;
}
static void hots() {
  for (unsigned lines : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536}) {
    double a = timed([&] { hot<8><<<4 * SMS, 512>>>((char *)buf, lines, 128, 64, (unsigned *)tt); }, 3), b = timed([&] { hot<32><<<4 * SMS, 512>>>((char *)buf, lines, 128, 64, (unsigned *)tt); }, 3);
    double ops = 4.0 * SMS * 16 * 64;
    printf("hot,lines%u,sector,%.4f,line,%.4f\n", lines, (a - 0.0025) * 1e-3 * clocks / ops, (b - 0.0025) * 1e-3 * clocks / ops), fflush(stdout);
  }
  for (unsigned apart : {256, 512, 1024, 2048, 4096, 8192, 16384, 65536})
    printf("hot_apart,%u,%.4f\n", apart, (timed([&] { hot<8><<<4 * SMS, 512>>>((char *)buf, 512, apart, 64, (unsigned *)tt); }, 3) - 0.0025) * 1e-3 * clocks / (4.0 * SMS * 16 * 64)), fflush(stdout);
}

// ---- rows: each lane walks along a row of its own; cycles of a multiprocessor for each load of a warp, by distance of rows and by warps
__global__ void rows(const char *base, size_t apart, int n, long long *t) {
  const float *p = (const float *)(base + (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * apart);
  float s[4] = {};
  long long t0 = now();
  for (int i = 0; i < n; i += 4)
#pragma unroll
    for (int k = 0; k < 4; k++) s[k] += p[i + k];
  long long t1 = now();
  unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) t[w * 2] = t0, t[w * 2 + 1] = t1;
  if (s[0] + s[1] + s[2] + s[3] == 1.5f) t[1 << 20] = 1;
}
static void walk() {
  for (size_t apart : {(size_t)64, (size_t)128, (size_t)132, (size_t)256, (size_t)512, (size_t)1024, (size_t)1152, (size_t)2048, (size_t)4096, (size_t)4224, (size_t)8192, (size_t)16384, (size_t)65536})
    for (int w : {1, 2, 4, 8, 16, 32}) {
      for (int r = 0; r < 3; r++) rows<<<1, 32 * w>>>((char *)buf, apart, 128, tt);
      CHECK(cudaDeviceSynchronize());
      printf("rows,%zu,%d,%.2f\n", apart, w, (double)span(w) / 128 / w), fflush(stdout);
    }
  for (size_t apart : {(size_t)512, (size_t)4096, (size_t)4224, (size_t)16384})
    for (int w : {2, 4, 8, 16}) {
      for (int r = 0; r < 3; r++) rows<<<SMS, 32 * w>>>((char *)buf, apart, 128, tt);
      CHECK(cudaDeviceSynchronize());
      printf("rows_all,%zu,%d,%.2f\n", apart, w, (double)span(SMS * w) / 128 / w), fflush(stdout);
    }
}

// ---- what L1 keeps: a block reads KB again and again, by lines or by a sector of each
__global__ void again(const char *base, int kb, int sector, int times, long long *t) {
  float s = 0;
  int count = sector ? kb * 8 : kb * 256;  // loads of a lane's word: one of each line, or all
  long long t0 = 0;
  for (int r = 0; r < times; r++) {
    if (r == 1) __syncthreads(), t0 = now();
    for (int i = threadIdx.x; i < count; i += blockDim.x) s += *(const float *)(base + (size_t)blockIdx.x * (1 << 18) + (sector ? i * 128 + 32 * (i / 32 % 4) : i * 4));
  }
  __syncthreads();
  if (threadIdx.x == 0) t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = now();
  if (s == 1.5f) t[1 << 20] = 1;
}
static void kept() {
  for (int sector : {0, 1})
    for (int kb : {64, 128, 176, 192, 200, 208, 216, 224, 232, 240, 248, 256}) {
      for (int r = 0; r < 2; r++) again<<<1, 1024>>>((char *)buf, kb, sector, 9, tt);
      CHECK(cudaDeviceSynchronize());
      printf("again,%d,%s,%.2f\n", kb, sector ? "sector" : "line", (double)span(1) / 8 / (sector ? kb / 4.0 : kb * 8.0)), fflush(stdout);
    }
}

// ---- L2 by what it holds: all multiprocessors go through MB, each pass the same part or another; few warps: latency; many: rate
__global__ void passes(const float4 *base, size_t each, size_t part, int rounds, int turn, long long *t) {
  float s = 0;
  long long t0 = now();
  for (int r = 0; r < rounds; r++) {
    const float4 *p = base + (size_t)((blockIdx.x + r * turn) % gridDim.x) * each;
    for (size_t i = threadIdx.x; i < part; i += blockDim.x) {
      float4 v;
      asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p + i) : "memory");
      s += v.x;
      if (blockDim.x == 32 && s == 1.5f) break;  // waits for each
    }
  }
  long long t1 = now();
  if (threadIdx.x == 0) t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1;
  if (s == 1.5f) t[1 << 20] = 1;
}
static void held() {
  for (int mb : {4, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 256})
    for (int turn : {0, 1, 61}) {
      size_t each = (size_t)mb * 65536 / SMS / 32 * 32;
      passes<<<SMS, 1024>>>((float4 *)buf, each, each, 2, turn, tt);
      passes<<<SMS, 32>>>((float4 *)buf, each, std::min(each, (size_t)32 * 256), 2, turn, tt);  // only a part of each is timed one by one
      CHECK(cudaDeviceSynchronize());
      get(2 * SMS);
      double lat = 0;
      for (int i = 0; i < SMS; i++) lat += (host[2 * i + 1] - host[2 * i]) / 2.0 / (std::min(each, (size_t)32 * 256) / 32.0) / SMS;
      double ms = timed([&] { passes<<<SMS, 1024>>>((float4 *)buf, each, each, 4, turn, tt); }, 3), two = timed([&] { passes<<<2 * SMS, 1024>>>((float4 *)buf, each / 2, each / 2, 4, turn, tt); }, 3);
      printf("held,%d,turn%d,latency,%.1f,GBs,%.0f,%.0f\n", mb, turn, lat, 4.0 * each * SMS * 16 / ms / 1e6, 4.0 * each * SMS * 16 / two / 1e6), fflush(stdout);
    }
}

// Random lines of MB by one warp of each multiprocessor, after all have been loaded once by all.
__global__ void random(const char *base, unsigned lines, int n, long long *t) {
  unsigned at = mix(blockIdx.x * 32 + threadIdx.x), v;
  long long t0 = now();
  for (int i = 0; i < n; i++) {
    at = mix(at + i);
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(base + (size_t)(__shfl_sync(~0u, at, 0) % lines) * 128 + threadIdx.x % 8 * 4) : "memory");
    at += v;
  }
  long long t1 = now();
  if (threadIdx.x == 0) t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1;
  if (at == 12345678) t[1 << 20] = 1;
}
static void randoms() {
  for (int mb : {1, 4, 8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 256, 1024})
    for (int blocks : {1, SMS}) {
      for (int r = 0; r < 2; r++) passes<<<SMS, 1024>>>((float4 *)buf, (size_t)mb * 65536 / SMS, (size_t)mb * 65536 / SMS, 1, 0, tt + 4096);
      random<<<blocks, 32>>>((char *)buf, mb * 8192, 512, tt);
      CHECK(cudaDeviceSynchronize());
      get(2 * blocks);
      double lat = 0;
      for (int i = 0; i < blocks; i++) lat += (host[2 * i + 1] - host[2 * i]) / 512.0 / blocks;
      printf("random,%d,%d,%.1f\n", mb, blocks, lat), fflush(stdout);
    }
}

// ---- stores: GB of whole lines; words by stride; and words of one array by stride beside loads
__global__ void fill(float4 *p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = make_float4(1, 2, 3, 4);
}
__global__ void fills(float *p, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
__global__ void copy(const float *x, float *p, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = x[i];
}
__global__ void strided(float *p, unsigned n, unsigned stride, unsigned width) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[(size_t)(i / width) * stride + i % width] = 1;
}
__global__ void loaded(const float *p, float *y, unsigned n, unsigned stride, unsigned width) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && p[(size_t)(i / width) * stride + i % width] == 1.5f) *y = 1;
}
static void stored() {
  for (double mb : {16., 32., 48., 64., 128., 256., 512., 1024., 2048., 4096., 8192.}) {
    size_t n = mb * 65536;
    double a = timed([&] { fill<<<8 * SMS, 256>>>((float4 *)buf, n); }, 3), b = timed([&] { fills<<<(unsigned)(n * 4 / 256), 256>>>((float *)buf, n * 4); }, 3), c = 0;
    if (mb < 5000) c = timed([&] { copy<<<(unsigned)(n * 4 / 256), 256>>>((float *)buf + (1ull << 30), (float *)buf, n * 4); }, 3);
    printf("fill,%.0f,MB,GBs,%.0f,%.0f,copy,%.0f\n", mb, mb * 1.048576 / a, mb * 1.048576 / b, c ? 2 * mb * 1.048576 / c : 0), fflush(stdout);
  }
  for (unsigned words : {1 << 20, 1 << 23})
    for (unsigned width : {1, 2, 4, 8, 16})
      for (unsigned stride : {8, 16, 32, 64, 256, 1024}) {
        if (stride <= width || (size_t)words / width * stride > 1ull << 31) continue;
        double a = timed([&] { strided<<<words / 256, 256>>>((float *)buf, words, stride, width); }, 3), b = timed([&] { loaded<<<words / 256, 256>>>((float *)buf, (float *)tt, words, stride, width); }, 3);
        printf("strided,%u,width%u,stride%u,us,%.2f,loads,%.2f\n", words, width, stride, a * 1e3, b * 1e3), fflush(stdout);
      }
}

// ---- columns: a warp reads 32 B of each of its 32 rows (or 16, 8 B of 2, 4 rows), rows far apart, all multiprocessors: by distance
static void columns() {
  for (unsigned stride : {1024, 2048, 4096, 1056, 4104, 16384})
    for (unsigned width : {2, 4, 8, 16, 32}) {
      unsigned words = 1 << 22;
      if ((size_t)words / width * stride > 2ull << 30) words = (2ull << 30) / stride * width;
      double b = timed([&] { loaded<<<words / 256, 256>>>((float *)buf, (float *)tt, words, stride, width); }, 3);
      printf("columns,%u,width%u,stride%u,us,%.2f\n", words, width, stride, b * 1e3), fflush(stdout);
    }
}

// ---- beginnings and ends: when the warps of one multiprocessor begin, have loaded, and end, in a copy of n words
__global__ void told(const float *x, float *y, int n, long long *t) {
  long long t0 = now();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  if (i < n) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(x + i) : "memory");
  if (v == 1.5f) y[0] = 2;
  long long t1 = now();
  if (i < n) y[i] = v;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) t[blockIdx.x * 4] = sm, t[blockIdx.x * 4 + 1] = t0, t[blockIdx.x * 4 + 2] = t1, t[blockIdx.x * 4 + 3] = now();
}
static void begun() {
  for (int threads : {64, 256, 1024})
    for (int blocks : {132, 528, 1056, 4096, 16384}) {
      if ((long long)blocks * threads > 1 << 24) continue;
      int n = blocks * threads;
      double us = timed([&] { told<<<blocks, threads>>>((float *)buf, (float *)buf + (1 << 26), n, tt); }, 9) * 1e3;
      get(4 * (size_t)blocks);
      printf("begun,%dx%d,us,%.2f", blocks, threads, us);
      std::vector<std::array<long long, 3>> v;
      for (int b = 0; b < blocks; b++) if (host[4 * b] == 5) v.push_back({host[4 * b + 1], host[4 * b + 2], host[4 * b + 3]});
      std::sort(v.begin(), v.end());
      for (size_t i = 0; i < v.size(); i += std::max<size_t>(v.size() / 12, 1)) printf(",%lld:%lld:%lld", v[i][0] - v[0][0], v[i][1] - v[i][0], v[i][2] - v[i][1]);
      long long end = 0;
      for (auto &a : v) end = std::max(end, a[2] - v[0][0]);
      printf(",end,%lld\n", end), fflush(stdout);
    }
}
// Blocks that take the same time, in waves: what lies between the end of one and the beginning of the next in its place.
__global__ void spin(int cycles, long long *t) {
  extern __shared__ float s[];
  long long t0 = now();
  while (now() - t0 < cycles);
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) t[blockIdx.x * 4] = sm, t[blockIdx.x * 4 + 1] = t0, t[blockIdx.x * 4 + 2] = now();
}
static void waves() {
  CHECK(cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  for (int bytes : {200000, 100000, 50000})
    for (int threads : {32, 128, 256, 1024})
      for (int cycles : {500, 5000}) {
        int at = 228000 / (bytes + 1024), blocks = SMS * at * 8;
        if (threads * at > 2048) continue;
        for (int r = 0; r < 2; r++) spin<<<blocks, threads, bytes>>>(cycles, tt);
        CHECK(cudaDeviceSynchronize());
        get(4 * (size_t)blocks);
        std::vector<std::array<long long, 2>> v;
        for (int b = 0; b < blocks; b++) if (host[4 * b] == 5) v.push_back({host[4 * b + 1], host[4 * b + 2]});
        std::sort(v.begin(), v.end());
        long long end = 0;
        for (auto &a : v) end = std::max(end, a[1]);
        printf("waves,%d,%dx%d,spin%d,blocks,%zu,cycles,%lld", bytes, blocks, threads, cycles, v.size(), end - v[0][0]);
        for (size_t i = 0; i < v.size() && i < 12; i++) printf(",%lld-%lld", v[i][0] - v[0][0], v[i][1] - v[0][0]);
        printf("\n"), fflush(stdout);
      }
}

int main(int argc, char **argv) {
  prepare();
  std::vector<unsigned> counts = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 16384, 131072};
  atom<0>("red", {0, 1, 2, 3, 4}, counts);
  atom<1>("atom", {0, 1, 3}, counts);
  places();
  walk();
  kept();
  randoms();
  held();
  hots();
  begun();
  stored();
  columns();
  atom<2>("redf", {0, 1, 3}, {1, 8, 64, 128, 1024, 131072});
  atom<3>("cas", {0, 1, 3}, {1, 8, 64, 128, 1024, 131072});
  atom<4>("red64", {0, 1, 3}, {1, 8, 64, 128, 1024, 131072});
  atom<5>("redd", {0, 1, 3}, {1, 8, 64, 128, 1024, 131072});
  atom<6>("exch", {0, 1, 3}, {1, 8, 64, 128, 1024, 131072});
  atom<7>("max", {0, 1, 3}, {1, 8, 64, 128, 1024, 131072});
  waves();
  printf("# done\n");
  return 0;
}
