// Kernels that store every kind of intermediate result. Each work-item i reads a[i], b[i], c[i] and stores its results n apart:
// out[k * n + i] is its result number k.
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define KERNEL(name) extern "C" __global__ void name(const u32 *a, const u32 *b, const u32 *c, u32 *out, int n)
#define BEGIN \
  const int i = blockIdx.x * blockDim.x + threadIdx.x; \
  if (i >= n) return; \
  const u32 x = a[i], y = b[i], z = c[i]; \
  u32 *o = out + i; \
  (void)x; (void)y; (void)z; (void)o;
#ifndef HOST
__device__ __forceinline__ void put(u32 *&o, int n, u32 v) { *o = v; o += n; }
__device__ __forceinline__ void put(u32 *&o, int n, s32 v) { put(o, n, (u32)v); }
__device__ __forceinline__ void put(u32 *&o, int n, bool v) { put(o, n, (u32)v); }
__device__ __forceinline__ void put(u32 *&o, int n, float v) { put(o, n, __float_as_uint(v)); }
__device__ __forceinline__ void put(u32 *&o, int n, u64 v) { put(o, n, (u32)v); put(o, n, (u32)(v >> 32)); }
__device__ __forceinline__ void put(u32 *&o, int n, s64 v) { put(o, n, (u64)v); }
__device__ __forceinline__ void put(u32 *&o, int n, double v) { put(o, n, (u64)__double_as_longlong(v)); }
#endif
#define OUT(v) put(o, n, (v))
#ifndef HOST
#define TO(type, v) ((type)(v))
#endif

KERNEL(whole) {
  BEGIN
  const s32 sx = x, sy = y, sz = z;
  OUT(x + y); OUT(x - y); OUT(x * y); OUT(x * y + z); OUT(x + y + z); OUT(x - y - z);
  OUT(__mulhi(sx, sy)); OUT(__umulhi(x, y));
  OUT(min(sx, sy)); OUT(max(sx, sy)); OUT(min(x, y)); OUT(max(x, y)); OUT(min(min(sx, sy), sz)); OUT(max(min(sx, sy), sz));
  OUT(max(sx + sy, sz)); OUT(min(x + y, z)); OUT(max(max(sx, sy), 0));
  OUT(abs(sx)); OUT(-sx); OUT(abs(sx - sy)); OUT(__sad(sx, sy, z)); OUT(__usad(x, y, z));
  OUT(__popc(x)); OUT(__clz(sx)); OUT(__ffs(sx)); OUT(__brev(x)); OUT(__popc(x & y)); OUT(31 - __clz(sy));
  OUT(x < y); OUT(sx < sy); OUT(x == y); OUT(sx >= sz && sy != sz); OUT(x > z || y > z); OUT((sx < 0) != (sy < 0));
  OUT(x < y ? z : x); OUT(sx <= sy ? sz : -sz); OUT(sx > 100 ? y : z);
  OUT(__hadd(sx, sy)); OUT(__rhadd(sx, sy)); OUT(__uhadd(x, y)); OUT(__urhadd(x, y));
  OUT(__mul24(sx, sy)); OUT(__umul24(x, y));
  OUT(x / 7); OUT(sx / 7); OUT(x % 10); OUT(sx % 10); OUT(sx / 16); OUT(sx % 16); OUT(x / 641); OUT(sx / -3); OUT(x % 1000000007u);
  OUT((s32)(signed char)x); OUT((s32)(short)x); OUT((u32)(unsigned char)(x >> 8)); OUT((s32)(signed char)(x >> 16)); OUT((s32)(short)(x >> 16));
  OUT(x * 5); OUT(x * 9 + y); OUT(x * 1000 + 77); OUT((x << 3) + y); OUT((x >> 5) + y); OUT((sx >> 7) - sy); OUT(x * 0xfffffffbu);
}

