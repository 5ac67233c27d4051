// Asynchronous machinery of a multiprocessor: products of four warps (WGMMA), copies to shared memory (LDGSTS, bulk copies), barriers in shared
// memory, and what matrix products of one warp other programs do not measure.
//
//     nvcc -std=c++17 -arch=sm_90a -o asynchronous asynchronous.cu
#include "groups.h"

// ---- products of four warps
// GROUPS of R products; beside them, other warps store to shared memory (beside = 1) or load from it (2).
template <int KIND, int COLUMNS, int R>
__global__ void __launch_bounds__(256, 1) products(long long *t, int n, int groups, int beside) {
  extern __shared__ __align__(1024) char memory[];
  for (int i = threadIdx.x; i < 49152 / 4; i += blockDim.x) ((int *)memory)[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
  long long t0 = now(), t1;
  if (group < groups) {
    float s[COLUMNS / 2] = {};
    u64 a = described(place(memory) + group * 8192), b = described(place(memory) + 16384);
    unsigned x = 0;
    asm volatile("mov.u32 %0, 0;" : "=r"(x));
#pragma unroll 1
    for (int i = 0; i < n; i++) {
      begin();
#pragma unroll
      for (int r = 0; r < R; r++) product<KIND, COLUMNS>(s, a + (r & 3) * 2, b + (r & 3) * 2, x);
      finish();
    }
    t1 = now();
    float sum = 0;
    for (int i = 0; i < COLUMNS / 2; i++) sum += s[i];
    if (sum == 1.2345f) t[999] = 0;
  } else {
    unsigned q = place(memory) + 16384 + threadIdx.x % 128 * 16, v = 0, y, z, w;
#pragma unroll 1
    for (int i = 0; i < n * beside / 4; i++)
#pragma unroll
      for (int k = 0; k < 8; k++) {
        if (beside < 100) asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(q + k * 2048), "r"(v) : "memory");
      }
    t1 = now();
    (void)y, (void)z, (void)w;
  }
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
}
static double spanOf(int from, int warps) {
  get(2 * (from + warps));
  long long a = host[2 * from], b = host[2 * from + 1];
  for (int i = from; i < from + warps; i++) a = std::min(a, host[2 * i]), b = std::max(b, host[2 * i + 1]);
  return (double)(b - a);
}
template <int KIND, int COLUMNS, int R>
static void timed(const char *name) {
  CHECK(cudaFuncSetAttribute(products<KIND, COLUMNS, R>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int groups : {1, 2}) {
    if (groups == 2 && R == 1) continue;
    for (int r = 0; r < 2; r++) products<KIND, COLUMNS, R><<<1, 128 * groups, 65536>>>(tt, 64, groups, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("wgmma,%s,n%d,%d in a group,%d,%.2f\n", name, COLUMNS, R, groups, spanOf(0, 4 * groups) / 64 / R);
  }
  fflush(stdout);
}
template <int KIND, int COLUMNS>
static void columns(const char *name) {
  timed<KIND, COLUMNS, 1>(name), timed<KIND, COLUMNS, 2>(name), timed<KIND, COLUMNS, 4>(name), timed<KIND, COLUMNS, 16>(name);
}
template <int COLUMNS>
static void beside(const char *name) {
  CHECK(cudaFuncSetAttribute(products<HALF, COLUMNS, 16>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int work : {0, COLUMNS / 8, COLUMNS / 2, COLUMNS}) {
    for (int r = 0; r < 2; r++) products<HALF, COLUMNS, 16><<<1, 256, 65536>>>(tt, 64, 1, work);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    double a = spanOf(0, 4), b = spanOf(4, 4);
    printf("wgmma_beside_stores,n%d,stores%d,%.2f,of a store,%.2f\n", COLUMNS, work / 4 * 8 * 4, a / 64 / 16, work < 4 ? 0 : b / (64.0 * work / 4 * 8 * 4));
  }
}
// When each of eight products is issued, and when all are done.
template <int COLUMNS>
__global__ void __launch_bounds__(128, 1) issued(long long *t) {
  extern __shared__ __align__(1024) char memory[];
  for (int i = threadIdx.x; i < 49152 / 4; i += blockDim.x) ((int *)memory)[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float s[COLUMNS / 2] = {};
  u64 a = described(place(memory)), b = described(place(memory) + 16384);
  unsigned at[12];
  for (int k = 0; k < 2; k++) {
    begin();
#pragma unroll
    for (int r = 0; r < 8; r++) {
      asm volatile("mov.u32 %0, %%clock;" : "=r"(at[r])::"memory");
      product<HALF, COLUMNS>(s, a, b, 0);
    }
    asm volatile("mov.u32 %0, %%clock;" : "=r"(at[8])::"memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(at[9])::"memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(at[10])::"memory");
  }
  float sum = 0;
  for (int i = 0; i < COLUMNS / 2; i++) sum += s[i];
  if (sum == 1.2345f) t[999] = 0;
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < 11; i++) t[threadIdx.x / 32 * 11 + i] = at[i] - at[0];
}
template <int COLUMNS>
static void issues() {
  CHECK(cudaFuncSetAttribute(issued<COLUMNS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int r = 0; r < 2; r++) issued<COLUMNS><<<1, 128, 65536>>>(tt);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  get(44);
  printf("wgmma_issued,n%d", COLUMNS);
  for (int i = 0; i < 11; i++) printf(",%lld", host[i]);
  printf("\n");
}
static void wide() {
  columns<HALF, 8>("half"), columns<HALF, 16>("half"), columns<HALF, 32>("half"), columns<HALF, 64>("half"), columns<HALF, 96>("half");
  columns<HALF, 128>("half"), columns<HALF, 192>("half"), columns<HALF, 256>("half");
  columns<REGISTERS, 8>("registers"), columns<REGISTERS, 32>("registers"), columns<REGISTERS, 64>("registers"), columns<REGISTERS, 128>("registers");
  columns<REGISTERS, 256>("registers");
  columns<TF32, 64>("tf32"), columns<TF32, 128>("tf32"), columns<TF32, 256>("tf32");
  columns<FP8, 64>("fp8"), columns<FP8, 128>("fp8"), columns<FP8, 256>("fp8");
  beside<64>("half"), beside<128>("half"), beside<256>("half");
  issues<64>(), issues<128>(), issues<256>();
}

// ---- products of one warp
template <int KIND, int ACC>
__global__ void tensor(long long *t, int n, unsigned u) {
  double d[ACC][4] = {}, da[8], db[4];
  for (double &x : da) x = u;
  for (double &x : db) x = u;
  int e[ACC][4] = {};
  float c[ACC][4] = {};
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int r = 0; r < 16 / ACC; r++)
#pragma unroll
      for (int k = 0; k < ACC; k++) {
#define D4 "+d"(d[k][0]), "+d"(d[k][1]), "+d"(d[k][2]), "+d"(d[k][3])
        if (KIND == 0)
          asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : D4 : "d"(da[0]), "d"(da[1]), "d"(db[0]));
        if (KIND == 1)
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : D4
                       : "d"(da[0]), "d"(da[1]), "d"(da[2]), "d"(da[3]), "d"(db[0]), "d"(db[1]));
        if (KIND == 2)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                       : D4
                       : "d"(da[0]), "d"(da[1]), "d"(da[2]), "d"(da[3]), "d"(da[4]), "d"(da[5]), "d"(da[6]), "d"(da[7]), "d"(db[0]), "d"(db[1]), "d"(db[2]), "d"(db[3]));
        if (KIND == 3)
          asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(e[k][0]), "+r"(e[k][1]) : "r"(u), "r"(u));
        if (KIND == 4)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : "+r"(e[k][0]), "+r"(e[k][1]), "+r"(e[k][2]), "+r"(e[k][3])
                       : "r"(u), "r"(u), "r"(u));
        if (KIND == 5)
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                       : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                       : "r"(u), "r"(u), "r"(u));
        if (KIND == 6)
          asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                       : "r"(u), "r"(u), "r"(u), "r"(u), "r"(u), "r"(u));
      }
  long long t1 = now();
  double s = 0;
  for (int k = 0; k < ACC; k++)
    for (int j = 0; j < 4; j++) s += d[k][j] + e[k][j] + c[k][j];
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (s == 1.2345) t[99] = 0;
}
template <int KIND>
static void tens(const char *name) {
  for (int w : {4, 8, 16}) {
    for (int r = 0; r < 2; r++) tensor<KIND, 1><<<1, 32 * w>>>(tt, 64, 0);
    CHECK(cudaDeviceSynchronize());
    printf("tensor_%s,chain,%d,%.2f\n", name, w, (double)span(w) / 64 / 16);
    for (int r = 0; r < 2; r++) tensor<KIND, 4><<<1, 32 * w>>>(tt, 64, 0);
    CHECK(cudaDeviceSynchronize());
    printf("tensor_%s,4,%d,%.2f\n", name, w, (double)span(w) / 64 / 16), fflush(stdout);
  }
}

