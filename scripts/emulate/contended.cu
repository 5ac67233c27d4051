// Contended: stores of all multiprocessors to the same few lines, loads of sectors that neighbouring blocks share, operations in double precision of part of the lanes.
//
//     nvcc -std=c++17 -arch=sm_90 -o contended contended.cu
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

// ---- stores of all warps to a few lines. How: 0 a line, 4 B by each lane; 1 four lines, 16 B by each lane; 2 one sector; 3 one word; 4 a word in each of 32 sectors, eight lines; 5 all lanes
// the same word; 6 loads of a line, past L1, beside as many stores of a line. Order: 0 lines at random, 1 each warp all lines in turn
template <int HOW>
__global__ void stores(char *base, unsigned lines, int order, int n, unsigned *out) {
  unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, got = 0;
  const unsigned wide = HOW == 1 ? 4 : HOW == 4 ? 8 : 1;
  for (int i = 0; i < n; i++) {
    unsigned r = (order ? i : mix(warp * 977 + i)) * wide % lines;
    char *p = base + (size_t)r * 128;
    if (HOW == 0) *(volatile unsigned *)(p + lane * 4) = i;
    if (HOW == 1) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p + lane * 16), "r"(i) : "memory");
    if (HOW == 2 && lane < 8) *(volatile unsigned *)(p + lane * 4) = i;
    if (HOW == 3 && lane == 0) *(volatile unsigned *)p = i;
    if (HOW == 4) *(volatile unsigned *)(p + lane * 32) = i;
    if (HOW == 5) *(volatile unsigned *)p = i;
    if (HOW == 6) {
      unsigned x;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p + lane * 4) : "memory");
      got += x;
      *(volatile unsigned *)(p + lane * 4) = i;
    }
  }
  if (got == 12345678) *out = got;
}
template <int HOW>
static void store() {
  for (int order = 0; order < 2; order++)
    for (unsigned lines : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 65536}) {
      int n = lines < 32 ? 32 : 128, blocks = 4 * SMS, threads = 512;
      double ms = timed([&] { stores<HOW><<<blocks, threads>>>((char *)buf, lines, order, n, (unsigned *)tt); }, 3);
      printf("stores,how%d,order%d,lines%u,cycles,%.4f\n", HOW, order, lines, (ms - 0.0025) * 1e-3 * clocks / ((double)blocks * threads / 32 * n)), fflush(stdout);
    }
}

// ---- small blocks that all load and store the same few kilobytes: cycles of the device for each block
__global__ void small(const int4 *from, int4 *to, int bytes) {
  for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x) to[i] = from[i];
}
static void smalls() {
  for (int bytes : {512, 1024, 2048, 4096, 8192, 16384})
    for (int threads : {32, 128, 256}) {
      int blocks = 200000;
      double ms = timed([&] { small<<<blocks, threads>>>((int4 *)buf, (int4 *)buf + (1 << 20), bytes); }, 3);
      printf("small,bytes%d,threads%d,cycles,%.4f\n", bytes, threads, (ms - 0.0025) * 1e-3 * clocks / blocks), fflush(stdout);
    }
}

// ---- sums over places of what lies apart: each block takes a channel of so many, 4 B each, and 256 places at a time. Step is how many channels two blocks are apart: with 8 each
// has sectors of its own. Microseconds
__global__ void channels(const int *x, int places, int channels, int step, int *out) {
  int sum = 0;
  for (int i = threadIdx.x; i < places; i += 256) sum += x[(size_t)i * channels + blockIdx.x * step];
  if (sum == 12345678) *out = sum;
}
static void channelled() {
  for (int c : {32, 128, 512})
    for (int step : {1, 2, 4, 8})
      for (int mb : {2, 6, 12, 24, 32, 48, 96}) {
        int places = (int)((size_t)mb * 1000000 / 4 / c), blocks = c / step;
        double ms = timed([&] { channels<<<blocks, 256>>>((int *)buf, places, c, step, (int *)tt); }, 3);
        printf("channels,%d,step%d,MB%d,blocks%d,rounds%d,us,%.2f\n", c, step, mb, blocks, (places + 255) / 256, ms * 1e3), fflush(stdout);
      }
}

// ---- operations in double precision, and others, of the first lanes of each warp alone: cycles for one of a chain, and for one of four chains, by warps of a sub-partition
template <int WHAT>
__device__ __forceinline__ void operate(double &x, double y, float &f) {
  if (WHAT == 0) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(y));
  if (WHAT == 1) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(y));
  if (WHAT == 2) asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(y));
  if (WHAT == 3) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"((float)y));
  if (WHAT == 4) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
  if (WHAT == 5) asm volatile("rcp.approx.ftz.f64 %0, %0;" : "+d"(x));
}
template <int WHAT, int CHAINS>
__global__ void operations(int lanes, int n, double y, long long *t, double *out) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double x[CHAINS];
  float f[CHAINS];
  for (int k = 0; k < CHAINS; k++) x[k] = lane + k, f[k] = lane + k;
  __syncthreads();
  if (lane >= lanes) return;
  long long a = now();
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int j = 0; j < 64; j++) operate<WHAT>(x[j % CHAINS], y, f[j % CHAINS]);
  long long b = now();
  double s = 0;
  for (int k = 0; k < CHAINS; k++) s += x[k] + f[k];
  if (s == 1.2345) *out = s;
  if (lane == 0) t[2 * warp] = a, t[2 * warp + 1] = b;
}
template <int WHAT>
static void operation(const char *name) {
  for (int lanes : {1, 8, 16, 17, 32})
    for (int warps : {1, 2, 4, 8}) {
      operations<WHAT, 1><<<1, 128 * warps>>>(lanes, 50, 0.5, tt, (double *)tt + 100000);
      CHECK(cudaDeviceSynchronize());
      double one = span(4 * warps) / (50.0 * 64);
      operations<WHAT, 4><<<1, 128 * warps>>>(lanes, 50, 0.5, tt, (double *)tt + 100000);
      CHECK(cudaDeviceSynchronize());
      printf("lanes,%s,%d,warps%d,chain,%.3f,four,%.3f\n", name, lanes, warps, one, span(4 * warps) / (50.0 * 64)), fflush(stdout);
    }
}

int main() {
  prepare();
  store<0>(), store<1>(), store<2>(), store<3>(), store<4>(), store<5>(), store<6>();
  smalls();
  channelled();
  operation<0>("dfma"), operation<1>("dadd"), operation<2>("dmul"), operation<3>("ffma"), operation<4>("ex2"), operation<5>("rcp64");
  CHECK(cudaDeviceSynchronize());
  printf("# done\n");
}
