// Accesses of shared memory by pattern: copies of lanes (LDGSTS) of 4, 8 and 16 B, matrices (LDSM, STSM), and loads and stores, whose lanes' places are
// given. A line tells the operation, the pattern of places in global memory and in shared memory, blocks by warps, and the cycles of an instruction of a
// warp, where all warps of a multiprocessor execute at once.
//
//     nvcc -std=c++17 -arch=sm_90a -o copies copies.cu
#include <functional>

#include "common.h"

enum { COPY4, COPY8, COPY16, COPY16_PAST, STSM4, STSM2, STSM1, STSM4T, LDSM4, LDSM2, LDSM1, LDSM4T, STS4, STS8, STS16, LDS4, LDS8, LDS16, LDG4 };
static const int TURNS = 4;  // patterns that follow each other

struct Places {
  int global[TURNS][32], local[TURNS][32];
};

// n times eight instructions of each warp; global places move on by step every TURNS instructions, in mask + 1 bytes of the block.
template <int KIND>
__global__ void access(long long *t, const char *a, Places p, int n, int step, int mask, int apart) {
  extern __shared__ __align__(1024) char s[];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  unsigned q[TURNS];
  const char *g[TURNS];
  const char *base = a + (apart ? (size_t)blockIdx.x * (mask + 1) : 0);
#pragma unroll
  for (int k = 0; k < TURNS; k++) q[k] = place(s) + (KIND == LDG4 ? 0 : p.local[k][lane]), g[k] = base + p.global[k][lane];
  unsigned r[8][4] = {};
  int at = warp * step;
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      unsigned to = q[k % TURNS];
      const char *from = g[k % TURNS] + at;
      if (KIND == COPY4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
      if (KIND == COPY8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
      if (KIND == COPY16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      if (KIND == COPY16_PAST) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      if (KIND == STSM4) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(i) : "memory");
      if (KIND == STSM2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%1};" ::"r"(to), "r"(i) : "memory");
      if (KIND == STSM1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(to), "r"(i) : "memory");
      if (KIND == STSM4T) asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(i) : "memory");
      if (KIND == LDSM4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "r"(to) : "memory");
      if (KIND == LDSM2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[k][0]), "=r"(r[k][1]) : "r"(to) : "memory");
      if (KIND == LDSM1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[k][0]) : "r"(to) : "memory");
      if (KIND == LDSM4T)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "r"(to) : "memory");
      if (KIND == STS4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(i) : "memory");
      if (KIND == STS8) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(to), "r"(i) : "memory");
      if (KIND == STS16) asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(i) : "memory");
      if (KIND == LDS4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r[k][0]) : "r"(to) : "memory");
      if (KIND == LDS8) asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r[k][0]), "=r"(r[k][1]) : "r"(to) : "memory");
      if (KIND == LDS16) asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "r"(to) : "memory");
      if (KIND == LDG4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(r[k][0]) : "l"(from) : "memory");
      if (k % TURNS == TURNS - 1) at = (at + warps * step) & mask;
    }
    if (KIND <= COPY16_PAST) asm volatile("cp.async.commit_group;\ncp.async.wait_group 3;" ::: "memory");
  }
  if (KIND <= COPY16_PAST) asm volatile("cp.async.wait_all;" ::: "memory");
  unsigned sum = 0;
  for (int k = 0; k < 8; k++) sum += r[k][0] + r[k][1] + r[k][2] + r[k][3];
  long long t1 = now();
  if (sum == 12345) t[1 << 20] = 0;
  int w = blockIdx.x * warps + warp;
  if (lane == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
}

typedef std::function<int(int lane, int turn)> Pattern;

