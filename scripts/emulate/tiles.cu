// Tiles: loads and stores of tiles by their shape, pieces of random rows, loads under way, arrays that are changed in place, rows that wait at barriers,
// lanes that move 2 to 16 bytes.
//
//     nvcc -std=c++17 -arch=sm_90 -o tiles tiles.cu
#include "common.h"

// Microseconds of a launch: the median of some, each of several launches one after the other.
template <class F>
static double timed(F f, int launches = 8) {
  static cudaEvent_t a, b;
  if (!a) cudaEventCreate(&a), cudaEventCreate(&b);
  std::vector<float> t;
  for (int i = 0; i < 4; i++) {
    CHECK(cudaEventRecord(a));
    for (int k = 0; k < launches; k++) f();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (i) t.push_back(ms * 1e3f / launches);
  }
  CHECK(cudaGetLastError());
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

static char *at(size_t mb) { return (char *)buf + (mb << 20); }

// ---- tile: a block of 256 moves 8 KB: rows of PIECE bytes of a matrix whose rows have WIDTH bytes. What: 0 loads tiles, 1 stores them, 2 loads 8 KB in a
// row and stores a tile, 3 loads a tile and stores 8 KB in a row. Blocks follow each other along rows (0) or down columns (1). Microseconds by MB.
template <int WHAT>
__global__ void tile(const float *from, float *to, unsigned piece, unsigned width, unsigned height, int down) {
  unsigned across = width / piece, rows = 2048 / piece, b = blockIdx.x, bands = height / rows;
  unsigned x = down ? b / bands : b % across, y = down ? b % bands : b / across, base = y * rows * width + x * piece;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned e = k * 256 + threadIdx.x, i = base + e / piece * width + e % piece;
    v[k] = WHAT == 0 || WHAT == 3 ? __ldg(from + i) : WHAT == 2 ? __ldg(from + b * 2048 + e) : 1.f;
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned e = k * 256 + threadIdx.x, i = base + e / piece * width + e % piece;
    if (WHAT == 0) s += v[k];
    else to[WHAT == 3 ? b * 2048 + e : i] = v[k];
  }
  if (WHAT == 0 && s == 1.5f) *to = s;
}
static void tiles() {
  for (int mb : {16, 64, 256})
    for (unsigned piece : {1, 2, 4, 8, 16, 32, 64, 128, 512, 2048})
      for (int down : {0, 1}) {
        unsigned width = 2048, height = mb * 128;
        float *x = (float *)at(0), *y = (float *)at(1024);
        auto run = [&](auto f) { return timed([&] { f<<<mb * 128, 256>>>(x, y, piece, width, height, down); }); };
        printf("tile,%d,piece%u,down%d,loads,%.2f,stores,%.2f,to,%.2f,from,%.2f\n", mb, piece * 4, down, run(tile<0>), run(tile<1>), run(tile<2>), run(tile<3>)), fflush(stdout);
      }
}

// ---- some: pieces of random rows of a table of 160 MB: a block loads the same piece of ROWS rows of 8 KB, 8 KB in all; pieces of a row follow each
// other (down 0), or rows (down 1). What: 0 loads alone, 1 stores them as rows of another table, too.
template <int WHAT>
__global__ void some(const float *from, float *to, unsigned piece, unsigned count, int down) {
  unsigned rows = 2048 / piece, across = 2048 / piece, bands = count / rows, b = blockIdx.x;
  unsigned x = down ? b / bands : b % across, y = down ? b % bands : b / across;
  float v[8], s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned e = k * 256 + threadIdx.x, r = y * rows + e / piece, at = (r * 2654435761u >> 9) % 20000;
    v[k] = __ldg(from + at * 2048 + x * piece + e % piece);
  }
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned e = k * 256 + threadIdx.x, r = y * rows + e / piece;
    if (WHAT) to[r * 2048 + x * piece + e % piece] = v[k];
    else s += v[k];
  }
  if (WHAT == 0 && s == 1.5f) *to = s;
}
static void gathered() {
  for (unsigned count : {2048, 4096, 16384})
    for (unsigned piece : {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048})
      for (int down : {0, 1}) {
        auto run = [&](auto f) { return timed([&] { f<<<count, 256>>>((float *)at(0), (float *)at(1024), piece, count, down); }); };
        printf("some,%u,piece%u,down%d,loads,%.2f,copies,%.2f\n", count / 128, piece * 4, down, run(some<0>), run(some<1>)), fflush(stdout);
      }
}

