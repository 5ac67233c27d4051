// Tensor instructions of four warps together (WGMMA): C = A B in float32 of A and of the transpose of B in float16, n x n.

typedef unsigned short half;
typedef unsigned long long u64;

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void fetch(unsigned to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }

// Rows of 128 B in shared memory, whose parts of 16 B are exchanged by the row.
__device__ unsigned swizzled(int row, int part) { return row * 128 + ((part ^ row & 7) << 4); }
__device__ u64 described(unsigned at) { return (u64)1 << 62 | (u64)(1024 >> 4) << 32 | (u64)1 << 16 | (at & 0x3ffff) >> 4; }

#define R8(s, i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3]), "+f"(s[i + 4]), "+f"(s[i + 5]), "+f"(s[i + 6]), "+f"(s[i + 7])
#define R32(s, i) R8(s, i), R8(s, i + 8), R8(s, i + 16), R8(s, i + 24)
#define P8(a, b, c, d, e, f, g, h) "%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h
#define P32                                                                                                                            \
  P8(0, 1, 2, 3, 4, 5, 6, 7) "," P8(8, 9, 10, 11, 12, 13, 14, 15) "," P8(16, 17, 18, 19, 20, 21, 22, 23) "," P8(24, 25, 26, 27, 28, 29, 30, 31)
#define P64                                                                                                                            \
  P32 "," P8(32, 33, 34, 35, 36, 37, 38, 39) "," P8(40, 41, 42, 43, 44, 45, 46, 47) "," P8(48, 49, 50, 51, 52, 53, 54, 55) "," P8(56, 57, 58, 59, 60, 61, 62, 63)
#define P128                                                                                                                           \
  P64 "," P8(64, 65, 66, 67, 68, 69, 70, 71) "," P8(72, 73, 74, 75, 76, 77, 78, 79) "," P8(80, 81, 82, 83, 84, 85, 86, 87) "," P8(     \
      88, 89, 90, 91, 92, 93, 94, 95) "," P8(96, 97, 98, 99, 100, 101, 102, 103) "," P8(104, 105, 106, 107, 108, 109, 110, 111) "," P8(112, 113, 114, 115, 116, 117, 118, 119) "," P8(120, 121, 122, 123, 124, 125, 126, 127)

// 64 rows of A by N rows of the transpose of B, 16 columns of each.
template <int N> __device__ void multiply(float *s, u64 a, u64 b) {
  if constexpr (N == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" P32 "}, %32, %33, 1, 1, 1, 0, 0;" : R32(s, 0) : "l"(a), "l"(b));
  if constexpr (N == 128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" P64 "}, %64, %65, 1, 1, 1, 0, 0;" : R32(s, 0), R32(s, 32) : "l"(a), "l"(b));
  if constexpr (N == 256)
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" P128 "}, %128, %129, 1, 1, 1, 0, 0;"
                 : R32(s, 0), R32(s, 32), R32(s, 64), R32(s, 96)
                 : "l"(a), "l"(b));
}
template <int N> __device__ void fence(float *s) {
#pragma unroll
  for (int i = 0; i < N / 2; i++) asm volatile("" : "+f"(s[i])::"memory");
}

// What a group of four warps has of C: 64 rows, N columns.
template <int N> __device__ void store(float *c, const float *s, int n) {
  int t = threadIdx.x % 128;
  float *r = c + (t / 32 * 16 + t % 32 / 4) * n + t % 4 * 2;
#pragma unroll
  for (int j = 0; j < N / 8; j++)
    *(float2 *)(r + j * 8) = make_float2(s[j * 4], s[j * 4 + 1]), *(float2 *)(r + 8 * n + j * 8) = make_float2(s[j * 4 + 2], s[j * 4 + 3]);
}