// ---- matrices between shared memory and registers: chains of LDSM, and stores
template <int KIND>
__global__ void matrices(long long *t, int n, int stride) {
  __shared__ __align__(16) unsigned s[4096];
  unsigned p = place(s) + threadIdx.x % 32 * stride, y, z, w;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = place(s);
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int k = 0; k < 16; k++) {
      if (KIND == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(p)::"memory");
      if (KIND == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%0];" : "+r"(p), "=r"(y)::"memory");
      if (KIND == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%0];" : "+r"(p), "=r"(y), "=r"(z), "=r"(w)::"memory");
      if (KIND == 5) asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%0];" : "+r"(p), "=r"(y), "=r"(z), "=r"(w)::"memory");
      if (KIND == 6) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(p), "r"(i) : "memory");
      if (KIND == 7) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(p), "r"(i) : "memory");
    }
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
  if (p == 1) t[99] = 0;
}
template <int KIND>
static void matrix(const char *name) {
  for (int stride : {16, 32, 128, 144})
    for (int w : {1, 8}) {
      for (int r = 0; r < 2; r++) matrices<KIND><<<1, 32 * w>>>(tt, 64, stride);
      CHECK(cudaDeviceSynchronize());
      printf("%s,stride%d,%d,%.2f\n", name, stride, w, (double)span(w) / 64 / 16 / (KIND > 5 ? w : 1)), fflush(stdout);
    }
}