KERNEL(logic) {
  BEGIN
  const s32 sx = x;
  OUT(x & y); OUT(x | y); OUT(x ^ y); OUT(~x); OUT(x & ~y); OUT((x & y) | z); OUT((x & y) ^ z); OUT((x | y) & ~z);
  OUT((x & y) | (~x & z)); OUT((x & y) | (y & z) | (x & z)); OUT(x ^ y ^ z); OUT(~(x | y | z)); OUT((x ^ 0x5a5a5a5au) & y);
  OUT(x << (y & 31)); OUT(x >> (y & 31)); OUT(sx >> (y & 31));
  u32 v;
  asm("shl.b32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("shr.u32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("shr.s32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  OUT(__funnelshift_l(x, y, z)); OUT(__funnelshift_r(x, y, z)); OUT(__funnelshift_lc(x, y, z)); OUT(__funnelshift_rc(x, y, z));
  OUT(__funnelshift_l(x, x, 13)); OUT(__funnelshift_r(x, y, 7)); OUT((x << (z & 31)) | (x >> (-z & 31)));
  OUT(__byte_perm(x, y, z)); OUT(__byte_perm(x, y, 0x4321)); OUT(__byte_perm(x, 0, 0x4442)); OUT(__byte_perm(x, x, 0x0123));
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y & 255), "r"(z & 255)); OUT(v);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y & 255), "r"(z & 255)); OUT(v);
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(v) : "r"(x), "r"(y), "r"(z & 31), "r"(y >> 5 & 31)); OUT(v);
  asm("bfe.u32 %0, %1, 5, 11;" : "=r"(v) : "r"(x)); OUT(v);
  asm("bfe.s32 %0, %1, 9, 6;" : "=r"(v) : "r"(x)); OUT(v);
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(v) : "r"(y & 63), "r"(z & 63)); OUT(v);
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(v) : "r"(y & 63), "r"(z & 63)); OUT(v);
  asm("szext.clamp.s32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(z & 63)); OUT(v);
  asm("szext.wrap.u32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(z & 63)); OUT(v);
  asm("bfind.u32 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("bfind.s32 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(v) : "r"(y)); OUT(v);
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(v) : "r"(y)); OUT(v);
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("cvt.sat.s8.s32 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("cvt.sat.s16.s32 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("cvt.sat.u16.u32 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("vadd.s32.s32.s32.sat %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("add.sat.s32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
}

KERNEL(division) {
  BEGIN
  const s32 sx = x, sy = y;
  const u32 m = z >> (y & 31) >> 1, w = m ? m : 3;
  OUT(x / w); OUT(x % w); OUT(sx / (s32)w); OUT(sx % (s32)w);
  OUT(y ? x / y : 0); OUT(y ? x % y : 1); OUT(sy != 0 && sy != -1 ? sx / sy : 5); OUT(sy != 0 && sy != -1 ? sx % sy : 6);
  OUT((x >> 7) / (w >> 3 | 1)); OUT((u32)n / w); OUT(x / (u32)n); OUT(x % (u32)n);
  const u64 p = (u64)x << 32 | y, q = (u64)w << (z & 31) | 1;
  OUT(p / q); OUT(p % q); OUT((s64)p / (s64)q); OUT((s64)p % (s64)q); OUT(p / w); OUT(p % w); OUT((s64)p / -7); OUT(p / 10); OUT(p % 1000003);
}

KERNEL(longs) {
  BEGIN
  const u64 p = (u64)x << 32 | y, q = (u64)y << 32 | z;
  const s64 sp = p, sq = q;
  OUT(p + q); OUT(p - q); OUT(p * q); OUT(p * q + p); OUT(-sp); OUT(__umul64hi(p, q)); OUT(__mul64hi(sp, sq));
  OUT((u64)x * y); OUT((s64)(s32)x * (s32)y); OUT((u64)x * y + q); OUT((s64)(s32)x * (s32)y + sq); OUT((s64)(s32)x * (s32)y - sq);
  OUT(p < q); OUT(sp < sq); OUT(sp >= sq); OUT(p == q); OUT(p != q); OUT(p > q); OUT(sp <= 77); OUT(p > 0xfffffffffull);
  OUT(min(p, q)); OUT(max(sp, sq)); OUT(sp < sq ? sp : -sq); OUT(llabs(sp));
  OUT(p << (z & 63)); OUT(p >> (z & 63)); OUT(sp >> (z & 63)); OUT(p << 5); OUT(p >> 17); OUT(sp >> 37); OUT(p << 40);
  u64 v;
  asm("shl.b64 %0, %1, %2;" : "=l"(v) : "l"(p), "r"(z)); OUT(v);
  asm("shr.s64 %0, %1, %2;" : "=l"(v) : "l"(p), "r"(z)); OUT(v);
  OUT(__popcll(p)); OUT(__clzll(sp)); OUT(__ffsll(sp)); OUT(__brevll(p)); OUT(p & ~q); OUT(p ^ q);
  OUT(p + x); OUT(sp + (s32)z); OUT(sp - (s64)(s32)z * 4); OUT(p + 4ull * x);
}

KERNEL(floats) {
  BEGIN
  const float f = __uint_as_float(x), g = __uint_as_float(y), h = __uint_as_float(z);
  OUT(f + g); OUT(f - g); OUT(f * g); OUT(fmaf(f, g, h)); OUT(f * g - h); OUT(h - f * g); OUT(f + 1.5f); OUT(f * 3.0f); OUT(-f); OUT(fabsf(f)); OUT(fabsf(f) + g); OUT(-fabsf(g) * f);
  OUT(__fadd_rz(f, g)); OUT(__fadd_rd(f, g)); OUT(__fadd_ru(f, g)); OUT(__fmul_rz(f, g)); OUT(__fmul_rd(f, g)); OUT(__fmul_ru(f, g));
  OUT(__fmaf_rz(f, g, h)); OUT(__fmaf_rd(f, g, h)); OUT(__fmaf_ru(f, g, h));
  OUT(f / g); OUT(sqrtf(f)); OUT(sqrtf(fabsf(g))); OUT(1.0f / f); OUT(__frcp_rn(g)); OUT(__fsqrt_rn(h)); OUT(__fdiv_rz(f, g)); OUT(__fdiv_ru(f, g)); OUT(__fsqrt_rd(f)); OUT(__frcp_ru(h));
  OUT(fminf(f, g)); OUT(fmaxf(f, g)); OUT(fminf(f, 2.0f)); OUT(fminf(fmaxf(f, 0.0f), 1.0f)); OUT(__saturatef(f)); OUT(__saturatef(f + g)); OUT(__saturatef(fmaf(f, g, h)));
  OUT(f < g); OUT(f <= g); OUT(f > g); OUT(f >= g); OUT(f == g); OUT(f != g); OUT(!(f < g)); OUT(isnan(f)); OUT(isinf(g)); OUT(isfinite(h)); OUT(f < g && g < h); OUT(f < g || g > h); OUT(signbit(f) != 0);
  OUT(f < g ? h : f); OUT(f == f ? g : h); OUT(f > 0.0f ? f : 0.0f);
  OUT(floorf(f)); OUT(ceilf(f)); OUT(truncf(f)); OUT(rintf(f)); OUT(roundf(f)); OUT(fmodf(g, 3.0f)); OUT(copysignf(f, g)); OUT(ldexpf(f, 3)); OUT(f - floorf(f));
  float v;
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(f), "f"(g)); OUT(v);
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(f), "f"(g)); OUT(v);
  asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(f), "f"(g), "f"(h)); OUT(v);
  asm("fma.rz.ftz.sat.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(f), "f"(g), "f"(h)); OUT(v);
  asm("min.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(f), "f"(g)); OUT(v);
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(f), "f"(g)); OUT(v);
  asm("max.ftz.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(f), "f"(g)); OUT(v);
  asm("set.ltu.f32.f32 %0, %1, %2;" : "=f"(v) : "f"(f), "f"(g)); OUT(v);
  u32 w;
  asm("set.ge.ftz.u32.f32 %0, %1, %2;" : "=r"(w) : "f"(f), "f"(g)); OUT(w);
}

KERNEL(doubles) {
  BEGIN
  const double p = __longlong_as_double((s64)((u64)x << 32 | y)), q = __longlong_as_double((s64)((u64)y << 32 | z)), r = __longlong_as_double((s64)((u64)z << 32 | x));
  OUT(p + q); OUT(p - q); OUT(p * q); OUT(fma(p, q, r)); OUT(p * q - r); OUT(-p); OUT(fabs(p) + q); OUT(p + 1.5); OUT(p * 0.1); OUT(p + 3.14159265358979);
  OUT(__dadd_rz(p, q)); OUT(__dadd_rd(p, q)); OUT(__dadd_ru(p, q)); OUT(__dmul_rz(p, q)); OUT(__dmul_ru(p, q)); OUT(__fma_rd(p, q, r)); OUT(__fma_rz(p, q, r));
  OUT(p / q); OUT(sqrt(p)); OUT(sqrt(fabs(q))); OUT(1.0 / p); OUT(__drcp_rn(q)); OUT(__ddiv_rz(p, q));
  OUT(fmin(p, q)); OUT(fmax(p, q)); OUT(p < q); OUT(p >= q); OUT(p == q); OUT(p != q); OUT(isnan(p)); OUT(p < q ? r : p); OUT(p < q && q < r);
  OUT(floor(p)); OUT(ceil(p)); OUT(trunc(p)); OUT(rint(p)); OUT(copysign(p, q));
}

KERNEL(conversions) {
  BEGIN
  const float f = __uint_as_float(x), g = __uint_as_float(y), e = (float)(s32)z * 0.001953125f;
  const double p = __longlong_as_double((s64)((u64)x << 32 | y)), d = (double)(s32)z * 0.37;
  const u64 l = (u64)x << 32 | y;
  OUT((float)(s32)x); OUT((float)x); OUT((float)l); OUT((float)(s64)l); OUT((double)(s32)x); OUT((double)x); OUT((double)l); OUT((double)(s64)l);
  OUT(__int2float_rz(x)); OUT(__int2float_rd(x)); OUT(__int2float_ru(x)); OUT(__uint2float_rz(x)); OUT(__uint2float_ru(x)); OUT(__ll2float_rd(l)); OUT(__ull2float_rz(l)); OUT(__ull2float_ru(l));
  OUT(__ll2double_rz(l)); OUT(__ll2double_rd(l)); OUT(__ull2double_ru(l)); OUT(__ull2double_rd(l));
  OUT(TO(s32, f)); OUT(TO(u32, f)); OUT(TO(s64, f)); OUT(TO(u64, f)); OUT(TO(s32, e)); OUT(TO(u32, e)); OUT(TO(s64, e)); OUT(TO(u64, e));
  OUT(__float2int_rn(f)); OUT(__float2int_rn(e)); OUT(__float2int_rd(e)); OUT(__float2int_ru(e)); OUT(__float2uint_rn(e)); OUT(__float2uint_rd(g)); OUT(__float2ll_rn(e)); OUT(__float2ull_ru(g)); OUT(__float2ll_rd(g));
  OUT(TO(s32, p)); OUT(TO(u32, p)); OUT(TO(s64, p)); OUT(TO(u64, p)); OUT(TO(s32, d)); OUT(TO(u32, d)); OUT(TO(s64, d)); OUT(TO(u64, d)); OUT(__double2int_rn(d)); OUT(__double2int_rd(d)); OUT(__double2uint_ru(p)); OUT(__double2ll_ru(d)); OUT(__double2ull_rn(p));
  OUT((float)p); OUT(__double2float_rz(p)); OUT(__double2float_rd(p)); OUT(__double2float_ru(p)); OUT((double)f); OUT((float)d); OUT((double)e);
  OUT((s32)(signed char)(s32)e); OUT((u32)(unsigned char)(s32)e); OUT((s32)(short)(s32)e); OUT((float)(signed char)x); OUT((float)(unsigned char)(x >> 8)); OUT((float)(short)(y >> 16)); OUT((float)(unsigned short)y); OUT((double)(short)x);
  unsigned short s;
  u32 v;
  float w;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(s) : "f"(f)); OUT((u32)s);
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(s) : "f"(e)); OUT((u32)s);
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(s) : "f"(e)); OUT((u32)s);
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(s) : "f"(f)); OUT((u32)s);
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(f), "f"(e)); OUT(v);
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(f), "f"(g)); OUT(v);
  asm("cvt.f32.f16 %0, %1;" : "=f"(w) : "h"((unsigned short)x)); OUT(w);
  asm("cvt.f32.f16 %0, %1;" : "=f"(w) : "h"((unsigned short)(x >> 16))); OUT(w);
  asm("cvt.f32.bf16 %0, %1;" : "=f"(w) : "h"((unsigned short)x)); OUT(w);
  asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(v) : "h"((unsigned short)x)); OUT(v);
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(s) : "r"(x)); OUT((u32)s);
  asm("cvt.rn.f16.u16 %0, %1;" : "=h"(s) : "h"((unsigned short)y)); OUT((u32)s);
  asm("cvt.rni.f16.f16 %0, %1;" : "=h"(s) : "h"((unsigned short)y)); OUT((u32)s);
  asm("cvt.rn.ftz.f32.f64 %0, %1;" : "=f"(w) : "d"(p)); OUT(w);
}

