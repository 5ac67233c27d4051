// Computes what values.cu stores by a processor, without a device: see host.h. The words go to NAME.bin; NAME.kinds says what each
// result is, a byte for each.
#define HOST
#include "host.h"
#include <immintrin.h>
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

// kinds of results: whole numbers; numbers of 32 and of 64 bits, of which all that are none are alike; and results that are left out
enum kind : char { word = 'i', real = 'f', low = 'd', high = 'D', none = '-' };
static std::string kinds;
static void note(char k) { if (threadIdx.x == 0) kinds += k; }
static void store(u32 *&o, int n, u32 v, char k) { *o = v; o += n; note(k); }
static void put(u32 *&o, int n, u32 v) { store(o, n, v, word); }
static void put(u32 *&o, int n, s32 v) { store(o, n, v, word); }
static void put(u32 *&o, int n, bool v) { store(o, n, v, word); }
static void put(u32 *&o, int n, float v) { store(o, n, __float_as_uint(v), real); }
static void put(u32 *&o, int n, u64 v) { store(o, n, v, word); store(o, n, v >> 32, word); }
static void put(u32 *&o, int n, s64 v) { put(o, n, (u64)v); }
static void put(u32 *&o, int n, uint64_t v) { put(o, n, (u64)v); }
static void put(u32 *&o, int n, double v) { const u64 b = __double_as_longlong(v); store(o, n, b, low); store(o, n, b >> 32, high); }
static void skip(u32 *&o, int n) { store(o, n, 0, none); }
#define TO(type, v) toward<type>(v, FE_TOWARDZERO)

// PTX, by the text of the instruction
static float flush(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? copysignf(0, v) : v; }
static float clamp(float v) { return v != v ? 0 : v > 1 ? 1 : v > 0 ? v : 0; }
static u32 bits(float v) { return v != v ? 0x7fffffff : __float_as_uint(v); }
static bool is(const char *text, const char *op) { const size_t n = strlen(op); return !strncmp(text, op, n) && text[n] == ' '; }
static bool has(const char *text, const char *part) { return strstr(text, part) != nullptr; }
template <class T> static T bounded(s64 v) { return v < std::numeric_limits<T>::min() ? std::numeric_limits<T>::min() : v > std::numeric_limits<T>::max() ? std::numeric_limits<T>::max() : (T)v; }
static s32 lane8(u32 v, int i, bool s) { return s ? (s32)(int8_t)(v >> 8 * i) : (s32)(uint8_t)(v >> 8 * i); }
static s32 lane16(u32 v, int i, bool s) { return s ? (s32)(int16_t)(v >> 16 * i) : (s32)(uint16_t)(v >> 16 * i); }
static u32 permuted(const char *t, u32 a, u32 b, u32 c) {
  const u64 v = (u64)b << 32 | a;
  u32 r = 0;
  for (int i = 0; i < 4; i++) {
    const int s = c & 3;
    int pick = c >> 4 * i & 7;
    bool sign = c >> 4 * i & 8;
    if (is(t, "prmt.b32.f4e")) pick = s + i, sign = false;
    if (is(t, "prmt.b32.b4e")) pick = (8 + s - i) % 8, sign = false;
    if (is(t, "prmt.b32.rc8")) pick = s, sign = false;
    if (is(t, "prmt.b32.ecl")) pick = max(s, i), sign = false;
    if (is(t, "prmt.b32.ecr")) pick = min(s, i), sign = false;
    if (is(t, "prmt.b32.rc16")) pick = s % 2 * 2 + i % 2, sign = false;
    u32 x = v >> 8 * pick & 255;
    if (sign) x = x & 128 ? 255 : 0;
    r |= x << 8 * i;
  }
  return r;
}
static unsigned short brain(float v) { // bfloat16
  const u32 b = __float_as_uint(v);
  return v != v ? 0x7fff : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}
static unsigned short nearest16(float v) { return v != v ? 0x7fff : _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT); }
[[noreturn]] static void missing(const char *t) { fprintf(stderr, "%s is missing\n", t); exit(1); }
static u32 mask64(u64 v) { return v > 0xffffffffu ? 0xffffffffu : (u32)v; }

