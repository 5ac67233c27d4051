// Tensor instructions (HMMA): C = A B in float32 of A and B in float16, n x n.

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void load4(unsigned *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(p)));
}
__device__ void load2(unsigned *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(place(p)));
}
__device__ void multiply(float *c, const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void fetch(void *to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(to)), "l"(from) : "memory"); }

typedef unsigned short half;

// A warp has 16 x 8 N results, and reads global memory straight into registers.
template <int N> __global__ void direct(const half *__restrict__ a, const half *__restrict__ b, float *c, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  int cols = n / (8 * N), i = warp / cols * 16, j = warp % cols * 8 * N;
  if (i >= n) return;
  float s[N][4] = {};
  for (int k = 0; k < n; k += 16) {
    unsigned u[4], v[2];
    const half *p = a + (i + g) * n + k + q * 2;
    u[0] = *(unsigned *)p, u[1] = *(unsigned *)(p + 8 * n), u[2] = *(unsigned *)(p + 8), u[3] = *(unsigned *)(p + 8 * n + 8);
#pragma unroll
    for (int f = 0; f < N; f++) {
      const half *r = b + (k + q * 2) * n + j + f * 8 + g;
      v[0] = r[0] | r[n] << 16, v[1] = r[8 * n] | r[9 * n] << 16;
      multiply(s[f], u, v);
    }
  }
#pragma unroll
  for (int f = 0; f < N; f++) {
    float *r = c + (i + g) * n + j + f * 8 + q * 2;
    r[0] = s[f][0], r[1] = s[f][1], r[8 * n] = s[f][2], r[8 * n + 1] = s[f][3];
  }
}

// A block of 2 x 2 warps has 32 M x 16 N results; tiles of 32 columns and rows come through S stages of shared memory.
template <int M, int N, int S> __global__ void __launch_bounds__(128) tiles(const half *__restrict__ a, const half *__restrict__ b, float *c, int n) {
  const int K = 32, R = 32 * M, C = 16 * N;
  extern __shared__ __align__(16) half memory[];
  half(*ta)[R][K + 8] = (half(*)[R][K + 8]) memory, (*tb)[K][C + 8] = (half(*)[K][C + 8])(memory + S * R * (K + 8));
  int t = threadIdx.x, lane = t % 32, wi = t / 64 * 16 * M, wj = t / 32 % 2 * 8 * N;
  a += blockIdx.y * R * n, b += blockIdx.x * C, c += blockIdx.y * R * n + blockIdx.x * C;
  float s[M][N][4] = {};
  auto load = [&](int k, int q) {
    for (int i = t; i < R * K / 8; i += 128) fetch(&ta[q][i / (K / 8)][i % (K / 8) * 8], &a[i / (K / 8) * n + k + i % (K / 8) * 8]);
    for (int i = t; i < K * C / 8; i += 128) fetch(&tb[q][i / (C / 8)][i % (C / 8) * 8], &b[(k + i / (C / 8)) * n + i % (C / 8) * 8]);
  };
  for (int q = 0; q < S - 1; q++) {
    load(q * K, q);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int k = 0, q = 0; k < n; k += K, q = (q + 1) % S) {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 2) : "memory");
    __syncthreads();
    if (k + (S - 1) * K < n) load(k + (S - 1) * K, (q + S - 1) % S);
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int p = 0; p < K; p += 16) {
      unsigned u[M][4], v[N][2];
#pragma unroll
      for (int i = 0; i < M; i++) load4(u[i], &ta[q][wi + i * 16 + lane % 16][p + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < N; j++) load2(v[j], &tb[q][p + lane % 16][wj + j * 8]);
#pragma unroll
      for (int i = 0; i < M; i++)
#pragma unroll
        for (int j = 0; j < N; j++) multiply(s[i][j], u[i], v[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N; j++) {
      float *r = c + (wi + i * 16 + lane / 4) * n + wj + j * 8 + lane % 4 * 2;
      *(float2 *)r = make_float2(s[i][j][0], s[i][j][1]), *(float2 *)(r + 8 * n) = make_float2(s[i][j][2], s[i][j][3]);
    }
}