#define H2(op) asm(op " %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
#define H3(op) asm(op " %0, %1, %2, %3;" : "=r"(v) : "r"(x), "r"(y), "r"(z)); OUT(v);
KERNEL(halves) {
  BEGIN
  u32 v;
  H2("add.f16x2") H2("sub.f16x2") H2("mul.f16x2") H2("add.rn.sat.f16x2") H2("add.ftz.f16x2") H2("mul.ftz.f16x2") H3("fma.rn.f16x2") H3("fma.rn.sat.f16x2") H3("fma.rn.relu.f16x2") H3("fma.rn.ftz.f16x2")
  H2("min.f16x2") H2("max.f16x2") H2("max.NaN.f16x2")
  H3("fma.rn.bf16x2") H2("min.bf16x2") H2("max.bf16x2")
  asm("neg.f16x2 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("abs.f16x2 %0, %1;" : "=r"(v) : "r"(x)); OUT(v);
  asm("set.lt.f16x2.f16x2 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("set.geu.f16x2.f16x2 %0, %1, %2;" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  asm("{.reg .pred p, q; setp.gt.f16x2 p|q, %1, %2; selp.u32 %0, 3, 5, p; @q add.u32 %0, %0, 16;}" : "=r"(v) : "r"(x), "r"(y)); OUT(v);
  unsigned short s, sx = x, sy = y, sz = z;
  asm("add.f16 %0, %1, %2;" : "=h"(s) : "h"(sx), "h"(sy)); OUT((u32)s);
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(s) : "h"(sx), "h"(sy), "h"(sz)); OUT((u32)s);
  asm("mul.f16 %0, %1, %2;" : "=h"(s) : "h"((unsigned short)(x >> 16)), "h"(sy)); OUT((u32)s);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
KERNEL(hopper) {
  BEGIN
  u32 v;
  H2("add.rn.bf16x2") H2("sub.rn.bf16x2") H2("mul.rn.bf16x2") H2("add.u16x2") H2("min.s16x2") H2("max.u16x2")
}
#endif

// Functions that the hardware approximates: these need not be equal in the last bits.
#define F1(op) asm(op " %0, %1;" : "=f"(v) : "f"(f)); OUT(v);
KERNEL(approximate) {
  BEGIN
  const float f = (float)(s32)x * 4.6566e-8f, g = __uint_as_float(y);
  float v;
  F1("rcp.approx.ftz.f32") F1("sqrt.approx.f32") F1("rsqrt.approx.f32") F1("ex2.approx.f32") F1("lg2.approx.f32") F1("sin.approx.f32") F1("cos.approx.f32") F1("tanh.approx.f32")
  OUT(expf(f)); OUT(logf(fabsf(f))); OUT(sinf(f)); OUT(cosf(f)); OUT(powf(fabsf(f), 1.7f)); OUT(tanhf(f)); OUT(atan2f(f, g)); OUT(erff(f)); OUT(__expf(f)); OUT(__logf(fabsf(f))); OUT(cbrtf(g)); OUT(rsqrtf(fabsf(g)));
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"((double)f)); OUT(r);
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"((double)fabsf(f))); OUT(r);
}

__constant__ u32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ u32 shift_of = 7;
__device__ __noinline__ u32 steps(u32 v) {
  u32 k = 0;
  while (v != 1 && k < 300) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    k++;
  }
  return k;
}
__device__ __noinline__ u32 fibonacci(u32 v) { return v < 2 ? v : fibonacci(v - 1) + fibonacci(v - 2); }

KERNEL(control) {
  BEGIN
  u32 r = 0;
  for (u32 k = 0; k < (x & 15); k++) r += k * y;
  OUT(r);
  r = 0;
  for (u32 k = 0; k < 20; k++) {
    if ((y >> k & 3) == 3) continue;
    if (k > (z & 31)) break;
    for (u32 j = k; j < (x >> 8 & 7); j++) r = r * 3 + j;
    r ^= k;
  }
  OUT(r);
  switch (x & 15) {
    case 0: r = y + 1; break;
    case 1: r = y * 3; break;
    case 2: r = y ^ z; break;
    case 3: r = z / 5; break;
    case 4: r = z % 11; break;
    case 5: r = __popc(z); break;
    case 6: r = __clz(y); // falls through
    case 7: r += y; break;
    case 8: r = min(y, z); break;
    case 9: r = y << 3; break;
    case 10: r = steps(z & 255 | 1); break;
    default: r = y - z;
  }
  OUT(r);
  OUT(steps((y & 1023) + 1));
  OUT(fibonacci(x & 7));
  if (x & 1) {
    if (y & 1) r = z & 2 ? 11 : 22; else { r = 0; do { r += 5; } while (r < (z & 63)); }
  } else if (y & 4 && z & 8 || x & 32) r = 77;
  OUT(r);
  OUT(table[x & 15]); OUT(table[5] + y); OUT(y >> shift_of);
  u32 gcd = x & 0xffff, m = y & 0xffff | 1;
  while (gcd) { const u32 t = m % gcd; m = gcd; gcd = t; }
  OUT(m);
  u32 local[8];
  for (int k = 0; k < 8; k++) local[k] = x * k + y;
  for (int k = 0; k < 8; k++) local[z >> (4 * k) & 7] ^= local[k];
  OUT(local[x & 7]); OUT(local[0] + local[7]);
  float s = 0;
  for (int k = 1; k < (x & 31); k++) { s += 1.0f / (float)k; if (s > 3.0f) { s -= 2.5f; } }
  OUT(s);
}

KERNEL(lanes) {
  BEGIN
  const u32 all = 0xffffffffu;
  const int lane = threadIdx.x & 31;
  OUT(__shfl_sync(all, x, y & 31)); OUT(__shfl_sync(all, x, 5)); OUT(__shfl_sync(all, x, y & 31, 8)); OUT(__shfl_up_sync(all, x, 3)); OUT(__shfl_up_sync(all, x, 1, 16)); OUT(__shfl_down_sync(all, x, 7));
  OUT(__shfl_down_sync(all, x, y & 15, 16)); OUT(__shfl_xor_sync(all, x, 21)); OUT(__shfl_xor_sync(all, x, 3, 4)); OUT(__shfl_xor_sync(all, (u64)x << 32 | y, 2));
  OUT(__ballot_sync(all, x & 1)); OUT(__any_sync(all, (x & 63) == 5)); OUT(__all_sync(all, x != 12345)); OUT(__match_any_sync(all, x & 3)); OUT(__match_any_sync(all, (u64)(y & 7)));
  int same;
  OUT(__match_all_sync(all, y >> 31, &same)); OUT(same); OUT(__match_all_sync(all, 7u + n, &same)); OUT(same);
  OUT(__reduce_add_sync(all, x)); OUT(__reduce_min_sync(all, x)); OUT(__reduce_max_sync(all, x)); OUT(__reduce_min_sync(all, (s32)x)); OUT(__reduce_max_sync(all, (s32)x)); OUT(__reduce_and_sync(all, x | y)); OUT(__reduce_or_sync(all, x & y & z)); OUT(__reduce_xor_sync(all, x));
  u32 sum = x;
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(all, sum, d);
  OUT(sum);
  u32 scan = y;
  for (int d = 1; d < 32; d <<= 1) { const u32 t = __shfl_up_sync(all, scan, d); if (lane >= d) scan += t; }
  OUT(scan);
  u32 r = 0;
#ifndef HOST // which has no lanes that part
  if (x & 2) {
    const u32 here = __activemask();
    r = __popc(here) + __shfl_sync(here, y, __ffs(here) - 1) + (__ballot_sync(here, y & 1) << 3);
  } else if (lane < 20) {
    const u32 here = __activemask();
    r = __reduce_add_sync(here, z & 0xffff) ^ __match_any_sync(here, z & 1);
  }
  __syncwarp();
  OUT(r);
#else
  skip(o, n);
#endif
  u32 lm, le, gm, id;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lm)); asm("mov.u32 %0, %%lanemask_le;" : "=r"(le)); asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gm)); asm("mov.u32 %0, %%laneid;" : "=r"(id));
  OUT(lm); OUT(le); OUT(gm); OUT(id); OUT(threadIdx.x + 1000 * threadIdx.y + 100000 * blockIdx.x); OUT(blockDim.x + 1000 * gridDim.x);
}

