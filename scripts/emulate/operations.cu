// What operations cost: for each of a table, a chain in which one waits for the last, and streams of eight that do not wait for each other, for 1
// to 32 warps of one multiprocessor; for pairs, streams of both side by side. Prints the name, the number of warps, and the cycles of one
// operation of all warps together.
//
//     nvcc -std=c++17 -arch=sm_90 -o operations operations.cu
//
// That the loops have what they measure, `go test ./emulate/emulatetest -run Operations` checks by operations.txt: of operations.sass.gz, which
// nvcc and nvdisasm -hex -c of CUDA 12.4 made, or of the listing that LISTING names.
#include "common.h"

typedef unsigned word;
typedef unsigned long long dword;

const int times = 64;  // in the body of a loop

// Of %0, which is read and written, and %1 and %2, which nothing changes: name, type, PTX.
#define OPERATIONS \
  OP(fadd, word, "add.f32 %0,%0,%1;") \
  OP(fmul, word, "mul.f32 %0,%0,%1;") \
  OP(ffma, word, "fma.rn.f32 %0,%0,%1,%2;") \
  OP(fmnmx, word, "min.f32 %0,%0,%1; max.f32 %0,%0,%2;") \
  OP(iadd_lop, word, "add.u32 %0,%0,%1; xor.b32 %0,%0,%2;") \
  OP(lop3, word, "lop3.b32 %0,%0,%1,%2,0x6a;") \
  OP(imad, word, "mad.lo.u32 %0,%0,%1,%2;") \
  OP(imadhi, word, "mad.hi.u32 %0,%0,%1,%2;") \
  OP(imadwide, dword, "{.reg .u32 lo,hi,m,n; mov.b64 {lo,hi},%0; mov.b64 {m,n},%1; mad.wide.u32 %0,lo,m,%0;}") \
  OP(shf, word, "shf.l.wrap.b32 %0,%0,%1,3;") \
  OP(prmt, word, "prmt.b32 %0,%0,%1,%2;") \
  OP(vimnmx, word, "min.s32 %0,%0,%1; max.s32 %0,%0,%2;") \
  OP(isetp_sel, word, "{.reg .pred p; setp.gt.u32 p,%0,%1; selp.u32 %0,%1,%2,p;}") \
  OP(isetp_guard, word, "{.reg .pred p; setp.gt.u32 p,%0,%1; @p mad.lo.u32 %0,%0,%1,%2;}") \
  OP(fsetp_sel, word, "{.reg .pred p; setp.gt.f32 p,%0,%1; selp.u32 %0,%1,%2,p;}") \
  OP(dp4a, word, "dp4a.u32.u32 %0,%0,%1,%2;") \
  OP(iadd64, dword, "add.u64 %0,%0,%1; xor.b64 %0,%0,%2;") \
  OP(dadd, dword, "add.f64 %0,%0,%1;") \
  OP(dmul, dword, "mul.f64 %0,%0,%1;") \
  OP(dfma, dword, "fma.rn.f64 %0,%0,%1,%2;") \
  OP(hfma2, word, "fma.rn.f16x2 %0,%0,%1,%2;") \
  OP(hadd2, word, "add.f16x2 %0,%0,%1;") \
  OP(hmul2, word, "mul.f16x2 %0,%0,%1;") \
  OP(bfma2, word, "fma.rn.bf16x2 %0,%0,%1,%2;") \
  OP(ex2, word, "ex2.approx.ftz.f32 %0,%0;") \
  OP(lg2, word, "lg2.approx.ftz.f32 %0,%0;") \
  OP(rsq, word, "rsqrt.approx.ftz.f32 %0,%0;") \
  OP(tanh, word, "tanh.approx.f32 %0,%0;") \
  OP(rcp_fadd, word, "rcp.approx.ftz.f32 %0,%0; add.f32 %0,%0,%1;") \
  OP(sqrt, word, "sqrt.approx.ftz.f32 %0,%0;") \
  OP(sin, word, "sin.approx.ftz.f32 %0,%0;") \
  OP(popc, word, "popc.b32 %0,%0;") \
  OP(brev_iadd, word, "brev.b32 %0,%0; add.u32 %0,%0,%1;") \
  OP(flo, word, "bfind.u32 %0,%0;") \
  OP(i2f_f2i, word, "cvt.rn.f32.s32 %0,%0; cvt.rzi.s32.f32 %0,%0;") \
  OP(f2i_fadd, word, "cvt.rzi.s32.f32 %0,%0; add.f32 %0,%0,%1;") \
  OP(f2h_h2f, word, "{.reg .b16 h; cvt.rn.f16.f32 h,%0; cvt.f32.f16 %0,h;}") \
  OP(frnd, word, "cvt.rni.f32.f32 %0,%0; add.f32 %0,%0,%1;") \
  OP(f2d_d2f, word, "{.reg .f64 d; cvt.f64.f32 d,%0; cvt.rn.f32.f64 %0,d;}") \
  OP(i2d_d2i, word, "{.reg .f64 d; cvt.rn.f64.s32 d,%0; cvt.rzi.s32.f64 %0,d;}") \
  OP(dsetp_sel, dword, "{.reg .pred p; setp.gt.f64 p,%0,%1; selp.b64 %0,%1,%2,p;}") \
  OP(drcp_dadd, dword, "rcp.approx.ftz.f64 %0,%0; add.f64 %0,%0,%1;") \
  OP(drsq, dword, "rsqrt.approx.ftz.f64 %0,%0; add.f64 %0,%0,%1;") \
  OP(shfl_idx, word, "shfl.sync.idx.b32 %0,%0,%1,31,-1;") \
  OP(shfl_up, word, "shfl.sync.up.b32 %0,%0,1,0,-1;") \
  OP(vote, word, "{.reg .pred p; setp.gt.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,-1;}") \
  OP(match_any, word, "match.any.sync.b32 %0,%0,-1;") \
  OP(redux, word, "redux.sync.add.u32 %0,%0,-1;") \
  OP(mov_smid, word, "{.reg .u32 t; mov.u32 t,%%smid; xor.b32 %0,%0,t;}") \
  OP(clock, word, "{.reg .u32 t; mov.u32 t,%%clock; xor.b32 %0,%0,t;}") \
  OP(ffma_iadd, word, "fma.rn.f32 %0,%0,%1,%2; add.u32 %0,%0,%1;") \
  OP(imad_lop, word, "mad.lo.u32 %0,%0,%1,%2; xor.b32 %0,%0,%1;") \
  OP(ffma_imad, word, "fma.rn.f32 %0,%0,%1,%2; mad.lo.u32 %0,%0,%1,%2;") \
  OP(hfma_ffma, word, "fma.rn.f16x2 %0,%0,%1,%2; fma.rn.f32 %0,%0,%1,%2;") \
  OP(hfma_lop, word, "fma.rn.f16x2 %0,%0,%1,%2; xor.b32 %0,%0,%1;") \
  OP(ex2_lop, word, "ex2.approx.ftz.f32 %0,%0; xor.b32 %0,%0,%1;") \
  OP(ex2_ffma, word, "ex2.approx.ftz.f32 %0,%0; fma.rn.f32 %0,%0,%1,%2;") \
  OP(shfl_fadd, word, "shfl.sync.idx.b32 %0,%0,%1,31,-1; add.f32 %0,%0,%2;") \
  OP(dfma_dxor, dword, "fma.rn.f64 %0,%0,%1,%2; xor.b64 %0,%0,%1;")

