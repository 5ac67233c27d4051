// Attention of one query block of 64 rows over all keys, head size 64, in float16 with sums in float32, the way of one pass.

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void multiply(float *c, const unsigned *a, unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ unsigned pair(float a, float b) {
  unsigned r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
  return r;
}
typedef unsigned short half;

// Four warps, 16 queries each; n keys, a multiple of 64. Grid: query blocks, heads.
__global__ void __launch_bounds__(128) attention(const half *__restrict__ q, const half *__restrict__ k, const half *__restrict__ v, float *out, int n) {
  __shared__ __align__(16) half tk[64][72], tv[64][72];
  int t = threadIdx.x, lane = t % 32, g = lane / 4, c = lane % 4 * 2, row = blockIdx.x * 64 + t / 32 * 16 + g;
  long long head = (long long)blockIdx.y * n * 64;
  q += head, k += head, v += head, out += head;
  unsigned u[4][4];
#pragma unroll
  for (int d = 0; d < 4; d++)
#pragma unroll
    for (int e = 0; e < 4; e++) u[d][e] = *(unsigned *)&q[(row + e % 2 * 8) * 64 + d * 16 + e / 2 * 8 + c];
  float o[8][4] = {}, m[2] = {-1e30f, -1e30f}, l[2] = {};
  for (int j = 0; j < n; j += 64) {
    __syncthreads();
    for (int i = t; i < 512; i += 128) {
      *(uint4 *)&tk[i / 8][i % 8 * 8] = *(uint4 *)&k[(j + i / 8) * 64 + i % 8 * 8];
      *(uint4 *)&tv[i / 8][i % 8 * 8] = *(uint4 *)&v[(j + i / 8) * 64 + i % 8 * 8];
    }
    __syncthreads();
    float s[8][4] = {};
#pragma unroll
    for (int f = 0; f < 8; f++)
#pragma unroll
      for (int d = 0; d < 4; d++) multiply(s[f], u[d], *(unsigned *)&tk[f * 8 + g][d * 16 + c], *(unsigned *)&tk[f * 8 + g][d * 16 + 8 + c]);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float x = m[h];
#pragma unroll
      for (int f = 0; f < 8; f++) x = fmaxf(x, fmaxf(s[f][2 * h], s[f][2 * h + 1]) * 0.125f);
      x = fmaxf(x, __shfl_xor_sync(~0u, x, 1)), x = fmaxf(x, __shfl_xor_sync(~0u, x, 2));
      float scale = __expf(m[h] - x), sum = 0;
      m[h] = x;
#pragma unroll
      for (int f = 0; f < 8; f++)
#pragma unroll
        for (int e = 0; e < 2; e++) sum += s[f][2 * h + e] = __expf(s[f][2 * h + e] * 0.125f - x), o[f][2 * h + e] *= scale;
      l[h] = l[h] * scale + sum;
    }
#pragma unroll
    for (int d = 0; d < 4; d++) {
      unsigned p[4] = {pair(s[2 * d][0], s[2 * d][1]), pair(s[2 * d][2], s[2 * d][3]), pair(s[2 * d + 1][0], s[2 * d + 1][1]), pair(s[2 * d + 1][2], s[2 * d + 1][3])};
#pragma unroll
      for (int f = 0; f < 8; f++) {
        unsigned b0, b1;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(place(&tv[d * 16 + lane % 16][f * 8])));
        multiply(o[f], p, b0, b1);
      }
    }
  }
#pragma unroll
  for (int h = 0; h < 2; h++) {
    float sum = l[h] + __shfl_xor_sync(~0u, l[h], 1);
    sum = 1 / (sum + __shfl_xor_sync(~0u, sum, 2));
#pragma unroll
    for (int f = 0; f < 8; f++) *(float2 *)&out[(row + 8 * h) * 64 + f * 8 + c] = make_float2(o[f][2 * h] * sum, o[f][2 * h + 1] * sum);
  }
}