KERNEL(shared) {
  __shared__ u32 tile[32][33];
  __shared__ u32 bins[16];
  __shared__ u64 wide[256];
#ifndef HOST
  extern __shared__ u32 more[];
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  const u32 x = a[i], y = b[i], z = c[i];
  u32 *o = out + i;
  tile[t / 32][t % 32] = x;
  if (t < 16) bins[t] = t * 3;
  wide[t] = (u64)x << 32 | y;
  more[t] = z;
  __syncthreads();
  OUT(tile[t % 8][t / 8]); OUT(wide[255 - t]); OUT(more[(t * 7) & 255]); OUT((s32)((signed char *)more)[(t * 5) & 1023]); OUT((u32)((unsigned short *)more)[(t * 3) & 511]); OUT((s32)((short *)more)[t]);
  const uint4 v = ((uint4 *)more)[t & 63];
  OUT(v.x ^ v.y * 3 ^ v.z * 5 ^ v.w * 7);
  __syncthreads();
  atomicAdd(&bins[x & 15], y & 255);
  __syncthreads();
  OUT(bins[t & 15]);
  __syncthreads();
  if (t < 16) bins[t] = t & 3 ? 0x40000000 : 0xffff0000;
  __syncthreads();
  const int w = t & 15;
  switch (w & 7) {
    case 0: atomicMin(&bins[w], x); break;
    case 1: atomicMax((s32 *)&bins[w], (s32)x); break;
    case 2: atomicAnd(&bins[w], x | 0xff00ff00); break;
    case 3: atomicOr(&bins[w], x & 0x11111111); break;
    case 4: atomicXor(&bins[w], x); break;
    case 5: atomicInc(&bins[w], 0x50000000); break;
    case 6: atomicDec(&bins[w], 0x50000000); break;
    case 7: atomicMax(&bins[w], y); break;
  }
  __syncthreads();
  OUT(bins[w]);
  more[t] = x;
  ((unsigned char *)more)[t * 4 + (y & 3)] = (unsigned char)z;
  OUT(atomicCAS(&more[t], t & 1 ? more[t] : 5, y)); OUT(more[t]); OUT(atomicExch(&more[t], z)); OUT(atomicAdd(&more[t], 3)); OUT(atomicSub(&more[t], y)); OUT(more[t]);
  ((float *)more)[t] = (float)(s32)x;
  OUT(atomicAdd((float *)&more[t], 1.5f)); OUT(more[t]);
  OUT(atomicAdd(&wide[t], 77ull)); OUT(atomicMax(&wide[t], (u64)z << 32)); OUT(atomicCAS(&wide[t], wide[t], 9ull)); OUT(wide[t]);
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) wide[t] += wide[t + s] + s;
    __syncthreads();
  }
  OUT(wide[0]);
  u32 *p = z & 1 ? &tile[t & 7][3] : (z & 2 ? &more[t] : out + 5 * n + i);
  OUT(*p);
  OUT(__syncthreads_count(x & 1)); OUT(__syncthreads_or(x == 7)); OUT(__syncthreads_and(x != 7));
  if (t < 64) { asm volatile("bar.sync 1, 64;"); more[t] = y + t; asm volatile("bar.sync 1, 64;"); OUT(more[63 - t]); }
}