// ---- copies of 16 B by each lane (LDGSTS): so many of a warp, and the wait for all
template <int MANY, int PAST>
__global__ void lanes(long long *t, const char *a, int n, int step, int mask, int ahead) {
  extern __shared__ __align__(128) char s[];
  unsigned q = place(s) + threadIdx.x * 16;
  const char *base = a + (size_t)blockIdx.x * (mask + 1);
  int warps = blockDim.x / 32, off = threadIdx.x / 32 * 512 * MANY + threadIdx.x % 32 * 16;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    const char *p = base + ((off + i * step) & mask);
#pragma unroll
    for (int k = 0; k < MANY; k++) {
      if (PAST) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(q), "l"(p + k * 512) : "memory");
      else asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(q), "l"(p + k * 512) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (ahead) asm volatile("cp.async.wait_group 3;" ::: "memory");
    else asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  long long t1 = now();
  int w = blockIdx.x * warps + threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) t[2 * w] = t0, t[2 * w + 1] = t1;
}
// The longest of the blocks, whose clocks differ.
static double longest(int blocks, int warps) {
  get(2 * (size_t)blocks * warps);
  long long most = 0;
  for (int b = 0; b < blocks; b++) {
    long long first = 1ll << 62, last = 0;
    for (int w = b * warps; w < (b + 1) * warps; w++) first = std::min(first, host[2 * w]), last = std::max(last, host[2 * w + 1]);
    most = std::max(most, last - first);
  }
  return (double)most;
}
template <int MANY, int PAST>
static void lane(const char *name, int blocks, int warps, int bytes, int ahead) {
  int step = warps * 512 * MANY, n = 128;
  CHECK(cudaFuncSetAttribute(lanes<MANY, PAST>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int r = 0; r < 3; r++) lanes<MANY, PAST><<<blocks, 32 * warps, 16384>>>(tt, (char *)buf, n, step, bytes - 1, ahead);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  printf("%s,%d of a warp,ahead%d,%dx%d,%d,%.2f\n", name, MANY, ahead, blocks, warps, bytes, longest(blocks, warps) / n), fflush(stdout);
}
// Copies of WIDTH bytes by each lane, whose places in shared memory are so far apart.
template <int WIDTH>
__global__ void scattered(long long *t, const char *a, int n, int apart) {
  extern __shared__ __align__(128) char s[];
  unsigned q = place(s) + threadIdx.x % 32 * apart + threadIdx.x / 32 * 4096;
  const char *base = a + threadIdx.x * WIDTH;
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(q), "l"(base + k * 4096), "n"(WIDTH) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  long long t1 = now();
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;
}
template <int WIDTH>
static void apart() {
  CHECK(cudaFuncSetAttribute(scattered<WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int bytes : {4, 8, 16, 32, 64, 128})
    for (int w : {1, 8}) {
      if (bytes < WIDTH) continue;
      for (int r = 0; r < 2; r++) scattered<WIDTH><<<1, 32 * w, 40960>>>(tt, (char *)buf, 64, bytes);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      printf("ldgsts_apart,%dB,stride%d,%d,%.2f\n", WIDTH, bytes, w, (double)span(w) / 64 / 8 / w), fflush(stdout);
    }
}
static void copies() {
  apart<4>(), apart<8>(), apart<16>();
  const int L1 = 1 << 16, L2 = 1 << 19;  // what a block copies again and again
  lane<1, 1>("ldgsts_l2", 1, 1, L2, 0), lane<2, 1>("ldgsts_l2", 1, 1, L2, 0), lane<4, 1>("ldgsts_l2", 1, 1, L2, 0), lane<8, 1>("ldgsts_l2", 1, 1, L2, 0);
  lane<1, 0>("ldgsts_l1", 1, 1, L1, 0), lane<4, 0>("ldgsts_l1", 1, 1, L1, 0), lane<8, 0>("ldgsts_l1", 1, 1, L1, 0);
  for (int w : {4, 8, 16}) lane<8, 0>("ldgsts_l1", 1, w, L1, 1), lane<8, 1>("ldgsts_past_l1", 1, w, L1, 1);
  for (int b : {1, 66, 132})
    for (int w : {4, 8, 16}) lane<8, 1>("ldgsts_l2", b, w, L2 / 2, 1);
}

// ---- barriers in shared memory
__device__ void start(unsigned barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count)); }
__device__ void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void arrive(unsigned barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ void await(unsigned barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(barrier), "r"(parity) : "memory");
}
// KIND 0: a warp arrives and waits for that; 1: by one lane; 2: two warps in turn; 3: nothing but asking for a phase that is over.
template <int KIND>
__global__ void meetings(long long *t, int n) {
  __shared__ u64 b[2];
  unsigned at = place(b);
  int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) start(at, KIND == 0 ? blockDim.x : KIND == 1 ? warps : 1), start(at + 8, 1);
  __syncthreads();
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (KIND == 0) arrive(at), await(at, i & 1);
    if (KIND == 1) {
      if (threadIdx.x % 32 == 0) arrive(at);
      await(at, i & 1);
    }
    if (KIND == 2) {
      if (warp == 0) {
        if (threadIdx.x == 0) arrive(at);
        await(at + 8, i & 1);
      } else {
        await(at, i & 1);
        if (threadIdx.x == 32) arrive(at + 8);
      }
    }
    if (KIND == 3) await(at, 1);
    if (KIND == 4) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (KIND == 5) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  }
  long long t1 = now();
  if (threadIdx.x % 32 == 0 && blockIdx.x == 0) t[warp * 2] = t0, t[warp * 2 + 1] = t1;
}
template <int KIND>
static void meeting(const char *name, std::vector<int> list) {
  for (int w : list) {
    for (int r = 0; r < 2; r++) meetings<KIND><<<1, 32 * w>>>(tt, 128);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%.2f\n", name, w, (double)span(w) / 128), fflush(stdout);
  }
}
static void clusters() {
  for (int size : {1, 2, 4, 8})
    for (int w : {1, 8}) {
      cudaLaunchConfig_t c = {};
      cudaLaunchAttribute a[1];
      a[0].id = cudaLaunchAttributeClusterDimension;
      a[0].val.clusterDim.x = size, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
      c.gridDim = dim3(size), c.blockDim = dim3(32 * w), c.attrs = a, c.numAttrs = 1;
      for (int r = 0; r < 2; r++) CHECK(cudaLaunchKernelEx(&c, meetings<5>, tt, 128));
      CHECK(cudaDeviceSynchronize());
      printf("cluster_barrier,%d blocks,%d,%.2f\n", size, w, (double)span(w) / 128), fflush(stdout);
    }
}

