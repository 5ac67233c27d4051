// Bulk copies between global and shared memory, with barriers in shared memory.

typedef unsigned long long u64;

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void start(unsigned barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count)); }
__device__ void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void arrive(unsigned barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ void wait(unsigned barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
__device__ void fetch(unsigned to, const void *from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
__device__ void put(void *to, unsigned from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
}

// y = a x + b by tiles of 4 T numbers, which a block of T work-items brings to S stages ahead, changes in place and stores from there.
template <int T, int S> __global__ void stream(const float *x, float *y, float a, float b, int tiles) {
  extern __shared__ __align__(128) float memory[];
  __shared__ u64 barriers[S];
  const int B = 16 * T;
  unsigned at = place(memory), full = place(barriers);
  int t = threadIdx.x;
  x += (u64)blockIdx.x * tiles * 4 * T, y += (u64)blockIdx.x * tiles * 4 * T;
  if (t == 0) {
    for (int q = 0; q < S; q++) start(full + 8 * q, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int q = 0; q < S - 1 && q < tiles; q++) expect(full + 8 * q, B), fetch(at + q * B, x + q * 4 * T, B, full + 8 * q);
  }
  __syncthreads();
  for (int i = 0, q = 0, parity = 0; i < tiles; i++) {
    wait(full + 8 * q, parity);
    float4 *p = (float4 *)memory + q * T + t, v = *p;
    v.x = a * v.x + b, v.y = a * v.y + b, v.z = a * v.z + b, v.w = a * v.w + b;
    *p = v;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      put(y + (u64)i * 4 * T, at + q * B, B);
      int next = i + S - 1, r = q == 0 ? S - 1 : q - 1;
      if (next < tiles) {
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        expect(full + 8 * r, B), fetch(at + r * B, x + (u64)next * 4 * T, B, full + 8 * r);
      }
    }
    if (++q == S) q = 0, parity ^= 1;
  }
  if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// The sum of each row of n numbers: one warp brings rows by parts of 4 KB to S stages, and W warps take one part in turn, each all of it.
template <int W, int S> __global__ void rows(const float *x, float *y, int n, int each) {
  extern __shared__ __align__(128) float memory[];
  __shared__ u64 barriers[2 * S];
  const int B = 4096, C = B / 4;
  unsigned at = place(memory), full = place(barriers), empty = full + 8 * S;
  int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int q = 0; q < S; q++) start(full + 8 * q, 1), start(empty + 8 * q, W);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  int parts = n / C;
  x += (u64)blockIdx.x * each * n;
  if (warp == W) {
    if (lane == 0)
      for (int i = 0, q = 0, parity = 1; i < parts * each; i++) {
        wait(empty + 8 * q, parity);
        expect(full + 8 * q, B), fetch(at + q * B, x + (u64)i * C, B, full + 8 * q);
        if (++q == S) q = 0, parity ^= 1;
      }
    return;
  }
  float s = 0;
  for (int i = 0, k = 0, q = 0, parity = 0; i < parts * each; i++) {
    wait(full + 8 * q, parity);
#pragma unroll
    for (int j = 0; j < C / W / 32; j++) s += memory[q * C + warp * (C / W) + j * 32 + lane];
    __syncwarp();
    if (lane == 0) arrive(empty + 8 * q);
    if (++q == S) q = 0, parity ^= 1;
    if (++k == parts) {
      for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
      if (lane == 0) atomicAdd(&y[blockIdx.x * each + i / parts], s);
      s = 0, k = 0;
    }
  }
}
