// Shapes: requests of warps whose lanes are rows of WIDTH words, PITCH bytes apart, from OFFSET bytes on. Loads that the first-level cache serves, and how
// long one takes; the same beside stores; loads that it lacks; blocks of 7-point stencils in three dimensions, and parts of these.
//
//     nvcc -std=c++17 -arch=sm_90 -o shapes shapes.cu
#include "common.h"
static double clocks = 1.98e9;

struct Shape {
  int width, pitch, offset;
};

__device__ __forceinline__ unsigned lane_of(Shape s) {
  unsigned lane = threadIdx.x % 32;
  return lane / s.width * s.pitch + lane % s.width * 4 + s.offset;
}

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
    float ms = 0;
    cudaEventElapsedTime(&ms, a, b);
    if (i) t.push_back(ms);
  }
  CHECK(cudaGetLastError());
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

// ---- mixed: in each iteration LOADS that hit, 128 B apart, and a store, which goes ALONG its rows or to other ones
template <int LOADS>
__global__ void __launch_bounds__(1024) mixed(const char *x, char *y, Shape load, Shape store, int along, unsigned mask, int n, long long *t) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, rows = 32 / store.width;
  const char *p = x + lane_of(load);
  unsigned group = rows * store.pitch, from = warp * group + lane_of(store), per = along ? store.pitch / (store.width * 4) : 1, in = 0, at = from;
  float s = 0;
#pragma unroll
  for (int k = 0; k < LOADS; k++) s += *(const volatile float *)(p + k * 128);
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    float v[LOADS + 1];
#pragma unroll
    for (int k = 0; k < LOADS; k++) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[k]) : "l"(p + k * 128) : "memory");
    v[LOADS] = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++) s += v[k];
    asm volatile("st.global.f32 [%0], %1;" ::"l"(y + (at & mask)), "f"(s) : "memory");
    at += store.width * 4;
    if (++in == per) in = 0, from += warps * group, at = from;
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[warp * 2] = t0, t[warp * 2 + 1] = t1;
  if (s == 1.5f) t[1 << 20] = 1;
}

template <int LOADS>
static void mix(Shape l, Shape s, int along) {
  const char *x = (const char *)buf;
  char *y = (char *)buf + GB;
  unsigned mask = (16u << 20) - 4;
  int n = 256;
  for (int w : {1, 8, 32}) {
    if (w == 1 && LOADS < 8) continue;
    for (int r = 0; r < 2; r++) mixed<LOADS><<<1, 32 * w>>>(x, y, l, s, along, mask, n, tt);
    CHECK(cudaDeviceSynchronize());
    printf("mixed,loads%d,%d/%d+%d,stores1,%d/%d+%d,along%d,1x%d,%.3f\n", LOADS, l.width, l.pitch, l.offset, s.width, s.pitch, s.offset, along, w,
           (double)span(w) / n / w);
  }
  for (int mb : {16, 512}) {
    unsigned m = ((unsigned)mb << 20) - 4;
    auto run = [&](int n) { return timed([&] { mixed<LOADS><<<2 * SMS, 512>>>(x, y, l, s, along, m, n, tt); }); };
    printf("mixed,loads%d,%d/%d+%d,stores1,%d/%d+%d,along%d,all%dMB,%.3f\n", LOADS, l.width, l.pitch, l.offset, s.width, s.pitch, s.offset, along, mb,
           (run(4 * n) - run(n)) * 1e-3 * clocks / (3.0 * n * 32));
  }
  fflush(stdout);
}

static void mixes() {
  Shape line{32, 128, 0};
  for (Shape s : {line, Shape{32, 1024, 4}, Shape{8, 1024, 0}, Shape{8, 1024, 4}, Shape{4, 1024, 4}, Shape{2, 1024, 4}, Shape{1, 1024, 4}})
    for (int along : {0, 1}) {
      mix<0>(line, s, along);
      for (Shape l : {line, Shape{8, 1024, 4}, Shape{2, 1024, 4}}) {
        mix<1>(l, s, along);
        mix<2>(l, s, along);
        mix<8>(l, s, along);
      }
    }
}

// ---- latency: a chain of loads that hit
__global__ void chain(const char *x, Shape load, int n, long long *t) {
  const char *p = x + lane_of(load);
  unsigned v;
  for (int i = 0; i < 4; i++) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    p += v;
  }
  long long t0 = now();
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    p += v;
  }
  long long t1 = now();
  if (threadIdx.x == 0) t[0] = t0, t[1] = t1;
  if (p == x + 1) t[1 << 20] = 1;
}
static void latencies() {
  for (int width : {1, 2, 4, 8, 16, 32})
    for (int pitch : {128, 128 + 4 * width, 1024, 1024 + 4 * width}) {
      for (int r = 0; r < 2; r++) chain<<<1, 32>>>((char *)buf, Shape{width, pitch, 0}, 256, tt);
      CHECK(cudaDeviceSynchronize());
      printf("latency,%d/%d,%.3f\n", width, pitch, (double)span(1) / 256);
    }
  fflush(stdout);
}

