// Rows: work-items that each go along a row of their own, by the distance of rows, by how many there are and by how many arrays; sets of the first-level cache; stores of
// parts of sectors, by which lanes store them.
//
//     nvcc -std=c++17 -arch=sm_90 -o rows rows.cu
//
// With an argument it launches each of walk and part once more, for ncu to count.
#include "common.h"

// Microseconds of a launch: the least of three, after one.
template <class F>
static double timed(F f) {
  static cudaEvent_t a, b;
  if (!a) cudaEventCreate(&a), cudaEventCreate(&b);
  float best = 1e30f, ms;
  for (int i = 0; i < 4; i++) {
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

// ---- walk: each work-item goes along a row, of so many words, in ARRAYS arrays. What: 0 loads, 1 stores, 2 loads and stores what it has loaded, 3 loads what depends on
// the load before.
template <int WHAT, int ARRAYS>
__global__ void walk(float *x, size_t pitch, size_t apart, int words, float never) {
  float *row = x + (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * pitch, v[ARRAYS] = {};
  for (int k = 0; k < words; k++) {
#pragma unroll
    for (int a = 0; a < ARRAYS; a++) {
      float *at = row + a * apart + k;
      if (WHAT == 3) at += v[a] == never ? 1 : 0;
      if (WHAT == 1) *at = v[a] + k;
      else if (WHAT == 2) *at = *at + 1.f;
      else v[a] += *at;
    }
  }
  float s = 0;
  for (int a = 0; a < ARRAYS; a++) s += v[a];
  if (s == never) x[0] = s;
}

template <int WHAT, int ARRAYS>
static void walks(int blocks, int threads, size_t pitch, int words, bool count) {
  size_t rows = (size_t)blocks * threads, apart = rows * pitch + 1024;
  if (apart * 4 * ARRAYS > 9 * GB) return;
  auto f = [&] { walk<WHAT, ARRAYS><<<blocks, threads>>>((float *)buf, pitch, apart, words, 1e30f); };
  if (count) { f(); f(); CHECK(cudaDeviceSynchronize()); return; }
  printf("walk,%s,arrays%d,blocks%d,threads%d,pitch%zu,words%d,us,%.2f\n", WHAT == 0 ? "loads" : WHAT == 1 ? "stores" : WHAT == 2 ? "both" : "chain", ARRAYS, blocks, threads, pitch * 4, words, timed(f));
  fflush(stdout);
}

static void walks(bool count) {
  for (size_t pitch : {32, 64, 256, 300, 1024, 1056, 4096, 4128, 16384})
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
      if (count && (threads == 32 || threads == 64 || pitch == 64 || pitch == 256)) continue;
      walks<0, 1>(132, threads, pitch, 256 < pitch ? 256 : (int)pitch, count);
      if (pitch >= 256 && threads >= 128) walks<3, 1>(132, threads, pitch, 256, count);
      if (pitch >= 256 && threads >= 128) walks<1, 1>(132, threads, pitch, 256, count);
    }
  for (size_t pitch : {300, 1024, 1056, 2048})
    for (int blocks : {264, 528, 1056, 2112, 4224}) {
      if (count && (pitch == 2048 || blocks == 264 || blocks == 4224)) continue;
      walks<0, 1>(blocks, 256, pitch, 256, count), walks<1, 1>(blocks, 256, pitch, 256, count), walks<2, 1>(blocks, 256, pitch, 256, count);
      walks<0, 4>(blocks, 256, pitch, 256, count), walks<1, 4>(blocks, 256, pitch, 256, count), walks<2, 4>(blocks, 256, pitch, 256, count);
    }
}

// ---- set: one work-item goes through so many lines at a distance, again and again: cycles of a load in the rounds after the first two.
__global__ void set(const u64 *x, long long *tell, unsigned lines, size_t apart) {
  size_t at = 0, i = 0;
  long long begin = 0;
  for (int r = 0; r < 6; r++) {
    if (r == 2) begin = now();
    for (i = 0; i < lines; i++) at = x[at + i * apart];
  }
  tell[0] = begin, tell[1] = now() + at;
}
static void sets() {
  for (size_t bytes : {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 1 << 20, 1200, 4224, 16512})
    for (unsigned lines : {8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 1792, 2048}) {
      if (bytes * lines > 8 * GB) continue;
      set<<<1, 1>>>(buf, tt, lines, bytes / 8);
      CHECK(cudaDeviceSynchronize());
      printf("set,apart%zu,lines%u,cycles,%.2f\n", bytes, lines, span(1) / (4.0 * lines)), fflush(stdout);
    }
}

// ---- lanes: one warp loads from so many lines of memory that L2 holds, each load after the one before: cycles of a load.
__global__ void lanes(const unsigned *x, long long *tell, unsigned apart, unsigned different, unsigned step, int loads) {
  const unsigned *p = x + threadIdx.x % different * apart;
  unsigned v = 0;
  for (int r = 0; r < 2; r++) {
    long long begin = now();
    for (int k = 0; k < loads; k++) v = __ldcg(p + k * step + v);
    v += __shfl_xor_sync(~0u, v, 1);
    tell[0] = begin, tell[1] = now() + v;
  }
}
static void lanesOf() {
  for (unsigned bytes : {32, 128, 1200, 4096, 4224, 16384})
    for (unsigned different : {1, 2, 4, 8, 16, 32}) {
      lanes<<<1, 32>>>((unsigned *)buf, tt, bytes / 4, different, 32 * bytes / 4, 64);
      CHECK(cudaDeviceSynchronize());
      printf("lanes,apart%u,different%u,cycles,%.2f\n", bytes, different, span(1) / 64.0), fflush(stdout);
    }
}

// ---- part: each work-item stores a word. How: 0 every STEP-th; 1 turned within pieces of STEP words; 2 the words of a block in STEP rows (work-item t of the block to row
// t % STEP); 3 the same, but work-items of a row beside each other; 4 two words, one after the other, at 2 i and 2 i + 1; 5 by a permutation of all; 6 STEP words one after the other.
__global__ void part(float *y, unsigned n, unsigned step, int how, unsigned rowWords) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  float v = i;
  switch (how) {
    case 0: y[(size_t)i * step] = v; break;
    case 1: y[i - i % step + i * 37 % step] = v; break;
    case 2: y[(size_t)(t % step) * rowWords + blockIdx.x * (blockDim.x / step) + t / step] = v; break;
    case 3: y[(size_t)(t / (blockDim.x / step)) * rowWords + blockIdx.x * (blockDim.x / step) + t % (blockDim.x / step)] = v; break;
    case 4: y[2 * i] = v, y[2 * i + 1] = -v; break;
    case 5: y[(unsigned)((u64)i * 104729 % n)] = v; break;
    default: for (unsigned k = 0; k < step; k++) y[(size_t)i * step + k] = v;
  }
}
static void parts(bool count) {
  for (unsigned mega : {1, 4, 16})
    for (int how = 0; how < 7; how++)
      for (unsigned step : {1, 2, 3, 4, 6, 8, 16, 32, 64, 256}) {
        unsigned n = mega << 20;
        if (how == 0 && step > 32 || how == 1 && (step < 8 || step == 6) || (how == 2 || how == 3) && (step < 4 || step == 6) || how > 3 && how < 6 && step > 1 || how == 6 && (step == 1 || step > 16)) continue;
        if (how == 1 && 37 % step == 0) continue;
        auto f = [&] { part<<<n / 256, 256>>>((float *)buf, n, step, how, 1 << 22); };
        if (count) { f(); f(); CHECK(cudaDeviceSynchronize()); continue; }
        printf("part,how%d,step%u,mega%u,us,%.2f\n", how, step, mega, timed(f)), fflush(stdout);
      }
}

int main(int n, char **) {
  prepare();
  if (n > 1) { walks(true), parts(true); return 0; }
  sets(), lanesOf(), walks(false), parts(false);
}
