package compile_test

import (
	"context"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/internal/round"
)

// TestBrain: numbers of bfloat16 are converted and computed, also two at a time.
func TestBrain(t *testing.T) {
	const text = `#include <cuda_bf16.h>
__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x;
  __nv_bfloat16 x = __float2bfloat16(0.5f * t), y = (__nv_bfloat16) 3;
  __nv_bfloat162 v = __floats2bfloat162_rn(1.5f, (float) t), w = __halves2bfloat162(x, y), z = __hadd2(__hmul2(v, w), w);
  uint4 words; words.y = *(unsigned *) &z;
  float2 f = __bfloat1622float2(((const __nv_bfloat162 *) &words)[1]);
  out[t] = (int) __bfloat162float(x * y - x);
  out[n + t] = (int) f.x;
  out[2 * n + t] = (int) f.y;
  out[3 * n + t] = (int) __low2float(v) + (x > y) + 2 * (y == __low2bfloat16(__floats2bfloat162_rn(3.0f, 0.0f)));
}`
	got, err := executed(t, text, randomInputs(1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 { // where nothing is rounded
		u := uint32(i)
		for k, want := range []uint32{u, 5 * u / 4, 3*u + 3, 1 + uint32(btoi(i > 6)) + 2} {
			if x := word(got, k*items+i); x != want {
				t.Fatalf("output %d of work-item %d is %d, want %d", k, i, int32(x), int32(want))
			}
		}
	}
}

// TestHalves: functions of two numbers of half precision in a word are one instruction each.
func TestHalves(t *testing.T) {
	const text = `#include <cuda_fp16.h>
__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x;
  float f = (t & 15) - 7.0f;
  __half2 x = __floats2half2_rn(f, 2.0f), y = __floats2half2_rn(0.5f, f), z = __floats2half2_rn(f * 0.125f, -1.0f);
  __half2 p = __hfma2_sat(x, y, z), q = __hfma2_relu(x, y, z), r = __hmax2(__hadd2_sat(x, y), __hmin2_nan(z, y)), s = __hgt2(x, y);
  out[t] = *(unsigned *) &p; out[n + t] = *(unsigned *) &q; out[2 * n + t] = *(unsigned *) &r; out[3 * n + t] = *(unsigned *) &s;
}`
	in := randomInputs(1)
	got, err := executed(t, text, in)
	if err != nil {
		t.Fatal(err)
	}
	pair := func(of func(x, y, z float64) float64) func(i int) uint32 {
		return func(i int) uint32 {
			f := float64(i&15) - 7
			half := func(v float64) uint32 { return uint32(round.ToHalf(v, round.Nearest)) }
			return half(of(f, 0.5, f*0.125)) | half(of(2, f, -1))<<16
		}
	}
	to1 := func(v float64) float64 { return min(max(v, 0), 1) }
	for k, want := range []func(int) uint32{
		pair(func(x, y, z float64) float64 { return to1(x*y + z) }), pair(func(x, y, z float64) float64 { return max(x*y+z, 0) }),
		pair(func(x, y, z float64) float64 { return max(to1(x+y), min(z, y)) }), pair(func(x, y, z float64) float64 { return float64(btoi(x > y)) }),
	} {
		for i := range items {
			if x := word(got, k*items+i); x != want(i) {
				t.Fatalf("output %d of work-item %d is %#x, want %#x", k, i, x, want(i))
			}
		}
	}
	p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HFMA2.SAT", "HFMA2.RELU", "HADD2.SAT", "HMNMX2 ", "HMNMX2.NAN", "HSET2"} {
		if n := strings.Count(p.Listing, name); n != 1 {
			t.Errorf("%s stands there %d times\n%s", name, n, p.Listing)
		}
	}
}

// TestBytesOfFloats: two numbers of 8 bits are converted by an instruction, by way of half precision.
func TestBytesOfFloats(t *testing.T) {
	const text = `#include <cuda_fp8.h>
__global__ void k(const __nv_fp8x4_e4m3 *x, float4 *y, const float4 *v, __nv_fp8x4_e5m2 *w) {
  int i = threadIdx.x;
  y[i] = (float4) x[i];
  w[i] = __nv_fp8x4_e5m2(v[i]);
}`
	p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"F2FP.F16.E4M3.UNPACK_B": 2, "F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C": 2, "HADD2.F32": 4, "STG.E ": 1, "STG.E.128": 1} {
		if n := strings.Count(p.Listing, name); n != want {
			t.Errorf("%s stands there %d times, not %d\n%s", name, n, want, p.Listing)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestPartsOfWords: numbers that lie in longer ones of a variable are read from these, and written into them.
func TestPartsOfWords(t *testing.T) {
	const text = `__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x;
  uint4 v; v.x = a[t]; v.y = b[t]; v.z = 0x80ff0102u; v.w = c[t];
  const unsigned short *s = (const unsigned short *) &v; const signed char *p = (const signed char *) &v;
  out[t] = s[1] + s[2] * 3;
  out[n + t] = p[11] + p[10] + p[8] + p[9] + p[3];
  unsigned long long w = (unsigned long long) a[t] << 32 | b[t]; const unsigned short *q = (const unsigned short *) &w;
  out[2 * n + t] = q[3] + 5 * q[1];
  unsigned x = a[t]; ((unsigned short *) &x)[1] = 7;
  out[3 * n + t] = x;
}`
	in := randomInputs(2)
	got, err := executed(t, text, in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		a, b := word(in, i), word(in, items+i)
		top := uint32(int32(a) >> 24)
		for k, want := range []uint32{a>>16 + b&0xffff*3, top - 126, a>>16 + 5*(b>>16), a&0xffff | 7<<16} {
			if x := word(got, k*items+i); x != want {
				t.Fatalf("output %d of work-item %d is %#x, want %#x", k, i, x, want)
			}
		}
	}
}

// TestReshaped: words whose parts are written, and parts that are written over as words, hold what memory would, also where ways of control write them differently.
func TestReshaped(t *testing.T) {
	const text = `__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x;
  uint4 v; v.x = a[t]; v.y = b[t]; v.z = 5; v.w = c[t];
  unsigned short *s = (unsigned short *) &v; unsigned char *p = (unsigned char *) &v;
  s[1] = s[0] + 1; p[4] = 9; s[7] = 3;
  out[t] = v.x ^ v.y ^ v.w;
  v.x = b[t]; v.w = 1;
  s[0] ^= 1;
  out[n + t] = v.x + v.w;
  unsigned x = a[t];
  if (t & 1) ((unsigned short *) &x)[0] = 7; else x += 3;
  unsigned y = b[t];
  for (int i = 0; i < (t & 3); i++) { ((unsigned short *) &y)[1] += 5; y ^= 1; }
  out[2 * n + t] = x;
  unsigned z = 0;
  for (int i = 0; i < 3; i++) {
    uint2 w; w.x = a[t] + i; w.y = b[t];
    unsigned short *h = (unsigned short *) &w;
    h[2] = h[1];
    z += w.x ^ w.y;
  }
  out[3 * n + t] = y + z;
}`
	in := randomInputs(3)
	got, err := executed(t, text, in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		a, b, c := word(in, i), word(in, items+i), word(in, 2*items+i)
		first := (a&0xffff | (a+1)<<16) ^ (b&^255 | 9) ^ (c&0xffff | 3<<16)
		x := a + 3
		if i&1 > 0 {
			x = a&^0xffff | 7
		}
		y, z := b, uint32(0)
		for range i & 3 {
			y = (y&0xffff | (y>>16+5)<<16) ^ 1
		}
		for k := range uint32(3) {
			z += a + k ^ (b&^0xffff | (a+k)>>16)
		}
		for k, want := range []uint32{first, (b ^ 1) + 1, x, y + z} {
			if x := word(got, k*items+i); x != want {
				t.Fatalf("output %d of work-item %d is %#x, want %#x", k, i, x, want)
			}
		}
	}
}