// ---- bulk copies: one thread, S in flight
template <int S, int STORES>
__global__ void bulks(long long *t, char *a, int n, int bytes, int mask, int apart) {
  extern __shared__ __align__(128) char s[];
  __shared__ u64 b[S];
  unsigned q = place(s), at = place(b);
  for (int i = 0; i < S; i++) start(at + 8 * i, 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  char *base = a + (apart ? (size_t)blockIdx.x * (mask + 1) : 0);
  long long t0 = now();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    int k = i % S;
    char *p = base + (((long long)i * bytes) & mask);
    if (STORES) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(p), "r"(q + k * bytes), "r"(bytes) : "memory");
      if (STORES == 1) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(S - 1) : "memory");
      else asm volatile("cp.async.bulk.wait_group %0;" ::"n"(S - 1) : "memory");
    } else {
      if (i >= S) await(at + 8 * k, (i / S - 1) & 1);
      expect(at + 8 * k, bytes);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(q + k * bytes), "l"(p), "r"(bytes), "r"(at + 8 * k)
                   : "memory");
    }
  }
  if (STORES) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  else
    for (int i = n; i < n + S; i++) await(at + 8 * (i % S), (i / S - 1) & 1);
  long long t1 = now();
  t[2 * blockIdx.x] = t0, t[2 * blockIdx.x + 1] = t1;
}
template <int S, int STORES>
static void bulk(const char *name, int blocks, int bytes, int apart) {
  int mask = (1 << 18) - 1, n = 128;
  CHECK(cudaFuncSetAttribute(bulks<S, STORES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  for (int r = 0; r < 3; r++) bulks<S, STORES><<<blocks, 1, S * bytes>>>(tt, (char *)buf, n, bytes, mask, apart);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  printf("%s,%d in flight,%d,apart%d,%d,%.2f\n", name, S, blocks, apart, bytes, longest(blocks, 1) / n), fflush(stdout);
}
static void bulky() {
  for (int bytes : {16, 128, 1024, 4096, 16384, 32768}) bulk<1, 0>("bulk_load", 1, bytes, 1), bulk<1, 1>("bulk_store_read", 1, bytes, 1), bulk<1, 2>("bulk_store", 1, bytes, 1);
  for (int bytes : {128, 512, 2048, 8192, 32768})
    for (int blocks : {1, 132}) bulk<4, 0>("bulk_load", blocks, bytes, 1), bulk<4, 1>("bulk_store_read", blocks, bytes, 1);
  for (int bytes : {2048, 32768}) bulk<4, 0>("bulk_load", 132, bytes, 0);
}

int main() {
  prepare();
  wide();
  tens<0>("1684d"), tens<1>("1688d"), tens<2>("16816d"), tens<3>("8816s8"), tens<4>("16816s8"), tens<5>("1688bf"), tens<6>("16832fp8");
  meeting<0>("mbarrier_all", {1, 2, 4, 8}), meeting<1>("mbarrier_lane", {1, 2, 4, 8}), meeting<2>("mbarrier_in_turn", {2}), meeting<3>("mbarrier_over", {1, 8});
  meeting<4>("fence_async", {1, 4, 16});
  bulky();
  copies();
  matrix<1>("ldsm1"), matrix<2>("ldsm2"), matrix<4>("ldsm4"), matrix<5>("ldsm4_transposed"), matrix<6>("stsm4"), matrix<7>("stsm1");
  clusters();
  printf("# done\n");
  return 0;
}