template <int KIND>
static void one(const char *name, const char *globally, Pattern g, const char *locally, Pattern l, int step, int bytes, int blocks, int warps) {
  Places p;
  for (int k = 0; k < TURNS; k++)
    for (int i = 0; i < 32; i++) p.global[k][i] = g(i, k), p.local[k][i] = l(i, k);
  const int n = 128;
  CHECK(cudaFuncSetAttribute(access<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int r = 0; r < 3; r++) access<KIND><<<blocks, 32 * warps, 40960>>>(tt, (const char *)buf, p, n, step, bytes - 1, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  get(2 * (size_t)blocks * warps);
  double most = 0;
  for (int b = 0; b < blocks; b++) {
    long long first = 1ll << 62, last = 0;
    for (int w = b * warps; w < (b + 1) * warps; w++) first = std::min(first, host[2 * w]), last = std::max(last, host[2 * w + 1]);
    most = std::max(most, (double)(last - first));
  }
  printf("%s,%s,%s,%d B,%dx%d,%.2f\n", name, globally, locally, bytes, blocks, warps, most / n / 8 / warps), fflush(stdout);
}

// rows of so many bytes whose parts of 16 B are exchanged, as operands of products lie
static int swizzled(int row, int byte, int pitch) { return row * pitch + ((byte / 16 ^ row % (pitch / 16)) * 16) + byte % 16; }

template <int KIND>
static void copy(const char *name, int width) {
  const int L1 = 1 << 14, L2 = 1 << 18;
  auto apart = [](int bytes, int turn) { return Pattern([=](int i, int k) { return i * bytes + k * turn; }); };
  auto rows = [](int lanes, int bytes, int pitch, int turn) { return Pattern([=](int i, int k) { return i % lanes * bytes + i / lanes * pitch + k * turn; }); };
  for (int warps : {1, 4, 8, 16})
    for (int b : {width, 2 * width, 4 * width, 32, 64, 128})
      if (b >= width) one<KIND>(name, "side by side", apart(width, 32 * width), ("apart " + std::to_string(b)).c_str(), apart(b, width), 128 * width, L1, 1, warps);
  for (int warps : {4, 16})
    for (int bytes : {L1, L2})
      for (int b : {2 * width, 16, 32, 128}) {
        if (b <= width) continue;
        one<KIND>(name, ("apart " + std::to_string(b)).c_str(), apart(b, 32 * b), "side by side", apart(width, 1024), 128 * b, bytes, 1, warps);
        one<KIND>(name, ("apart " + std::to_string(b)).c_str(), apart(b, 32 * b), "apart 32", apart(32 > width ? 32 : width, width), 128 * b, bytes, 1, warps);
      }
  // what turns a matrix: the lanes' numbers are next to each other in memory, several by each lane, and go to rows
  for (int warps : {4, 8})
    for (int blocks : {1, 132})
      for (int bytes : {L1, L2})
        for (int each : {1, 2, 4}) {
          if (width > 4) continue;
          int lanes = 64 / each > 32 ? 32 : 64 / each;
          auto g = rows(lanes, 4 * each, 2048, 4);
          auto l = Pattern([=](int i, int k) { return swizzled(i % lanes * each + k % each, i / lanes * 4, 128); });
          one<KIND>(name, ("turned " + std::to_string(each)).c_str(), g, "rows of 128 B", l, 4096, bytes, blocks, warps);
          one<KIND>(name, ("turned " + std::to_string(each)).c_str(), g, "side by side", apart(4, 128), 4096, bytes, blocks, warps);
        }
  // rows of tiles: so many lanes side by side in a row
  for (int warps : {4, 8})
    for (int blocks : {1, 132})
      for (int lanes : {4, 8, 16, 32}) {
        int pitch = lanes * width < 128 ? lanes * width : 128;
        if (pitch < 32) continue;
        auto l = Pattern([=](int i, int k) { return (swizzled(i / lanes, i % lanes * width % pitch, pitch) + i % lanes * width / pitch * 8192 + k * 32 / lanes * pitch) & 32767; });
        one<KIND>(name, ("rows of " + std::to_string(lanes) + " lanes").c_str(), rows(lanes, width, 4096, 32 / lanes * 4096), "rows", l, lanes * width, L2, blocks, warps);
      }
}

template <int KIND>
static void local(const char *name, int width, bool matrices) {
  auto none = Pattern([](int, int) { return 0; });
  for (int warps : {1, 4, 16})
    for (int b : {width, 2 * width, 4 * width, 32, 48, 64, 80, 128, 136, 144, 256, 272}) {
      if (b < width || b % width || matrices && b % 16) continue;
      one<KIND>(name, "", none, ("apart " + std::to_string(b)).c_str(), Pattern([=](int i, int k) { return i * b + k * 16; }), 0, 1 << 14, 1, warps);
    }
  for (int warps : {4, 16})
    for (int rows : {8, 16})  // the other lanes go on along the row
      for (int pitch : {32, 64, 128})
        one<KIND>(name, "", none, ("rows " + std::to_string(rows) + " of " + std::to_string(pitch)).c_str(),
                  Pattern([=](int i, int k) { return swizzled(i % rows, (i / rows * 16 + k * 32) % pitch, pitch) & ~(width - 1); }), 0, 1 << 14, 1, warps);
}

// All multiprocessors follow rings of lines of the same memory, each from a place of its own, once to bring them near and then timed: in all lines, and with
// the places of the first half of the multiprocessors again by all, as if others had read them before.
__global__ void rings(long long *t, const u64 *a, int lines, int n) {
  u64 at = (u64)blockIdx.x * 7919 % lines;
  for (int i = 0; i < n; i++) asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(a + at * 16) : "memory");
  long long t0 = now();
  for (int i = 0; i < n; i++) asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(a + at * 16) : "memory");
  long long t1 = now();
  t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1 + (at == 1ull << 60);
}
static void follow() {
  std::mt19937 random(1);
  for (int mb : {1, 4, 8, 16, 20, 24, 28, 32, 40, 48, 56}) {
    int lines = mb << 13;
    std::vector<u64> ring(lines), order(lines);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < lines; i++) ring[order[i]] = order[(i + 1) % lines];
    std::vector<u64> all((size_t)lines * 16);
    for (int i = 0; i < lines; i++) all[(size_t)i * 16] = ring[i];
    CHECK(cudaMemcpy(buf, all.data(), all.size() * 8, cudaMemcpyHostToDevice));
    for (int blocks : {1, 132, 264}) {
      int n = blocks == 1 ? 60000 : 12000;
      for (int r = 0; r < 2; r++) {
        rings<<<blocks, 1>>>(tt, buf, lines, n);
        CHECK(cudaDeviceSynchronize());
        get(2 * blocks);
        double s = 0;
        for (int b = 0; b < blocks; b++) s += host[2 * b + 1] - host[2 * b];
        printf("ring,%d MB,%d blocks,again%d,%.1f\n", mb, blocks, r, s / blocks / n), fflush(stdout);
      }
    }
  }
  CHECK(cudaMemset(buf, 0, 64 << 20));
}