// ---- flight: each of so many warps of a multiprocessor loads K times 16 B a lane, waits for them, and goes on; or stores them as well. GB/s of loads.
template <int K, bool STORE>
__global__ void flight(const float4 *from, float4 *to, unsigned mask, int n) {
  unsigned step = gridDim.x * blockDim.x * K, i = blockIdx.x * blockDim.x * K + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int r = 0; r < n; r++, i += step) {
    float4 v[K];
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = __ldcg(from + ((i + k * blockDim.x) & mask));
#pragma unroll
    for (int k = 0; k < K; k++) s += v[k].x;
    if (s == 1.5f) break;  // waits for all
    if (STORE)
#pragma unroll
      for (int k = 0; k < K; k++) to[(i + k * blockDim.x) & mask] = v[k];
  }
  if (s == 1.5f) to[0].x = s;
}
template <int K>
static void flights() {
  for (int mb : {8, 512})
    for (int warps : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64}) {
      int per = warps > 32 ? 2 : 1, threads = warps / per * 32, n = std::max(2, 4096 / warps / K / (warps * K < 8 ? 4 : 1));
      unsigned mask = (unsigned)mb * 65536 - 1;
      double bytes = (double)SMS * warps * 512 * K * n;
      double a = timed([&] { flight<K, false><<<SMS * per, threads>>>((float4 *)at(0), (float4 *)at(1024), mask, n); }, 2);
      double b = timed([&] { flight<K, true><<<SMS * per, threads>>>((float4 *)at(0), (float4 *)at(1024), mask, n); }, 2);
      printf("flight,%d,k%d,warps%d,loads,%.0f,copies,%.0f\n", mb, K, warps, bytes / a / 1e3, bytes / b / 1e3), fflush(stdout);
    }
}

// ---- arrays: some are changed in place, some are loaded, some are stored; 16 B a lane, launches one after the other. GB/s of all that is moved, by MB of all.
template <int PLACE, int LOADS, int STORES>
__global__ void arrays(float4 *base, unsigned each) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= each) return;
  float4 v[PLACE + LOADS + 1];
  v[0] = make_float4(1, 2, 3, 4);
  float s = 0;
#pragma unroll
  for (int k = 0; k < PLACE + LOADS; k++) v[k] = base[(size_t)k * each + i];
#pragma unroll
  for (int k = 0; k < PLACE + LOADS; k++) s += v[k].x;
  v[0].y += s;
#pragma unroll
  for (int k = 0; k < PLACE; k++) base[(size_t)k * each + i] = make_float4(v[k].x, s, v[k].z, v[k].w);
#pragma unroll
  for (int k = 0; k < STORES; k++) base[(size_t)(PLACE + LOADS + k) * each + i] = v[0];
  if (PLACE + STORES == 0 && s == 1.5f) base[0] = v[0];
}
template <int PLACE, int LOADS, int STORES>
static void changed() {
  for (int mb : {16, 32, 48, 64, 96, 128, 192, 256, 768}) {
    unsigned each = (unsigned)(mb * 65536.0 / (PLACE + LOADS + STORES)) / 1024 * 1024;
    double us = timed([&] { arrays<PLACE, LOADS, STORES><<<each / 256, 256>>>((float4 *)at(0), each); });
    printf("arrays,%d,place%d,loads%d,stores%d,us,%.2f,GBs,%.0f\n", mb, PLACE, LOADS, STORES, us, 16.0 * each * (2 * PLACE + LOADS + STORES) / us / 1e3), fflush(stdout);
  }
}