#define PAIRS \
  MIX(ffma, imad) \
  MIX(ffma, lop3) \
  MIX(ffma, shf) \
  MIX(imad, lop3) \
  MIX(ffma, dfma) \
  MIX(ffma, hfma2) \
  MIX(imad, hfma2) \
  MIX(imad, dfma) \
  MIX(lop3, dfma) \
  MIX(ffma, ex2) \
  MIX(ex2, popc) \
  MIX(ex2, f2d_d2f) \
  MIX(ex2, shfl_idx) \
  MIX(ffma, shfl_idx) \
  MIX(popc, shfl_idx) \
  MIX(lop3, shf) \
  MIX(fmnmx, lop3) \
  MIX(lop3, prmt) \
  MIX(imad, shf) \
  MIX(dfma, ex2) \
  MIX(imad, imadwide) \
  MIX(ffma, fadd) \
  MIX(fadd, lop3) \
  MIX(fmul, imad) \
  MIX(isetp_sel, ffma) \
  MIX(dfma, f2d_d2f) \
  MIX(vote, lop3) \
  MIX(redux, shfl_idx) \
  MIX(dp4a, ffma) \
  MIX(dp4a, imad)

#define CONSTRAINT_word "r"
#define CONSTRAINT_dword "l"
#define OP(name, type, text)                                                                              \
  typedef type type_##name;                                                                               \
  __device__ __forceinline__ void do_##name(type &x, type a, type b) {                                    \
    asm volatile("{" text "}" : "+" CONSTRAINT_##type(x) : CONSTRAINT_##type(a), CONSTRAINT_##type(b));   \
  }