static void ptx(const char *t, u32 &d, u32 a, u32 b) {
  const s32 sa = a, sb = b;
  if (is(t, "shl.b32")) d = b > 31 ? 0 : a << b;
  else if (is(t, "shr.u32")) d = b > 31 ? 0 : a >> b;
  else if (is(t, "shr.s32")) d = sa >> min(b, 31u);
  else if (is(t, "bmsk.clamp.b32") || is(t, "bmsk.wrap.b32")) { u32 p = a, n = b; if (has(t, "wrap")) p &= 31, n &= 31; n = min(n, 32u); d = p > 31 ? 0 : (u32)((((u64)1 << n) - 1) << p); }
  else if (is(t, "szext.clamp.s32") || is(t, "szext.wrap.u32")) { const bool s = has(t, "s32 "); u32 n = has(t, "wrap") ? b & 31 : min(b, 32u); d = n == 0 ? 0 : n > 31 ? a : s ? (u32)((s32)(a << (32 - n)) >> (32 - n)) : a & ((1u << n) - 1); }
  else if (is(t, "cvt.pack.sat.s16.s32")) d = (u32)(uint16_t)bounded<int16_t>(sa) << 16 | (uint16_t)bounded<int16_t>(sb);
  else if (is(t, "vadd.s32.s32.s32.sat") || is(t, "add.sat.s32")) d = bounded<s32>((s64)sa + sb);
  else if (is(t, "sub.sat.s32")) d = bounded<s32>((s64)sa - sb);
  else if (is(t, "add.u16x2")) d = ((a & 0xffff) + (b & 0xffff) & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
  else if (is(t, "min.s16x2")) { d = 0; for (int i = 0; i < 2; i++) d |= (u32)(uint16_t)min(lane16(a, i, true), lane16(b, i, true)) << 16 * i; }
  else if (is(t, "max.u16x2")) { d = 0; for (int i = 0; i < 2; i++) d |= (u32)max(lane16(a, i, false), lane16(b, i, false)) << 16 * i; }
  else missing(t);
}
static void ptx(const char *t, u32 &d, u32 a) {
  const s32 sa = a;
  if (is(t, "bfe.u32")) d = a >> 5 & 0x7ff;
  else if (is(t, "bfe.s32")) d = (s32)(a << 17) >> 26;
  else if (is(t, "bfind.u32")) d = a ? 31 - __builtin_clz(a) : -1;
  else if (is(t, "bfind.s32")) { const u32 v = sa < 0 ? ~a : a; d = v ? 31 - __builtin_clz(v) : -1; }
  else if (is(t, "bfind.shiftamt.u32")) d = a ? __builtin_clz(a) : -1;
  else if (is(t, "bfind.shiftamt.s32")) { const u32 v = sa < 0 ? ~a : a; d = v ? __builtin_clz(v) : -1; }
  else if (is(t, "cvt.sat.s8.s32")) d = bounded<int8_t>(sa);
  else if (is(t, "cvt.sat.u8.s32")) d = bounded<uint8_t>(sa);
  else if (is(t, "cvt.sat.s16.s32")) d = bounded<int16_t>(sa);
  else if (is(t, "cvt.sat.u16.u32")) d = min(a, 65535u);
  else missing(t);
}
static void ptx(const char *t, u32 &d, u32 a, u32 b, u32 c) {
  const s32 sa = a, sb = b;
  if (has(t, "prmt")) d = permuted(t, a, b, c);
  else if (is(t, "bfe.u32") || is(t, "bfe.s32")) { // a field of c bits from bit b on
    const bool s = has(t, "s32");
    const int last = min(b + c - 1, 31u);
    const u32 sign = !s || c == 0 ? 0 : a >> last & 1;
    d = 0;
    for (u32 i = 0; i < 32; i++) d |= (i < c && b + i <= 31 ? a >> (b + i) & 1 : sign) << i;
  } else if (is(t, "dp4a.s32.s32") || is(t, "dp4a.u32.u32") || is(t, "dp4a.s32.u32")) { d = c; for (int i = 0; i < 4; i++) d += lane8(a, i, has(t, "dp4a.s32")) * lane8(b, i, has(t, "s32.s32")); }
  else if (is(t, "dp2a.lo.s32.s32")) { d = c; for (int i = 0; i < 2; i++) d += lane16(a, i, true) * lane8(b, i, true); }
  else if (is(t, "dp2a.hi.u32.u32")) { d = c; for (int i = 0; i < 2; i++) d += lane16(a, i, false) * lane8(b, i + 2, false); }
  else if (is(t, "cvt.pack.sat.u8.s32.b32")) d = c << 16 | (u32)bounded<uint8_t>(sa) << 8 | bounded<uint8_t>(sb);
  else if (is(t, "cvt.pack.sat.s8.s32.b32")) d = c << 16 | (u32)(uint8_t)bounded<int8_t>(sa) << 8 | (uint8_t)bounded<int8_t>(sb);
  else if (is(t, "mad.hi.s32")) d = (u32)((s64)sa * sb >> 32) + c;
  else if (is(t, "mad.hi.u32")) d = (u32)((u64)a * b >> 32) + c;
  else if (is(t, "mad.hi.sat.s32")) d = bounded<s32>(((s64)sa * sb >> 32) + (s32)c);
  else if (is(t, "vabsdiff4.u32.u32.u32.add")) { d = c; for (int i = 0; i < 4; i++) d += abs(lane8(a, i, false) - lane8(b, i, false)); }
  else missing(t);
}
static void ptx(const char *t, u32 &d, u32 a, u32 b, u32 c, u32 e) { // bfi: e bits of a at bit c of b
  d = b;
  for (u32 i = 0; i < e && c + i < 32; i++) d = d & ~(1u << (c + i)) | (a >> i & 1) << (c + i);
}
static void ptx(const char *t, u64 &d, u64 a, u32 b) {
  if (is(t, "shl.b64")) d = b > 63 ? 0 : a << b;
  else d = (s64)a >> min(b, 63u);
}
static void ptx(const char *t, float &d, float a, float b) {
  if (has(t, ".ftz")) a = flush(a), b = flush(b);
  if (is(t, "add.ftz.f32")) d = flush(a + b);
  else if (is(t, "mul.ftz.f32")) d = flush(a * b);
  else if (is(t, "min.ftz.f32")) d = least(a, b);
  else if (has(t, "max") && has(t, ".NaN")) d = a != a || b != b ? NAN : most(a, b);
  else if (is(t, "set.ltu.f32.f32")) d = a < b || a != a || b != b;
  else missing(t);
}
static void ptx(const char *t, u32 &d, float a, float b) {
  if (is(t, "set.ge.ftz.u32.f32")) d = flush(a) >= flush(b) ? 0xffffffff : 0;
  else if (is(t, "cvt.rn.f16x2.f32")) d = (u32)nearest16(a) << 16 | nearest16(b);
  else if (is(t, "cvt.rn.bf16x2.f32")) d = (u32)brain(a) << 16 | brain(b);
  else missing(t);
}
static void ptx(const char *t, float &d, float a, float b, float c) {
  a = flush(a), b = flush(b), c = flush(c);
  if (is(t, "fma.rn.ftz.f32")) d = flush(fmaf(a, b, c));
  else if (is(t, "fma.rz.ftz.sat.f32")) d = flush(clamp(__fmaf_rz(a, b, c)));
  else missing(t);
}

// numbers of 16 bits
typedef unsigned short u16;
static long double half(u16 h) { return _cvtsh_ss(h); }
static long double bhalf(u16 h) { return __uint_as_float((u32)h << 16); }
static float sticky(long double v) { // cut off, with an odd last bit where something was
  if (v != v || std::isinf(v)) return (float)v;
  float f = (float)v;
  if (fabsl((long double)f) > fabsl(v)) f = nextafterf(f, 0);
  if ((long double)f != v) f = __uint_as_float(__float_as_uint(f) | 1);
  return f;
}
static u16 to_half(long double v) { return v != v ? 0x7fff : _cvtss_sh(sticky(v), _MM_FROUND_TO_NEAREST_INT); }
static u16 to_bhalf(long double v) {
  if (v != v) return 0x7fff;
  const u32 b = __float_as_uint(sticky(v));
  return (b + 0x7fff + (b >> 16 & 1)) >> 16;
}
static u16 flush16(u16 h) { return h & 0x7c00 ? h : h & 0x8000; }
// one operation on numbers of 16 bits
static u16 op16(const char *t, u16 a, u16 b, u16 c) {
  const bool brain = has(t, "bf16");
  if (has(t, ".ftz")) a = flush16(a), b = flush16(b), c = flush16(c);
  const long double x = brain ? bhalf(a) : half(a), y = brain ? bhalf(b) : half(b), z = brain ? bhalf(c) : half(c);
  long double v;
  if (!strncmp(t, "add", 3)) v = x + y;
  else if (!strncmp(t, "sub", 3)) v = x - y;
  else if (!strncmp(t, "mul", 3)) v = x * y;
  else if (!strncmp(t, "fma", 3)) v = x * y + z;
  else if (!strncmp(t, "min", 3)) v = least(x, y);
  else if (!strncmp(t, "max", 3)) v = has(t, "NaN") && (x != x || y != y) ? NAN : most(x, y);
  else if (!strncmp(t, "neg", 3)) v = -x;
  else if (!strncmp(t, "abs", 3)) v = fabsl(x);
  else if (!strncmp(t, "set.lt", 6)) return x < y ? 0x3c00 : 0;
  else if (!strncmp(t, "set.geu", 7)) return !(x < y) ? 0x3c00 : 0;
  else missing(t);
  if (has(t, ".sat")) v = v != v ? 0 : v > 1 ? 1 : v > 0 ? v : 0;
  if (has(t, ".relu") && v < 0) v = 0;
  const u16 r = brain ? to_bhalf(v) : to_half(v);
  return has(t, ".ftz") ? flush16(r) : r;
}
static u32 op2(const char *t, u32 a, u32 b, u32 c) { return op16(t, a, b, c) | (u32)op16(t, a >> 16, b >> 16, c >> 16) << 16; }
static void ptx(const char *t, u16 &d, u16 a, u16 b) { d = op16(t, a, b, 0); }
static void ptx(const char *t, u16 &d, u16 a, u16 b, u16 c) { d = op16(t, a, b, c); }
static void ptx(const char *t, u16 &d, float a) { d = has(t, "bf16") ? to_bhalf(a) : has(t, ".rz") ? (a != a ? 0x7fff : _cvtss_sh(a, _MM_FROUND_TO_ZERO)) : to_half(a); }
static void ptx(const char *t, u16 &d, u32 a) { d = to_half((s32)a); }
static void ptx(const char *t, u16 &d, u16 a) {
  if (is(t, "cvt.rn.f16.u16")) d = to_half(a);
  else d = to_half(rintl(half(a)));
}
static void ptx(const char *t, float &d, u16 a) { d = has(t, "bf16") ? bhalf(a) : half(a); }
static void ptx(const char *t, u32 &d, u16 a) { d = toward<s32>((float)half(a), FE_TOWARDZERO); }
static void ptx(const char *, float &d, double a) { d = flush((float)a); }
static void pair(const char *t, u32 &d, u32 a, u32 b, u32 c) {
  if (has(t, "16x2") && !has(t, "f16x2")) return ptx(t, d, a, b);
  d = op2(t, a, b, c);
}
static void compared(u32 &d, u32 a, u32 b) { // setp.gt.f16x2 and what follows
  d = (half(a) > half(b) ? 3 : 5) + (half(a >> 16) > half(b >> 16) ? 16 : 0);
}
static float approximate_of(const char *t, float f) {
  if (has(t, "rcp")) return 1 / f;
  if (has(t, "rsqrt")) return 1 / sqrtf(f);
  if (has(t, "sqrt")) return sqrtf(f);
  if (has(t, "ex2")) return exp2f(f);
  if (has(t, "lg2")) return log2f(f);
  if (has(t, "sin")) return sinf(f);
  if (has(t, "cos")) return cosf(f);
  return tanhf(f);
}
static void ptx(const char *t, float &d, float a) { d = approximate_of(t, a); }
static void approximate64(const char *t, double &d, double a) { d = has(t, "rsqrt") ? 1 / sqrt(a) : 1 / a; }
static void ptx(const char *t, u32 &d) {
  const u32 l = threadIdx.x % 32;
  d = has(t, "_lt") ? (1u << l) - 1 : has(t, "_le") ? (2u << l) - 1 : has(t, "_gt") ? ~((2u << l) - 1) : l;
}
static std::barrier<> first64(64);
static void ptx(const char *) { first64.arrive_and_wait(); }

#include "values.host.cu"

int main(int, char **argv) {
  const int n = 256, slots = 160;
  const std::string folder = argv[1];
  std::vector<u32> in(3 * n), out;
  FILE *f = fopen((folder + "/in.bin").c_str(), "rb");
  if (!f || fread(in.data(), 4, in.size(), f) != in.size()) return 1;
  struct { const char *name; void (*f)(const u32 *, const u32 *, const u32 *, u32 *, int); } kernels[] = {
    {"whole", whole}, {"logic", logic}, {"division", division}, {"longs", longs}, {"floats", floats}, {"doubles", doubles}, {"conversions", conversions},
    {"halves", halves}, {"hopper", hopper}, {"approximate", approximate}, {"control", control}, {"lanes", lanes}, {"shared", shared}, {"atomics", atomics},
  };
  for (auto &k : kernels) {
    out.assign(slots * n, 0);
    kinds.clear();
    std::vector<std::thread> all;
    for (unsigned t = 0; t < n; t++)
      all.emplace_back([&, t] { threadIdx = {t, 0, 0}; k.f(&in[0], &in[n], &in[2 * n], out.data(), n); });
    for (auto &t : all) t.join();
    out.resize(kinds.size() * n);
    f = fopen((folder + "/" + k.name + ".bin").c_str(), "wb");
    fwrite(out.data(), 4, out.size(), f), fclose(f);
    f = fopen((folder + "/" + k.name + ".kinds").c_str(), "wb");
    fwrite(kinds.data(), 1, kinds.size(), f), fclose(f);
  }
}
