// Tensor maps: how they are encoded, and how long copies take that they describe, within a block and to several of a cluster. A line with a map has what
// is unusual of it, and its 128 bytes; others the operation, what varies, and cycles.
//
//     nvcc -std=c++17 -arch=sm_90a -o tensors tensors.cu
#include <cuda.h>
#include <dlfcn.h>

#include "common.h"

typedef CUresult (*Encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                           CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static Encode encode;

struct Map {
  int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank = 2;
  u64 address = 0x7f1234560000, dims[5] = {4096, 2048, 1, 1, 1}, strides[4] = {8192, 0, 0, 0};
  unsigned box[5] = {64, 128, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 3, promotion = 0, fill = 0;
  CUtensorMap encoded(CUresult *result = nullptr) const {
    alignas(64) CUtensorMap m;
    memset(&m, 0, sizeof m);
    CUresult r = encode(&m, (CUtensorMapDataType)type, rank, (void *)address, (const cuuint64_t *)dims, (const cuuint64_t *)strides, box, steps,
                        (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle, (CUtensorMapL2promotion)promotion, (CUtensorMapFloatOOBfill)fill);
    if (result) *result = r;
    return m;
  }
  void print(const char *what) const {
    CUresult r;
    CUtensorMap m = encoded(&r);
    printf("map,%s,%d,", what, (int)r);
    for (int i = 0; i < 128; i++) printf("%02x", ((unsigned char *)&m)[i]);
    printf("\n");
  }
};

static void maps() {
  char what[100];
  Map base;
  base.print("base");
#define VARY(name, statement, ...)                 \
  for (auto v : {__VA_ARGS__}) {                   \
    Map m;                                         \
    statement;                                     \
    snprintf(what, sizeof what, name "=%lld", (long long)v); \
    m.print(what);                                 \
  }
  VARY("address", m.address = v, 0x7f1234560010ull, 0x7fffffff0000ull, 0x10ull, 0x100000000ull)
  VARY("type", (m.type = v, m.box[0] = 16), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
  VARY("dim0", m.dims[0] = v, 64ull, 4095ull, 65536ull, 1ull << 32)
  VARY("dim1", m.dims[1] = v, 1ull, 2047ull, 1ull << 31)
  VARY("stride0", m.strides[0] = v, 16ull, 8208ull, 1ull << 20, 1ull << 36, 1ull << 39)
  VARY("box0", m.box[0] = v, 8u, 16u, 32u, 56u)
  VARY("box1", m.box[1] = v, 1u, 64u, 255u, 256u)
  VARY("step0", m.steps[0] = v, 1u, 2u, 8u)
  VARY("step1", m.steps[1] = v, 1u, 2u, 8u)
  VARY("swizzle", (m.swizzle = v, m.box[0] = 8), 0, 1, 2, 3)
  VARY("promotion", m.promotion = v, 0, 1, 2, 3)
  VARY("fill", m.fill = v, 0, 1)
  for (int rank = 1; rank <= 5; rank++) {
    Map m;
    m.rank = rank;
    for (int d = 0; d < 5; d++) m.dims[d] = 100 * (d + 1), m.box[d] = d + 2;
    m.dims[0] = 128, m.box[0] = 16, m.swizzle = 0;
    for (int d = 0; d < 4; d++) m.strides[d] = 4096ull << d * 3;
    snprintf(what, sizeof what, "rank=%d", rank);
    m.print(what);
    m.steps[rank - 1] = 2;
    m.print("with a step");
  }
  for (int interleave : {1, 2}) {
    Map m;
    m.rank = 3, m.interleave = interleave, m.swizzle = interleave == 2 ? 1 : 0;
    m.dims[0] = 16, m.dims[1] = 64, m.dims[2] = 64, m.box[0] = interleave == 2 ? 16 : 8, m.box[1] = 8, m.box[2] = 8, m.strides[0] = 512, m.strides[1] = 65536;
    snprintf(what, sizeof what, "interleave=%d", interleave);
    m.print(what);
  }
}

__device__ void start(unsigned barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count)); }
__device__ void expect(unsigned barrier, int bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory"); }
__device__ void await(unsigned barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ void arriveAt(unsigned barrier, unsigned block) {
  asm volatile("{\n.reg .b32 a;\nmapa.shared::cluster.u32 a, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [a];\n}" ::"r"(barrier), "r"(block) : "memory");
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

// KIND 0: loads, S under way; 1: stores; 2: each of a cluster's blocks loads its part of a box for all.
template <int KIND, int S>
__global__ void boxes(const __grid_constant__ CUtensorMap m, long long *t, int n, int bytes, int bx, int by, int nx, int ny, int blocks) {
  extern __shared__ __align__(1024) char s[];
  __shared__ u64 full[S], empty[S];
  unsigned q = (place(s) + 1023) & ~1023, f = place(full), e = place(empty), rank = 0;
  if (KIND == 2) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = 0; i < S; i++) start(f + 8 * i, 1), start(e + 8 * i, blocks);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  if (KIND == 2) meet();
  int part = KIND == 2 ? blocks : 1;
  int first = blockIdx.x / part * ny * by;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    int k = i % S, x = i % nx * bx, y = first + i / nx % ny * by;
    if (KIND == 1) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read %4;" ::"l"(&m),
                   "r"(x), "r"(y), "r"(q + k * bytes), "n"(S - 1)
                   : "memory");
      continue;
    }
    if (i >= S) {
      await(f + 8 * k, (i / S - 1) & 1);
      if (KIND == 2) {
        for (int b = 0; b < blocks; b++) arriveAt(e + 8 * k, b);
        await(e + 8 * k, (i / S - 1) & 1);
      }
    }
    expect(f + 8 * k, bytes);
    if (KIND == 0)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(q + k * bytes), "l"(&m), "r"(x), "r"(y),
                   "r"(f + 8 * k)
                   : "memory");
    if (KIND == 2)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
                       q + k * bytes + rank * (bytes / part)),
                   "l"(&m), "r"(x), "r"(y + (int)rank * by / part), "r"(f + 8 * k), "h"((unsigned short)((1 << part) - 1))
                   : "memory");
  }
  if (KIND == 1) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  else
    for (int i = n; i < n + S; i++) await(f + 8 * (i % S), (i / S - 1) & 1);
  long long t1 = now();
  t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1;
  if (KIND == 2) meet();
}
static double longest(int blocks) {
  get(2 * (size_t)blocks);
  long long most = 0;
  for (int b = 0; b < blocks; b++) most = std::max(most, host[2 * b + 1] - host[2 * b]);
  return (double)most;
}
template <int KIND, int S>
static void box(const char *name, int bx, int by, int swizzle, int blocks, int cluster, int promotion = 2) {
  int bytes = bx * by * 2, n = 128, nx = 512 / bx, ny = 256 / by < 1 ? 1 : 256 / by;
  if (S * bytes > 200000) return;
  Map m;
  m.address = (u64)buf, m.dims[0] = 512, m.dims[1] = 132 * 256, m.strides[0] = 1024, m.box[0] = bx, m.box[1] = by / cluster, m.swizzle = swizzle, m.promotion = promotion;
  CUresult r;
  CUtensorMap map = m.encoded(&r);
  if (r != CUDA_SUCCESS) {
    printf("# %s %d x %d, swizzle %d: %d\n", name, bx, by, swizzle, (int)r);
    return;
  }
  auto f = boxes<KIND, S>;
  CHECK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 210000));
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim.x = cluster, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
  c.gridDim = dim3(blocks), c.blockDim = dim3(1), c.attrs = a, c.numAttrs = cluster > 1, c.dynamicSmemBytes = S * bytes + 1024;
  for (int r = 0; r < 3; r++) CHECK(cudaLaunchKernelEx(&c, f, map, tt, n, bytes, bx, by, nx, ny, cluster));
  CHECK(cudaDeviceSynchronize());
  printf("%s,%d x %d,swizzle%d,promotion%d,%d in flight,%d blocks of %d,%.2f\n", name, bx, by, swizzle, promotion, S, blocks, cluster, longest(blocks) / n), fflush(stdout);
}