OPERATIONS
#undef OP

// What each work-item begins with.
template <class T> struct Inputs {
  T a, b;
  __device__ Inputs(const u64 *in) : a((T)in[32 + threadIdx.x % 32]), b((T)in[64 + threadIdx.x % 32]) {}
};

#define BEGIN         \
  __syncthreads();    \
  long long t0 = clock64(); \
  _Pragma("unroll 1") for (int i = 0; i < n; i++) {
#define END(value)                                                                             \
  }                                                                                            \
  long long t1 = clock64();                                                                    \
  out[threadIdx.x] = value;                                                                    \
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = t0, t[threadIdx.x / 32 * 2 + 1] = t1;

#define OP(name, type, text)                                                            \
  __global__ void chain_##name(const u64 *in, u64 *out, long long *t, int n) {          \
    Inputs<type> p(in);                                                                 \
    type x = (type)in[threadIdx.x % 32];                                                \
    BEGIN                                                                               \
    _Pragma("unroll") for (int k = 0; k < times; k++) do_##name(x, p.a, p.b);           \
    END(x)                                                                              \
  }                                                                                     \
  __global__ void stream_##name(const u64 *in, u64 *out, long long *t, int n) {         \
    Inputs<type> p(in);                                                                 \
    type x[8];                                                                          \
    for (int k = 0; k < 8; k++) x[k] = (type)in[threadIdx.x % 32 + k];                  \
    BEGIN                                                                               \
    _Pragma("unroll") for (int k = 0; k < times; k++) do_##name(x[k % 8], p.a, p.b);    \
    END(x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7])                          \
  }
OPERATIONS
#undef OP

#define MIX(one, other)                                                                            \
  __global__ void mix_##one##__##other(const u64 *in, u64 *out, long long *t, int n) {             \
    Inputs<type_##one> p(in);                                                                      \
    Inputs<type_##other> q(in + 1);                                                                \
    type_##one x[4];                                                                               \
    type_##other y[4];                                                                             \
    for (int k = 0; k < 4; k++) x[k] = in[threadIdx.x % 32 + k], y[k] = in[threadIdx.x % 32 + k + 9]; \
    BEGIN                                                                                          \
    _Pragma("unroll") for (int k = 0; k < times / 2; k++) do_##one(x[k % 4], p.a, p.b), do_##other(y[k % 4], q.a, q.b); \
    END(x[0] ^ x[1] ^ x[2] ^ x[3] ^ y[0] ^ y[1] ^ y[2] ^ y[3])                                     \
  }
PAIRS
#undef MIX

// Clocks runs kernels, and prints the cycles of an operation of all warps together.
struct Clocks {
  u64 *in, *out;
  long long *t, h[64];
  Clocks() {
    std::vector<u64> v(1024);
    for (int i = 0; i < 1024; i++) {  // as two floats near 1, as a double near 1
      float f = 1 + i % 37 * 0.01f;
      unsigned b;
      memcpy(&b, &f, 4);
      v[i] = ((u64)(0x3ff00000 + i % 31) << 32) | b;
    }
    CHECK(cudaMalloc(&in, 8192));
    CHECK(cudaMalloc(&out, 8192));
    CHECK(cudaMalloc(&t, 1024));
    CHECK(cudaMemcpy(in, v.data(), 8192, cudaMemcpyHostToDevice));
  }
  template <class K>
  void run(const char *name, K kernel, int warps, int per, int n = 64) {
    long long best = 1ll << 60;
    for (int r = 0; r < 4; r++) {
      kernel<<<1, 32 * warps>>>(in, out, t, n);
      CHECK(cudaGetLastError());
      CHECK(cudaMemcpy(h, t, 16 * warps, cudaMemcpyDeviceToHost));
      long long a = h[0], b = h[1];
      for (int w = 0; w < warps; w++) a = std::min(a, h[2 * w]), b = std::max(b, h[2 * w + 1]);
      if (r) best = std::min(best, b - a);
    }
    printf("%s,%d,%.3f\n", name, warps, (double)best / n / per), fflush(stdout);
  }
};

int main() {
  Clocks clocks;
#define OP(name, type, text)                       \
  clocks.run("chain_" #name, chain_##name, 1, times); \
  for (int warps : {1, 4, 8, 16, 32}) clocks.run("stream_" #name, stream_##name, warps, times);
  OPERATIONS
#undef OP
#define MIX(one, other) \
  for (int warps : {4, 32}) clocks.run("mix_" #one "__" #other, mix_##one##__##other, warps, times / 2);
  PAIRS
}
