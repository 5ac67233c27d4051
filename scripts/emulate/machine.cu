// What a multiprocessor does beside operations and memory: loops, divergence, barriers, tensor instructions, code longer than the caches of
// instructions, when and where blocks begin.
//
//     nvcc -std=c++17 -arch=sm_90 -o machine machine.cu
#include "common.h"

// ---- barriers, divergence, loops
template <int KIND, int BODY>
__global__ void flow(long long *t, int n, float a, float b) {
  float x = threadIdx.x;
  long long t0 = now();
  int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (KIND == 0) {
#pragma unroll
      for (int k = 0; k < BODY; k++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(x) : "f"(a), "f"(b));
    }
  }
  long long t1 = now();
  if (lane == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (x == 1.2345f) t[99] = 0;
}
template <int BODY>
__global__ void diverge(long long *t, int n, float a, float b, int m) {
  float x = threadIdx.x;
  int lane = threadIdx.x % 32;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if ((lane + i) & m) {
#pragma unroll 1
      for (int q = 0; q < 2; q++)
#pragma unroll
        for (int k = 0; k < BODY; k++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(x) : "f"(a), "f"(b) : "memory");
    } else {
#pragma unroll 1
      for (int q = 0; q < 2; q++)
#pragma unroll
        for (int k = 0; k < BODY; k++) asm volatile("fma.rn.f32 %0,%0,%2,%1;" : "+f"(x) : "f"(a), "f"(b) : "memory");
    }
    __syncwarp();
  }
  long long t1 = now();
  if (lane == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (x == 1.2345f) t[99] = 0;
}
__global__ void barriers(long long *t, int n, int work, float a) {
  float x = threadIdx.x;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (work) {
#pragma unroll
      for (int k = 0; k < 16; k++) asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(a));
    }