// Two blocks of a cluster tell each other in turn.
__global__ void __cluster_dims__(2) turns(long long *t, int n) {
  __shared__ u64 b;
  unsigned at = place(&b), rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  start(at, 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  meet();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (rank == 0) arriveAt(at, 1), await(at, i & 1);
    else await(at, i & 1), arriveAt(at, 0);
  }
  long long t1 = now();
  t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1;
  meet();
}

// Loads of another block's shared memory: a chain, and the rate of all warps.
__global__ void __cluster_dims__(2) others(long long *t, int n, int chain) {
  __shared__ __align__(16) unsigned s[4096];
  unsigned rank, at, v[8] = {};
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(place(s)), "r"(rank ^ 1));
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;
  meet();
  unsigned q = at + threadIdx.x % 1024 * 4;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int k = 0; k < 8; k++) {
      if (chain) {
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v[0]) : "r"(q) : "memory");
        q += v[0];
      } else asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v[k]) : "r"(q) : "memory");
    }
  unsigned sum = 0;
  for (int k = 0; k < 8; k++) sum += v[k];
  long long t1 = now();
  if (sum == 12345) t[99] = 0;
  if (threadIdx.x == 0) t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1;
  meet();
}

int main() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  encode = driver ? (Encode)dlsym(driver, "cuTensorMapEncodeTiled") : nullptr;
  if (!encode) return printf("# no driver\n"), 1;
  cudaFree(0);
  maps();
  fflush(stdout);
  prepare();
  for (int blocks : {1, 132}) {
    for (int by : {8, 64, 128, 256}) box<0, 4>("tensor_load", 64, by, 3, blocks, 1);
    box<0, 1>("tensor_load", 64, 64, 3, blocks, 1), box<0, 1>("tensor_load", 64, 256, 3, blocks, 1);
    box<0, 4>("tensor_load", 32, 128, 2, blocks, 1), box<0, 4>("tensor_load", 16, 128, 1, blocks, 1), box<0, 4>("tensor_load", 64, 128, 0, blocks, 1);
    box<0, 4>("tensor_load", 8, 128, 0, blocks, 1), box<0, 4>("tensor_load", 256, 32, 0, blocks, 1);
    for (int promotion : {0, 1, 3}) box<0, 4>("tensor_load", 64, 128, 3, blocks, 1, promotion);
    box<1, 4>("tensor_store", 64, 64, 3, blocks, 1), box<1, 4>("tensor_store", 64, 128, 3, blocks, 1), box<1, 4>("tensor_store", 32, 128, 2, blocks, 1);
    box<1, 4>("tensor_store", 64, 64, 0, blocks, 1);
  }
  for (int blocks : {2, 132}) {
    for (int by : {64, 128, 256}) box<2, 4>("tensor_shared", 64, by, 3, blocks, 2);
    box<2, 1>("tensor_shared", 64, 128, 3, blocks, 2);
  }
  for (int blocks : {4, 132}) box<2, 4>("tensor_shared", 64, 128, 3, blocks, 4);
  for (int r = 0; r < 2; r++) turns<<<2, 1>>>(tt, 128);
  CHECK(cudaDeviceSynchronize());
  printf("cluster_in_turn,%.2f\n", longest(2) / 128);
  for (int r = 0; r < 2; r++) others<<<2, 32>>>(tt, 32, 1);
  CHECK(cudaDeviceSynchronize());
  printf("cluster_load,chain,%.2f\n", longest(2) / 32 / 8);
  for (int warps : {1, 4, 8, 16}) {
    for (int blocks : {2, 132}) {
      for (int r = 0; r < 2; r++) others<<<blocks, 32 * warps>>>(tt, 32, 0);
      CHECK(cudaDeviceSynchronize());
      printf("cluster_load,%d blocks x %d,%.2f\n", blocks, warps, longest(blocks) / 32 / 8 / warps);
    }
  }
  printf("# done\n");
  return 0;
}
