// What memory costs one multiprocessor and all of them: latencies by working set and load, when queues fill, throughput by width and
// stride, atomics by conflicts, constants, the halves of L2.
//
//     nvcc -std=c++17 -arch=sm_90 -o memory memory.cu
#include "common.h"

// ---- chases
template <int MODE>
__global__ void chase(u64 *start, long long *t, int n, u64 stride) {  // each lane, if strided, on a cycle of its own
  u64 p = (u64)start + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * stride;
  for (int w = 0; w < 2; w++) {
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
      for (int k = 0; k < 8; k++) {
        if (MODE == 0) asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
        if (MODE == 1) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
        if (MODE == 2) {
          u64 q;
          asm volatile("ld.global.v2.u64 {%0, %1}, [%0];" : "+l"(p), "=l"(q)::"memory");
        }
      }
    long long t1 = now();
    if (threadIdx.x % 32 == 0) {
      int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
      t[2 * w] = t0, t[2 * w + 1] = t1;
    }
  }
  if (p == 1) start[0] = 0;
}
__global__ void link(u64 *a, const unsigned *next, u64 n, u64 step) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (u64)blockDim.x) a[i * step] = (u64)(a + next[i] * step);
}
static void cycle(u64 bytes, u64 stride) {  // one random cycle through all places
  u64 n = bytes / stride;
  std::vector<unsigned> order(n), next(n);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 g(1);
  std::shuffle(order.begin() + 1, order.end(), g);
  for (u64 i = 0; i < n; i++) next[order[i]] = order[(i + 1) % n];
  unsigned *d;
  CHECK(cudaMalloc(&d, n * 4));
  CHECK(cudaMemcpy(d, next.data(), n * 4, cudaMemcpyHostToDevice));
  link<<<1024, 256>>>(buf, d, n, stride / 8);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d));
}
static void chases() {
  for (u64 kb : {4,    16,    64,    128,   176,   200,   208,   216,   224,   240,   256,    512,     1024,
                 4096, 16384, 24576, 28672, 32768, 40960, 49152, 57344, 65536, 98304, 262144, 1048576, 4194304}) {
    u64 stride = kb > 2097152 ? 4096 : kb > 262144 ? 1024 : 128;
    cycle(kb * 1024, stride);
    bool fits = kb < 131072;
    int n = fits ? std::max<u64>(kb * 1024 / stride / 8, 64) : 8192;
    for (int m = kb > 512; m < 2; m++) {
      for (int r = 0; r < 1 + (kb < 1024); r++)
        if (m == 0)
          chase<0><<<1, 1>>>(buf, tt, n, 0);
        else
          chase<1><<<1, 1>>>(buf, tt, n, 0);
      CHECK(cudaDeviceSynchronize());
      printf("chase_%s,%llu,%.2f\n", m ? "cg" : "ca", kb, (double)span(1) / (8 * n)), fflush(stdout);
    }
    if (kb == 16) {
      chase<2><<<1, 1>>>(buf, tt, n, 0);
      CHECK(cudaDeviceSynchronize());
      printf("chase_ca128,%llu,%.2f\n", kb, (double)span(1) / (8 * n));
    }
  }
}
// Under load: W warps on each of all multiprocessors chase at random; lanes of a warp apart or together. One working set for L2, one for DRAM.
__global__ void walkers(const unsigned *x, unsigned mask, long long *t, int n, int apart, unsigned *o) {
  unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, v = (apart ? blockIdx.x * blockDim.x + threadIdx.x : w) * 2654435761u;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    unsigned y;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(y) : "l"(x + (size_t)(v & mask) * 8 + (apart ? 0 : threadIdx.x % 8)) : "memory");
    v = (v + y) * 1664525u + 1013904223u;
    v ^= v >> 15;
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
  if (v == 1) o[0] = 1;
}
static void loaded() {
  CHECK(cudaMemset(buf, 0, 8 * GB));
  for (int dram = 0; dram < 2; dram++)
    for (int apart = 0; apart < 2; apart++)
      for (int w : {1, 2, 4, 8, 16, 24, 32, 48, 64}) {
        unsigned mask = dram ? (1u << 28) - 1 : (1u << 19) - 1;
        int blocks = SMS * (w > 32 ? 2 : 1), threads = 32 * (w > 32 ? w / 2 : w), n = 64;
        for (int r = 0; r < 2; r++) {
          walkers<<<blocks, threads>>>((unsigned *)buf, mask, tt, n, apart, (unsigned *)tt + (1 << 22));
          CHECK(cudaDeviceSynchronize());
        }
        int warps = SMS * w;
        get(2 * warps);
        double s = 0;
        for (int i = 0; i < warps; i++) s += host[2 * i + 1] - host[2 * i];
        printf("loaded_%s_%s,%d,%.1f\n", dram ? "dram" : "l2", apart ? "32sectors" : "1sector", w, s / warps / n), fflush(stdout);
      }
}
// Each line of 4 MB in L2 from several multiprocessors: near and far halves.
__global__ void lines(u64 *a, unsigned short *o, int n, unsigned *sm) {
  if (threadIdx.x) return;
  unsigned id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  sm[blockIdx.x] = id;
  for (int i = 0; i < n; i++) {
    u64 v;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(a + i * 16) : "memory");
  }
  for (int i = 0; i < n; i++) {
    u64 v;
    long long t0 = now();
    asm volatile("ld.global.cg.u64 %0, [%1];\n\txor.b64 %0, %0, 1;" : "=l"(v) : "l"(a + i * 16) : "memory");
    if (v == 12345) a[0] = 0;
    long long t1 = now();
    o[blockIdx.x * n + i] = t1 - t0;
  }
}
static void halves() {
  const int n = 512;
  unsigned short *o;
  unsigned *sm;
  CHECK(cudaMalloc(&o, 2 * n * SMS));
  CHECK(cudaMalloc(&sm, 4 * SMS));
  for (int i = 0; i < 2; i++) {
    lines<<<SMS, 1>>>(buf, o, n, sm);
    CHECK(cudaDeviceSynchronize());
  }
  std::vector<unsigned short> h(n * SMS);
  std::vector<unsigned> id(SMS);
  CHECK(cudaMemcpy(h.data(), o, 2 * n * SMS, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(id.data(), sm, 4 * SMS, cudaMemcpyDeviceToHost));
  int hist[64] = {};
  for (auto v : h) hist[std::min<int>(v / 10, 63)]++;
  for (int i = 0; i < 64; i++)
    if (hist[i]) printf("l2_line_hist,%d,%d\n", i * 10, hist[i]);
  for (int b = 0; b < SMS; b += 13) {
    printf("l2_lines_sm%u,%d", id[b], n);
    std::vector<unsigned short> c(h.begin() + b * n, h.begin() + b * n + n);
    std::sort(c.begin(), c.end());
    for (int q = 0; q <= 8; q++) printf(",%d", c[std::min(n - 1, q * n / 8)]);
    printf("\n");
  }
  CHECK(cudaFree(o));
  CHECK(cudaFree(sm));
}
// ---- queues: when each of a row of independent instructions is issued
enum { L1, L1S, L2, L2S, DRAM, LDSH, LDSC, MUFUQ, STGQ, STGS, ATOMSQ, REDQ, REDS, SHFLQ, DFMAQ, CVTQ, LDCQ };
template <int KIND>
__global__ void queue(u64 *a, int *t, int each, float f) {
  __shared__ unsigned s[8192];
  const int N = 48;
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  unsigned v[N];
  int c[N + 1];
  float g = f + lane;
  double d = g;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = i;
  unsigned *p = (unsigned *)a + (size_t)w * N * 4096 + (KIND == L1S || KIND == L2S || KIND == STGS || KIND == REDS ? lane * 32 : lane);
  unsigned sp = place(s) + (KIND == LDSC ? lane * 128 : lane * 4) + w * 0;
  if (KIND == L1 || KIND == L1S)
    for (int k = 0; k < N; k++) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(KIND == L1 ? p + k * 32 : p + k % 4 * 1024) : "memory");
  if (KIND == L2 || KIND == L2S)
    for (int k = 0; k < N; k++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + k * 1024) : "memory");
  __syncthreads();
  if (w % each) return;