// A block of W groups of four warps has 64 W x N results; tiles of 64 columns come through S stages of shared memory, by copies that all warps make.
template <int W, int N, int S> __global__ void __launch_bounds__(128 * W) copied(const half *__restrict__ a, const half *__restrict__ b, float *c, int n) {
  const int K = 64, T = 128 * W, A = 64 * W * 128, B = N * 128;
  extern __shared__ __align__(1024) char memory[];
  unsigned base = place(memory);
  int t = threadIdx.x, group = __shfl_sync(~0u, t / 128, 0);
  a += blockIdx.y * 64 * W * n, b += blockIdx.x * N * n, c += (blockIdx.y * W + group) * 64 * n + blockIdx.x * N;
  float s[N / 2] = {};
  auto load = [&](int k, int q) {
    unsigned to = base + q * (A + B);
#pragma unroll
    for (int r = 0; r < 64 * W; r += T / 8) fetch(to + swizzled(r + t / 8, t % 8), &a[(r + t / 8) * n + k + t % 8 * 8]);
#pragma unroll
    for (int r = 0; r < N; r += T / 8) fetch(to + A + swizzled(r + t / 8, t % 8), &b[(r + t / 8) * n + k + t % 8 * 8]);
  };
  for (int q = 0; q < S - 1; q++) {
    load(q * K, q);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int k = 0, q = 0; k < n; k += K) {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 2) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    u64 u = described(base + q * (A + B) + group * 64 * 128), v = described(base + q * (A + B) + A);
    fence<N>(s);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int p = 0; p < 4; p++) multiply<N>(s, u + 2 * p, v + 2 * p);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    int to = q + S - 1 < S ? q + S - 1 : q - 1;
    if (S > 2) __syncthreads();
    if (S == 2) asm volatile("wgmma.wait_group.sync.aligned 0;\nbar.sync 0;" ::: "memory");
    if (k + (S - 1) * K < n) load(k + (S - 1) * K, to);
    asm volatile("cp.async.commit_group;" ::: "memory");
    q = q + 1 < S ? q + 1 : 0;
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  fence<N>(s);
  store<N>(c, s, n);
}

__device__ void start(unsigned barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count)); }
__device__ void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void arrive(unsigned barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ void wait(unsigned barrier, int parity) {
  asm volatile(
      "{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier), "r"(parity)
      : "memory");
}
__device__ void bulk(unsigned to, const void *from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// The same, of matrices whose tiles lie one after the other as shared memory has them: one thread copies tiles, which W groups of four warps take
// from it through barriers. The rows of a group are packed together, so that it has a tile of its own.
template <int W, int N, int S> __global__ void __launch_bounds__(128 * (W + 1), 1) given(const half *__restrict__ a, const half *__restrict__ b, float *c, int n) {
  const int K = 64, A = 64 * W * 128, B = N * 128;
  extern __shared__ __align__(1024) char memory[];
  __shared__ u64 barriers[2 * S];
  unsigned base = place(memory), full = place(barriers), empty = full + 8 * S;
  int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
  if (threadIdx.x == 0) {
    for (int q = 0; q < S; q++) start(full + 8 * q, 1), start(empty + 8 * q, W);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      const half *u = a + (u64)blockIdx.y * 64 * W * n, *v = b + (u64)blockIdx.x * N * n;
      for (int k = 0, q = 0, parity = 1; k < n; k += K) {
        wait(empty + 8 * q, parity);
        expect(full + 8 * q, A + B);
        bulk(base + q * (A + B), u, A, full + 8 * q);
        bulk(base + q * (A + B) + A, v, B, full + 8 * q);
        u += 64 * W * K, v += N * K;
        if (++q == S) q = 0, parity ^= 1;
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float s[N / 2] = {};
    int last = 0;
    for (int k = 0, q = 0, parity = 0; k < n; k += K) {
      wait(full + 8 * q, parity);
      u64 u = described(base + q * (A + B) + (group - 1) * 64 * 128), v = described(base + q * (A + B) + A);
      fence<N>(s);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int p = 0; p < 4; p++) multiply<N>(s, u + 2 * p, v + 2 * p);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (k > 0 && threadIdx.x % 128 == 0) arrive(empty + 8 * last);
      last = q;
      if (++q == S) q = 0, parity ^= 1;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    fence<N>(s);
    store<N>(c + (blockIdx.y * W + group - 1) * 64 * n + blockIdx.x * N, s, n);
  }
}