#pragma unroll
    for (int k = 0; k < 4; k++) asm volatile("bar.sync 0;" ::: "memory");
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (x == 1.2345f) t[99] = 0;
}
static void flows() {
#define FLOW(B)                                                                 \
  for (int w : {1, 32}) {                                                       \
    for (int r = 0; r < 2; r++) flow<0, B><<<1, 32 * w>>>(tt, 256, 1.0f, 0.5f); \
    CHECK(cudaDeviceSynchronize());                                             \
    printf("loop,%d,%d,%.2f\n", B, w, (double)span(w) / 256);                   \
  }
  FLOW(1)
  FLOW(2)
  FLOW(4) FLOW(8) FLOW(16) FLOW(64)
#define DIV(B)                                                                       \
  for (int m : {0, 1, 3, 31, 32})                                                    \
    for (int w : {1, 8}) {                                                           \
      for (int r = 0; r < 2; r++) diverge<B><<<1, 32 * w>>>(tt, 256, 1.0f, 0.5f, m); \
      CHECK(cudaDeviceSynchronize());                                                \
      printf("diverge,%d,mask%d,%d,%.2f\n", B, m, w, (double)span(w) / 256);         \
    }
      DIV(4) DIV(16) for (int work : {0, 1}) for (int w : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
    for (int r = 0; r < 2; r++) barriers<<<1, 32 * w>>>(tt, 64, work, 1.0f);
    CHECK(cudaDeviceSynchronize());
    printf("barrier,work%d,%d,%.2f\n", work, w, (double)span(w) / 64 / 4), fflush(stdout);
  }
}
// ---- tensor instructions
template <int KIND, int ACC>
__global__ void tensor(long long *t, int n, unsigned u) {
  unsigned a[4] = {u, u, u, u}, b[2] = {u, u};
  float c[ACC][4] = {};
  double d[ACC][2] = {};
  int e[ACC][4] = {};
  double da = u, db = u;
  unsigned h[ACC][2] = {};
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int r = 0; r < 16 / ACC; r++)
#pragma unroll
      for (int k = 0; k < ACC; k++) {
#define F4 "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
        if (KIND == 0)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : F4
                       : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 1)
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : F4
                       : "r"(a[0]), "r"(a[1]), "r"(b[0]));
        if (KIND == 2)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                       : "+r"(h[k][0]), "+r"(h[k][1])
                       : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 3)
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : F4
                       : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 4)
          asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : F4
                       : "r"(a[0]), "r"(a[1]), "r"(b[0]));
        if (KIND == 5)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : F4
                       : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 6)
          asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+r"(e[k][0]), "+r"(e[k][1]), "+r"(e[k][2]), "+r"(e[k][3])
                       : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 7)
          asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                       : "+d"(d[k][0]), "+d"(d[k][1])
                       : "d"(da), "d"(db));
      }
  long long t1 = now();
  float s = 0;
  for (int k = 0; k < ACC; k++)
    s += c[k][0] + c[k][1] + c[k][2] + c[k][3] + d[k][0] + d[k][1] + e[k][0] + e[k][1] + e[k][2] + e[k][3] + h[k][0] + h[k][1];
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (s == 1.2345f) t[99] = 0;
}
template <int KIND>
static void tens(const char *name) {
  for (int w : {1, 4, 8, 16}) {
    for (int r = 0; r < 2; r++) tensor<KIND, 1><<<1, 32 * w>>>(tt, 64, 0);
    CHECK(cudaDeviceSynchronize());
    printf("tensor_%s,chain,%d,%.2f\n", name, w, (double)span(w) / 64 / 16);
    for (int r = 0; r < 2; r++) tensor<KIND, 4><<<1, 32 * w>>>(tt, 64, 0);
    CHECK(cudaDeviceSynchronize());
    printf("tensor_%s,4,%d,%.2f\n", name, w, (double)span(w) / 64 / 16), fflush(stdout);
  }
}
// ---- code
template <int U>
__global__ void code(long long *t, float a, float b, int n) {
  float x = threadIdx.x, y = x, z = x, v = x;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    long long t0 = now();
#pragma unroll
    for (int k = 0; k < U / 4; k++)
      asm volatile("fma.rn.f32 %0,%0,%4,%5; fma.rn.f32 %1,%1,%4,%5; fma.rn.f32 %2,%2,%4,%5; fma.rn.f32 %3,%3,%4,%5;"
                   : "+f"(x), "+f"(y), "+f"(z), "+f"(v)
                   : "f"(a), "f"(b));
    long long t1 = now();
    if (threadIdx.x % 32 == 0) t[(i * 32 + threadIdx.x / 32) * 2] = t0, t[(i * 32 + threadIdx.x / 32) * 2 + 1] = t1;
  }
  if (x + y + z + v == 1.2345f) t[9999] = 0;
}
template <int U>
static void codes() {
  for (int w : {1, 4, 8, 32}) {
    code<U><<<1, 32 * w>>>(tt, 1.0f, 0.5f, 4);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    get(4 * 64);
    printf("code,%d,%d", U * 16, w);
    for (int i = 0; i < 4; i++) {
      long long s = 1ll << 62, e = 0;
      for (int k = 0; k < w; k++) s = std::min(s, host[(i * 32 + k) * 2]), e = std::max(e, host[(i * 32 + k) * 2 + 1]);
      printf(",%.3f", (double)(e - s) / U);
    }
    printf("\n");
    fflush(stdout);
  }
}
// ---- blocks: when and where each starts and ends
__global__ void starts(long long *t, int spin) {
  long long t0 = now();
  u64 g0, g1;
  unsigned sm;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  while (now() - t0 < spin)
    ;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
  long long t1 = now();
  if (threadIdx.x % 32 == 0) {
    long long *p = t + ((size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 5;
    p[0] = sm, p[1] = t0, p[2] = t1, p[3] = g0, p[4] = g1;
  }
}
__global__ void empty() {}
static void blocks() {
  struct P {
    int b, w, spin, smem;
  };
  for (P q : {P{132, 1, 0, 0}, P{1320, 1, 0, 0}, P{1320, 4, 2000, 0}, P{660, 32, 2000, 0}, P{1320, 8, 5000, 0}, P{1056, 8, 1000, 100000},
              P{2640, 4, 300, 0}}) {
    int b = q.b, w = q.w, spin = q.spin, smem = q.smem;
    CHECK(cudaFuncSetAttribute(starts, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    for (int r = 0; r < 2; r++) starts<<<b, 32 * w, smem>>>(tt, spin);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    get((size_t)b * w * 5);
    // of one multiprocessor, warps by start; and over all, the time from the first start to the last end
    long long first = 1ll << 62, last = 0;
    for (int i = 0; i < b * w; i++) first = std::min(first, host[i * 5 + 3]), last = std::max(last, host[i * 5 + 4]);
    printf("starts,%dx%d,spin%d,smem%d,ns,%lld\n", b, w, spin, smem, last - first);
    for (int sm : {0, 1, 65}) {
      std::vector<std::array<long long, 4>> v;
      typedef std::array<long long, 4> A4;
      for (int i = 0; i < b * w; i++)
        if (host[i * 5] == sm) v.push_back(A4{{host[i * 5 + 1], host[i * 5 + 2], i / w, i % w}});
      std::sort(v.begin(), v.end());
      printf("starts_sm%d,%dx%d,spin%d,smem%d", sm, b, w, spin, smem);
      for (size_t i = 0; i < v.size() && i < 160; i++) printf(",%lld:%lld:%lld+%lld", v[i][2], v[i][3], v[i][0] - v[0][0], v[i][1] - v[i][0]);
      printf("\n");
    }
    // the first start on each multiprocessor, by the common timer
    std::vector<long long> f(SMS, 1ll << 62);
    for (int i = 0; i < b * w; i++) f[host[i * 5]] = std::min(f[host[i * 5]], host[i * 5 + 3] - first);
    printf("first_starts,%dx%d,spin%d", b, w, spin);
    for (int s = 0; s < SMS; s++) printf(",%lld", f[s]);
    printf("\n");
    fflush(stdout);
  }
  cudaEvent_t a, e;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&e));
  float ms;
  for (int g : {1, 132, 1056, 4224, 16896, 135168})
    for (int th : {32, 256, 1024}) {
      double m = 1e9;
      for (int r = 0; r < 3; r++) {
        CHECK(cudaEventRecord(a));
        for (int i = 0; i < 20; i++) empty<<<g, th>>>();
        CHECK(cudaEventRecord(e));
        CHECK(cudaEventSynchronize(e));
        CHECK(cudaEventElapsedTime(&ms, a, e));
        m = std::min<double>(m, ms * 50);
      }
      printf("empty,%d,%d,us,%.3f\n", g, th, m);
    }
  fflush(stdout);
}
int main() {
  prepare();
  blocks();
  flows();
  tens<0>("16816");
  tens<1>("1688");
  tens<2>("16816h");
  tens<3>("1688tf32");
  tens<4>("1684tf32");
  tens<5>("16816bf");
  tens<6>("16832s8");
  tens<7>("884d");
  codes<64>();
  codes<256>();
  codes<512>();
  codes<1024>();
  codes<1536>();
  codes<2048>();
  codes<4096>();
  codes<6144>();
  codes<8192>();
  codes<12288>();
  codes<16384>();
}