// ---- missing: loads through 16 MB that the first-level cache is asked for (1) or not (0)
template <bool CA>
__global__ void __launch_bounds__(1024) missing(const char *x, Shape load, int along, unsigned mask, int n, long long *t) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, rows = 32 / load.width;
  unsigned group = rows * load.pitch, from = warp * group + lane_of(load), per = along ? load.pitch / (load.width * 4) : 1, in = 0, at = from, s = 0;
  long long t0 = now();
#pragma unroll 4
  for (int i = 0; i < n; i++) {
    unsigned v;
    if (CA) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(x + (at & mask)) : "memory");
    else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(x + (at & mask)) : "memory");
    s += v;
    at += load.width * 4;
    if (++in == per) in = 0, from += warps * group, at = from;
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[warp * 2] = t0, t[warp * 2 + 1] = t1;
  if (s == 12345678) t[1 << 20] = 1;
}
template <bool CA>
static void misses() {
  for (int width : {1, 2, 4, 8, 32})
    for (int offset : {0, 4})
      for (int along : {0, 1}) {
        Shape s{width, 1024, offset};
        unsigned mask = (16u << 20) - 4;
        for (int r = 0; r < 2; r++) missing<CA><<<1, 1024>>>((char *)buf, s, along, mask, 64, tt);
        CHECK(cudaDeviceSynchronize());
        double one = (double)span(32) / 64 / 32;
        auto run = [&](int n) { return timed([&] { missing<CA><<<2 * SMS, 1024>>>((char *)buf, s, along, mask, n, tt); }); };
        printf("missing,ca%d,%d/1024+%d,along%d,one,%.3f,all,%.3f\n", CA, width, offset, along, one, (run(256) - run(64)) * 1e-3 * clocks / (192.0 * 64));
        fflush(stdout);
      }
}

// ---- bricks: a stencil, its loads alone, or its stores alone, by the shape of blocks, whose work-items go along the last axis
template <int LOADS, bool STORE>
__global__ void brick(const float *__restrict__ a, float *__restrict__ b, int nx, int ny, int nz) {
  float sum = 0;
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  for (int z = blockIdx.z * blockDim.z + threadIdx.z + 1; z < nz - 1; z += gridDim.z * blockDim.z) {
    int i = (z * ny + y) * nx + x;
    float s = z;
    if (LOADS > 0) s = a[i] * 0.5f;
    if (LOADS > 1) s += 0.1f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]);
    if (STORE) b[i] = s;
    else sum += s;
  }
  if (!STORE && sum == 1.5f) b[0] = sum;
}
static void bricks() {
  int shapes[][3] = {{256, 1, 1}, {32, 8, 1}, {16, 4, 1}, {16, 16, 1}, {8, 8, 1}, {8, 4, 2}, {8, 8, 4}, {4, 2, 8}, {4, 4, 4}, {3, 8, 8}, {2, 16, 1}, {2, 32, 2}, {1, 64, 4}};
  for (int nz : {64, 256})
    for (auto &s : shapes) {
      int nx = 256, ny = 256, items = s[0] * s[1] * s[2], gx = (nx - 3 + s[0]) / s[0], gy = (ny - 3 + s[1]) / s[1];
      int room = SMS * std::min(32, 2048 / items), gz = std::max(1, std::min(room / (gx * gy), (nz - 3 + s[2]) / s[2]));
      dim3 grid(gx, gy, gz), block(s[0], s[1], s[2]);
      float *a = (float *)buf, *b = (float *)((char *)buf + GB);
      double all = timed([&] { brick<7, true><<<grid, block>>>(a, b, nx, ny, nz); }, 5), loads = timed([&] { brick<7, false><<<grid, block>>>(a, b, nx, ny, nz); }, 5);
      double copy = timed([&] { brick<1, true><<<grid, block>>>(a, b, nx, ny, nz); }, 5), stores = timed([&] { brick<0, true><<<grid, block>>>(a, b, nx, ny, nz); }, 5);
      double one = timed([&] { brick<1, false><<<grid, block>>>(a, b, nx, ny, nz); }, 5);
      printf("brick,%d,%dx%dx%d,grid%dx%dx%d,us,stencil,%.2f,loads,%.2f,copy,%.2f,stores,%.2f,load,%.2f\n", nz, s[0], s[1], s[2], gx, gy, gz, all * 1e3, loads * 1e3,
             copy * 1e3, stores * 1e3, one * 1e3);
      fflush(stdout);
    }
}

int main() {
  prepare();
  bricks(), latencies(), misses<true>(), misses<false>(), mixes();
  printf("# done\n");
  return 0;
}