#pragma unroll
  for (int k = 0; k < N; k++) {
    {
      u64 q;
      asm volatile("mov.u64 %0, %%clock64;" : "=l"(q)::"memory");
      c[k] = (int)q;
    }
    if (KIND == L1) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + k * 32) : "memory");
    if (KIND == L1S) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + k % 4 * 1024) : "memory");
    if (KIND == L2 || KIND == L2S || KIND == DRAM) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + k * 1024) : "memory");
    if (KIND == LDSH || KIND == LDSC) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(sp + k % 16 * 4) : "memory");
    if (KIND == MUFUQ) {
      float h;
      asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(h) : "f"(g + k));
      v[k] = __float_as_uint(h);
    }
    if (KIND == STGQ || KIND == STGS) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(p + k * 1024), "r"(lane) : "memory");
      v[k] = 0;
    }
    if (KIND == ATOMSQ) {
      asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(sp), "r"(lane) : "memory");
      v[k] = 0;
    }
    if (KIND == REDQ || KIND == REDS) {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p + k * 1024), "r"(lane) : "memory");
      v[k] = 0;
    }
    if (KIND == SHFLQ) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(v[k]) : "r"(lane + k));
    if (KIND == DFMAQ) {
      double h;
      asm volatile("fma.rn.f64 %0, %1, %1, %1;" : "=d"(h) : "d"(d));
      v[k] = __double2hiint(h);
    }
    if (KIND == CVTQ) {
      double h;
      asm volatile("cvt.f64.f32 %0, %1;" : "=d"(h) : "f"(g));
      v[k] = __double2hiint(h);
    }
  }
  {
    u64 q;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(q)::"memory");
    c[N] = (int)q;
  }
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < N; k++) sum += v[k];
  if (sum == 77) a[1] = sum;
  if (lane == 0)
    for (int k = 0; k <= N; k++) t[w * 64 + k] = c[k];
}
template <int KIND>
static void issue(const char *name) {
  struct P {
    int warps, each;
  };
  for (P q : {P{1, 1}, P{5, 4}, P{13, 4}, P{4, 1}, P{16, 1}}) {
    int warps = q.warps, each = q.each;
    int *t = (int *)tt;
    if (KIND == DRAM) CHECK(cudaMemset((char *)buf + GB, 1, GB));
    for (int r = 0; r < (KIND == DRAM ? 1 : 2); r++) queue<KIND><<<1, 32 * warps>>>(buf, t, each, 1.0f);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> h(64 * 32);
    CHECK(cudaMemcpy(h.data(), t, 4 * 64 * 32, cudaMemcpyDeviceToHost));
    for (int w = 0; w < warps; w += each)
      if (w == 0 || w + each >= warps) {
        printf("issue_%s,%dx%d,w%d", name, (warps + each - 1) / each, each, w);
        for (int k = 0; k < 48; k++) printf(",%d", h[w * 64 + k + 1] - h[w * 64 + k]);
        printf(",start,%d\n", h[w * 64] - h[0]);
      }
    fflush(stdout);
  }
}
// ---- throughput of memory instructions of one multiprocessor: cycles of a warp instruction. 8 independent in flight, in L1 or L2.
template <int KIND, int BYTES, int KS>
__global__ void moving(char *a, long long *t, int n, int lanestride, int step, int mask) {
  extern __shared__ __align__(16) char s[];
  unsigned off = threadIdx.x % 32 * lanestride + (KIND == 2 || KIND == 3 || KIND > 6 ? 0 : threadIdx.x / 32 * 8 * KS), v = 0;
  unsigned sh = place(s) + threadIdx.x % 32 * lanestride;
  char *base = a + (mask ? (size_t)blockIdx.x * (mask + 1ll) : 0);
  if (KIND == 2 || KIND == 3)
    for (int i = threadIdx.x * 4; i < 32768; i += blockDim.x * 4) *(int *)(s + i) = 0;
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    unsigned r[8][4] = {};
    char *base0 = base + ((off + i * step) & mask) + (KIND == 10 || KIND == 11 ? threadIdx.x / 32 * 8 * KS : 0);
#pragma unroll
    for (int k = 0; k < 8; k++) {
      char *p = base0 + k * KS;
      unsigned q = sh + k * 128;
      if (KIND == 0 || KIND == 1) {
#define LD(c)                                                                                                              \
  if (BYTES == 4) asm volatile("ld.global" c ".u32 %0, [%1];" : "=r"(r[k][0]) : "l"(p) : "memory");                        \
  if (BYTES == 8) asm volatile("ld.global" c ".v2.u32 {%0,%1}, [%2];" : "=r"(r[k][0]), "=r"(r[k][1]) : "l"(p) : "memory"); \
  if (BYTES == 16)                                                                                                         \
    asm volatile("ld.global" c ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "l"(p) : "memory");
        if (KIND == 0) {
          LD("")
        } else {
          LD(".cg")
        }
      }
      if (KIND == 2) {
        if (BYTES == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r[k][0]) : "r"(q) : "memory");
        if (BYTES == 8) asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r[k][0]), "=r"(r[k][1]) : "r"(q) : "memory");
        if (BYTES == 16)
          asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3]) : "r"(q) : "memory");
      }
      if (KIND == 3) {
        if (BYTES == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(q), "r"(i) : "memory");
        if (BYTES == 8) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(q), "r"(i) : "memory");
        if (BYTES == 16) asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(q), "r"(i) : "memory");
      }
      if (KIND == 4) {
        if (BYTES == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
        if (BYTES == 8) asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(p), "r"(i) : "memory");
        if (BYTES == 16) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(i) : "memory");
      }
      if (KIND == 5) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
      if (KIND == 6) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r[k][0]) : "l"(p), "r"(i) : "memory");
      if (KIND == 7) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(q), "r"(i) : "memory");
      if (KIND == 8) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(r[k][0]) : "r"(q), "r"(i) : "memory");
      if (KIND == 9) asm volatile("atom.shared.cas.b32 %0, [%1], %2, %2;" : "=r"(r[k][0]) : "r"(q), "r"(i) : "memory");
      if (KIND == 10) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(q), "l"(p) : "memory");
      if (KIND == 11) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(q), "l"(p) : "memory");
      if (KIND == 12)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3])
                     : "r"(q)
                     : "memory");
    }
    if (KIND == 10 || KIND == 11) asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 2;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 8; k++) v += r[k][0] ^ r[k][1] ^ r[k][2] ^ r[k][3];
  }
  if (KIND == 10 || KIND == 11) asm volatile("cp.async.wait_all;" ::: "memory");
  long long t1 = now();
  if (v == 12345) a[0] = 1;
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
}
template <int KIND, int BYTES, int KS = BYTES * 32>
static void rate(const char *name, int lanestride, int blocks, int warps, int step, int mask, int n = 128) {
  double b = 1e30;
  for (int r = 0; r < 3; r++) {
    moving<KIND, BYTES, KS><<<blocks, 32 * warps, 32768>>>((char *)buf, tt, n, lanestride, step, mask);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    get(2 * warps * blocks);
    double s = 0;
    for (int k = 0; k < blocks; k++) {
      long long a = host[2 * k * warps], e = host[2 * k * warps + 1];
      for (int w = 0; w < warps; w++) a = std::min(a, host[2 * (k * warps + w)]), e = std::max(e, host[2 * (k * warps + w) + 1]);
      s += e - a;
    }
    b = std::min(b, s / blocks);
  }
  printf("rate_%s,%dB,stride%d,%dx%d,%.3f\n", name, BYTES, lanestride, blocks, warps, b / (n * 8.0 * warps)), fflush(stdout);
}
static void rates() {
  const int L = 131071, G = (1 << 18) - 1;
  for (int w : {1, 4, 8, 16, 32}) {
    rate<0, 4>("l1", 4, 1, w, 0, L);
    rate<0, 8>("l1", 8, 1, w, 0, L);
    rate<0, 16>("l1", 16, 1, w, 0, L);
    rate<2, 4>("lds", 4, 1, w, 0, 0);
    rate<2, 8>("lds", 8, 1, w, 0, 0);
    rate<2, 16>("lds", 16, 1, w, 0, 0);
    rate<3, 4>("sts", 4, 1, w, 0, 0);
    rate<3, 8>("sts", 8, 1, w, 0, 0);
    rate<3, 16>("sts", 16, 1, w, 0, 0);
    rate<12, 16>("ldsm4", 16, 1, w, 0, 0);
  }
  for (int s : {0, 8, 12, 16, 20, 32, 36, 64, 68, 128, 132, 256}) {
    rate<0, 4>("l1", s, 1, 32, 0, L);
    rate<2, 4>("lds", s, 1, 32, 0, 0);
    rate<3, 4>("sts", s, 1, 32, 0, 0);
  }
  for (int s : {0, 32, 48, 64, 128}) rate<0, 16>("l1", s, 1, 32, 0, L), rate<2, 16>("lds", s, 1, 32, 0, 0), rate<3, 16>("sts", s, 1, 32, 0, 0);
  for (int s : {16, 24, 32, 64}) rate<0, 8>("l1", s, 1, 32, 0, L), rate<2, 8>("lds", s, 1, 32, 0, 0);
  for (int b : {1, 2, 8, 33, 66, 132}) {
    if (b > SMS) break;
    for (int w : {1, 4, 16, 32}) rate<1, 4>("l2", 4, b, w, 1024 * w, G);
    rate<1, 16>("l2", 16, b, 32, 4096 * 32, G);
    rate<1, 4, 1024>("l2", 32, b, 32, 8192 * 32, G);
    rate<4, 4>("stg", 4, b, 32, 1024 * 32, G);
    rate<4, 16>("stg", 16, b, 32, 4096 * 32, G);
    rate<4, 4, 1024>("stg", 32, b, 32, 8192 * 32, G);
    rate<11, 16>("ldgsts", 16, b, 16, 4096 * 16, G);
    rate<10, 4>("ldgsts", 4, b, 16, 1024 * 16, G);
  }
  for (int s : {0, 4, 8, 32, 128})
    for (int b : {1, SMS}) {
      rate<5, 4, 4096>("red", s, b, 16, 0, G, 32);
      rate<6, 4, 4096>("atomg", s, b, 16, 0, G, 32);
    }
  for (int s : {0, 4, 8, 16, 32, 64, 128}) {
    rate<7, 4>("reds", s, 1, 16, 0, 0);
    rate<8, 4>("atoms", s, 1, 16, 0, 0);
    rate<9, 4>("atomscas", s, 1, 16, 0, 0);
    rate<8, 4>("atoms", s, 1, 1, 0, 0);
  }
  rate<5, 4, 0>("red_one_place", 0, SMS, 16, 0, 0, 16);
}
// ---- chains in shared memory, constant memory and of atomics
template <int KIND>
__global__ void inside(long long *t, int n, int stride, u64 *g) {
  __shared__ __align__(16) unsigned s[8192];
  for (int i = threadIdx.x; i < 8192; i += 32) s[i] = place(&s[i]);
  __syncwarp();
  unsigned x = place(s) + threadIdx.x * stride, y;
  u64 gp = (u64)g + threadIdx.x * stride;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int k = 0; k < 16; k++) {
      if (KIND == 0) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory");
      if (KIND == 1) {
        unsigned z, u;
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%0];" : "+r"(x), "=r"(y), "=r"(z), "=r"(u)::"memory");
      }
      if (KIND == 2) asm volatile("atom.shared.add.u32 %0, [%0], 0;" : "+r"(x)::"memory");
      if (KIND == 3) asm volatile("atom.shared.cas.b32 %0, [%0], 1, 2;" : "+r"(x)::"memory");
      if (KIND == 4) asm volatile("atom.shared.exch.b32 %0, [%0], %0;" : "+r"(x)::"memory");
      if (KIND == 5) asm volatile("atom.global.add.u64 %0, [%0], 0;" : "+l"(gp)::"memory");
      if (KIND == 6) asm volatile("atom.global.cas.b64 %0, [%0], 1, 2;" : "+l"(gp)::"memory");
      if (KIND == 7) {
        asm volatile("ld.shared.u32 %0, [%0];\n\tadd.u32 %0, %0, 4;\n\txor.b32 %0, %0, 4;" : "+r"(x)::"memory");
        x &= ~4u;
      }
      if (KIND == 8) {
        asm volatile("st.shared.u32 [%1], %0;\n\tld.shared.u32 %0, [%1];" : "+r"(x) : "r"(place(s) + threadIdx.x * 4) : "memory");
      }
      if (KIND == 9) asm volatile("fence.acq_rel.cta;" ::: "memory");
      if (KIND == 10) asm volatile("fence.acq_rel.gpu;" ::: "memory");
      if (KIND == 11) asm volatile("bar.warp.sync -1;" ::: "memory");
      if (KIND == 12) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(x)::"memory");
        x = place(s) + (x & 0);
      }
    }
  long long t1 = now();
  if (x == 1 || gp == 1) t[9] = x;
  if (threadIdx.x == 0) t[0] = t0, t[1] = t1;
}
__global__ void selfs(u64 *a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = (u64)(a + i);
}
template <int KIND>
static void inner(const char *name, int stride) {
  selfs<<<1, 256>>>(buf, 8192);
  for (int r = 0; r < 2; r++) inside<KIND><<<1, 32>>>(tt, 32, stride, buf);
  CHECK(cudaDeviceSynchronize());
  printf("inside_%s,stride%d,%.2f\n", name, stride, (double)span(1) / 512), fflush(stdout);
}
__constant__ unsigned table[16384];
__global__ void constants(long long *t, int n, unsigned start, int lanes) {
  unsigned x = start + threadIdx.x * lanes;
  for (int w = 0; w < 2; w++) {
    long long t0 = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
      for (int k = 0; k < 8; k++) x = table[x];
    }
    long long t1 = now();
    if (threadIdx.x == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
  }
  if (x == 99999) t[9] = 0;
}
static void constant() {
  for (int words : {64, 256, 512, 640, 1024, 2048, 4096, 8192, 12288, 16384})
    for (int stride : {1, 16}) {
      std::vector<unsigned> h(16384);
      for (int i = 0; i < 16384; i++) h[i] = (i + stride) % words;
      CHECK(cudaMemcpyToSymbol(table, h.data(), 65536));
      int n = std::max(words / stride / 8, 8);
      constants<<<1, 1>>>(tt, n, 0, 0);
      CHECK(cudaDeviceSynchronize());
      get(4);
      printf("constant,%d,stride%d,cold,%.2f,warm,%.2f\n", words * 4, stride * 4, (double)(host[1] - host[0]) / (8 * n),
             (double)(host[3] - host[2]) / (8 * n)),
          fflush(stdout);
    }
  std::vector<unsigned> h(16384);
  for (int i = 0; i < 16384; i++) h[i] = i;
  CHECK(cudaMemcpyToSymbol(table, h.data(), 65536));
  for (int lanes : {0, 1, 4, 16}) {
    constants<<<1, 32>>>(tt, 8, 0, lanes);
    constants<<<1, 32>>>(tt, 8, 0, lanes);
    CHECK(cudaDeviceSynchronize());
    get(4);
    printf("constant_lanes,%d,%.2f\n", lanes, (double)(host[3] - host[2]) / 64);
  }
}
int main() {
  prepare();
  constant();
  for (int s : {4, 8, 16, 32, 64, 128}) inner<0>("lds", s);
  inner<1>("lds128", 16);
  inner<7>("lds_alu", 4);
  inner<8>("sts_lds", 4);
  for (int s : {0, 4, 8, 32, 128}) inner<2>("atoms_add", s), inner<3>("atoms_cas", s), inner<4>("atoms_exch", s);
  for (int s : {0, 8, 32, 128}) inner<5>("atomg_add", s), inner<6>("atomg_cas", s);
  inner<9>("fence_cta", 4);
  inner<10>("fence_gpu", 4);
  inner<11>("warpsync", 4);
  inner<12>("ldsm", 16);
  issue<L1>("l1");
  issue<L1S>("l1_scattered");
  issue<L2>("l2");
  issue<L2S>("l2_scattered");
  issue<DRAM>("dram");
  issue<LDSH>("lds");
  issue<LDSC>("lds_conflicts");
  issue<MUFUQ>("mufu");
  issue<STGQ>("stg");
  issue<STGS>("stg_scattered");
  issue<ATOMSQ>("reds");
  issue<REDQ>("red");
  issue<REDS>("red_scattered");
  issue<SHFLQ>("shfl");
  issue<DFMAQ>("dfma");
  issue<CVTQ>("f2d");
  rates();
  halves();
  loaded();
  chases();
}