int main() {
  prepare();
  follow();
  copy<COPY4>("copy4", 4), copy<COPY8>("copy8", 8), copy<COPY16>("copy16", 16), copy<COPY16_PAST>("copy16_past", 16);
  local<STSM4>("stsm4", 16, true), local<STSM2>("stsm2", 16, true), local<STSM1>("stsm1", 16, true), local<STSM4T>("stsm4_turned", 16, true);
  local<LDSM4>("ldsm4", 16, true), local<LDSM2>("ldsm2", 16, true), local<LDSM1>("ldsm1", 16, true), local<LDSM4T>("ldsm4_turned", 16, true);
  local<STS4>("sts4", 4, false), local<STS8>("sts8", 8, false), local<STS16>("sts16", 16, false);
  local<LDS4>("lds4", 4, false), local<LDS8>("lds8", 8, false), local<LDS16>("lds16", 16, false);
  auto none = Pattern([](int, int) { return 0; });
  for (int warps : {4, 16})
    for (int bytes : {1 << 14, 1 << 18})
      for (int b : {4, 8, 16, 32, 64, 128}) one<LDG4>("ldg4", ("apart " + std::to_string(b)).c_str(), Pattern([=](int i, int k) { return i * b + k * 32 * b; }), "", none, 128 * b, bytes, 1, warps);
  printf("# done\n");
  return 0;
}