// ---- rows: a block loads a row, K times 16 B a lane, waits at two barriers, and stores it; ROWS rows, or none are stored, or without barriers. GB/s.
template <int K, int WHAT>
__global__ void row(const float4 *from, float4 *to) {
  __shared__ float part[32];
  size_t base = (size_t)blockIdx.x * blockDim.x * K + threadIdx.x;
  float4 v[K];
  float s = 0;
#pragma unroll
  for (int k = 0; k < K; k++) v[k] = __ldg(from + base + k * blockDim.x);
#pragma unroll
  for (int k = 0; k < K; k++) s += v[k].x + v[k].y + v[k].z + v[k].w;
  if (WHAT != 2) {
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    __syncthreads();
  }
  if (WHAT == 1) {
    if (s == 1.5f) to[0] = v[0];
    return;
  }
#pragma unroll
  for (int k = 0; k < K; k++) to[base + k * blockDim.x] = make_float4(v[k].x * s, v[k].y * s, v[k].z * s, v[k].w * s);
}
template <int K>
static void rows() {
  for (int threads : {32, 64, 128, 256, 512, 1024}) {
    unsigned blocks = (128u << 20) / (threads * K * 16);
    auto run = [&](auto f) { return timed([&] { f<<<blocks, threads>>>((float4 *)at(0), (float4 *)at(1024)); }, 4); };
    printf("row,k%d,threads%d,copies,%.2f,loads,%.2f,free,%.2f\n", K, threads, run(row<K, 0>), run(row<K, 1>), run(row<K, 2>)), fflush(stdout);
  }
}

// ---- lanes: each loads and stores U times one T, neighbours beside each other. Microseconds by MB of each array.
template <typename T, int U, int WHAT>
__global__ void lanes(const T *from, T *to) {
  size_t base = (size_t)blockIdx.x * blockDim.x * U + threadIdx.x;
  T v[U];
  unsigned s = 0;
#pragma unroll
  for (int k = 0; k < U; k++)
    if (WHAT != 1) v[k] = from[base + k * blockDim.x];
    else *(unsigned char *)&v[k] = 1;
#pragma unroll
  for (int k = 0; k < U; k++)
    if (WHAT) to[base + k * blockDim.x] = v[k];
    else s += *(unsigned char *)&v[k];
  if (WHAT == 0 && s == 12345678) to[0] = v[0];
}
template <typename T, int U>
static void wide() {
  for (int mb : {8, 128})
    for (int threads : {32, 128, 256, 1024}) {
      unsigned blocks = ((unsigned)mb << 20) / (threads * U * sizeof(T));
      auto run = [&](auto f) { return timed([&] { f<<<blocks, threads>>>((T *)at(0), (T *)at(1024)); }, 4); };
      printf("lanes,%d,bytes%zu,times%d,threads%d,loads,%.2f,stores,%.2f,copies,%.2f\n", mb, sizeof(T), U, threads, run(lanes<T, U, 0>), run(lanes<T, U, 1>), run(lanes<T, U, 2>)), fflush(stdout);
    }
}

int main() {
  prepare();
  tiles(), gathered();
  flights<1>(), flights<2>(), flights<4>(), flights<8>();
  changed<0, 1, 0>(), changed<0, 0, 1>(), changed<1, 0, 0>(), changed<0, 1, 1>(), changed<1, 1, 0>(), changed<2, 1, 0>(), changed<3, 1, 0>(), changed<0, 2, 1>(), changed<0, 3, 1>(), changed<0, 2, 2>();
  rows<1>(), rows<2>(), rows<4>(), rows<8>();
  wide<unsigned short, 1>(), wide<unsigned short, 4>(), wide<unsigned, 1>(), wide<unsigned, 4>(), wide<uint2, 1>(), wide<uint2, 4>(), wide<uint4, 1>(), wide<uint4, 4>();
  printf("# done\n");
  return 0;
}