// The memory behind out holds what atomics change: 16 words for each work-item, zero at first.
KERNEL(atomics) {
  BEGIN
  u32 *m = out + 64 * n + 16 * i;
  m[0] = x; m[1] = y; m[2] = z; m[3] = x; m[4] = y; m[5] = z; m[6] = __float_as_uint(1.25f); m[7] = 0; ((u64 *)m)[4] = (u64)x << 32 | y; ((double *)m)[5] = 0.5; m[12] = 0x3c003c00; m[13] = 5;
  OUT(atomicAdd(&m[0], y)); OUT(atomicSub(&m[0], z)); OUT(atomicMin(&m[1], x)); OUT(atomicMax(&m[1], z)); OUT(atomicMin((s32 *)&m[2], (s32)x)); OUT(atomicMax((s32 *)&m[2], (s32)y));
  OUT(atomicAnd(&m[3], y)); OUT(atomicOr(&m[3], z)); OUT(atomicXor(&m[3], x)); OUT(atomicExch(&m[4], x)); OUT(atomicCAS(&m[4], x, z)); OUT(atomicCAS(&m[4], x, y)); OUT(atomicInc(&m[5], x)); OUT(atomicDec(&m[5], y));
  OUT(atomicAdd((float *)&m[6], 0.5f + (float)(x & 255))); OUT(atomicAdd((u64 *)(m + 8), 5ull)); OUT(atomicMax((s64 *)(m + 8), (s64)z)); OUT(atomicExch((u64 *)(m + 8), 3ull)); OUT(atomicCAS((u64 *)(m + 8), 3ull, (u64)x)); OUT(atomicAdd((double *)(m + 10), 0.25 * (x & 15)));
  atomicAdd(&m[7], 9); atomicMax(&m[7], 4); atomicAdd((float *)&m[6], 2.0f);
  for (int k = 0; k < 14; k++) OUT(m[k]);
}
