package compile_test

import (
	"fmt"
	"math"
	bits32 "math/bits"
	"strings"
	"testing"
)

// item is what a work-item of a test has: three words, of which the second has no sign, and its number.
type item struct {
	x int32
	y uint32
	z int32
	t int
}

// ofItems are expressions with their values in Go.
type ofItems []struct {
	text string
	of   func(i item) uint32
}

// check compiles the expressions, four to a kernel, and compares what they leave. The text of the kernel has %s where its statements are to stand.
func (all ofItems) check(t *testing.T, kernel string) {
	t.Helper()
	all.near(t, kernel, 0)
}

// near is check with numbers that may be off by some.
func (all ofItems) near(t *testing.T, kernel string, by int32) {
	t.Helper()
	for from := 0; from < len(all); from += outputs {
		some := all[from:min(from+outputs, len(all))]
		body := ""
		for i, c := range some {
			body += fmt.Sprintf("  out[%d * n + t] = %s;\n", i, c.text)
		}
		in := randomInputs(uint64(from))
		got, err := executed(t, strings.Replace(kernel, "%s", body, 1), in)
		if err != nil {
			t.Errorf("%v\n%s", err, body)
			continue
		}
		for k, c := range some {
			for i := range items {
				it := item{int32(word(in, i)), word(in, items+i), int32(word(in, 2*items+i)), i}
				if got, want := word(got, k*items+i), c.of(it); got != want && (by == 0 || max(int32(got-want), int32(want-got)) > by) {
					t.Errorf("%s of %+v is %#x, want %#x", c.text, it, got, want)
					break
				}
			}
		}
	}
}

const openCL = `__kernel void k(__global const int *a, __global const uint *b, __global const int *c, __global uint *out, int n) {
  int t = get_local_id(0);
  int x = a[t]; uint y = b[t]; int z = c[t];
  float f = (float) (t - 7), g = (float) (t & 3);
  int4 v = (int4)(x, z, t, -5); float4 w = (float4)(f, g, 2.0f, 3.0f), u = (float4)(g, 1.0f, f, 0.0f);
%s}`

func allBits(is bool) uint32 {
	if is {
		return math.MaxUint32
	}
	return 0
}

func oneIf(is bool) uint32 { return allBits(is) & 1 }

func clamp(low, v, high int64) int64 { return min(max(low, v), high) }

// TestVectors: functions of vectors, and comparisons lane by lane.
func TestVectors(t *testing.T) {
	f, g := func(i item) float32 { return float32(i.t - 7) }, func(i item) float32 { return float32(i.t & 3) }
	root := func(v float32) uint32 { return math.Float32bits(float32(math.Sqrt(float64(v)))) }
	ofItems{
		{"as_uint(dot(w, u))", func(i item) uint32 { return math.Float32bits(f(i)*g(i) + g(i) + 2*f(i)) }},
		{"as_uint(length((float2)(3.0f * f, 4.0f * f)))", func(i item) uint32 { return math.Float32bits(5 * max(f(i), -f(i))) }},
		{"as_uint(rint(distance(w.xy, w.zw) * distance(w.xy, w.zw)))", func(i item) uint32 { return math.Float32bits((f(i)-2)*(f(i)-2) + (g(i)-3)*(g(i)-3)) }},
		{"as_uint(rint(4.0f * normalize((float2)(0.0f, f)).y))", func(i item) uint32 {
			return math.Float32bits(map[bool]float32{true: 4}[f(i) > 0] - map[bool]float32{true: 4}[f(i) < 0])
		}},
		{"as_uint(cross(w, u).y)", func(i item) uint32 { return math.Float32bits(2*g(i) - f(i)*f(i)) }},
		{"as_uint(rint(length((float2)(3e30f * f, 4e30f * f)) * 1e-30f))", func(i item) uint32 { return math.Float32bits(5 * max(f(i), -f(i))) }},
		{"as_uint(rint(4e-30f * length(1e30f * normalize((float4)(f - f, 2e30f, f - f, f - f)))))", func(i item) uint32 { return math.Float32bits(4) }},
		{"as_uint(fast_length((float2)(0.0f, g)))", func(i item) uint32 { return root(g(i) * g(i)) }},
		{"any(v < 0) + 2 * all(v > -6) + 4 * any(x) + 8 * all(isless(w, u))", func(i item) uint32 {
			all := f(i) < g(i) && g(i) < 1 && 2 < f(i) && false
			return 1 + 2*oneIf(i.x > -6 && i.z > -6) + 4*oneIf(i.x < 0) + 8*oneIf(all)
		}},
		{"(v > (int4)(z, x, 3, 0)).x ^ (w == u).y ^ !(v == t).z", func(i item) uint32 {
			return allBits(i.x > i.z) ^ allBits(g(i) == 1)
		}},
		{"(v < 0 ? v : (int4)(7)).x + (w > u ? 1 : 2).y", func(i item) uint32 {
			return uint32(map[bool]int32{true: i.x, false: 7}[i.x < 0]) + map[bool]uint32{true: 1, false: 2}[g(i) > 1]
		}},
		{"(isnan(w / (float4)(g - g)) && v.x < 0).x", func(i item) uint32 { return allBits(f(i) == 0 && i.x < 0) }},
		{"((v > 0) || (v < -4)).y ^ select(x, z, t & 1)", func(i item) uint32 {
			return allBits(i.z > 0 || i.z < -4) ^ uint32(map[bool]int32{true: i.z, false: i.x}[i.t&1 > 0])
		}},
		{"select(v, v.yxwz, (int4)(x, z, -1, 1)).x", func(i item) uint32 { return uint32(map[bool]int32{true: i.z, false: i.x}[i.x < 0]) }},
		{"bitselect(x, z, (int) y)", func(i item) uint32 { return uint32(i.x)&^i.y | uint32(i.z)&i.y }},
		{"upsample((ushort) y, (ushort) x) ^ (uint) (upsample(x, y) >> 16)", func(i item) uint32 {
			return i.y<<16 | uint32(i.x)&0xffff ^ uint32((uint64(uint32(i.x))<<32|uint64(i.y))>>16)
		}},
		{"upsample((char) x, (uchar) y)", func(i item) uint32 { return uint32(int32(int16(uint16(i.x)<<8 | uint16(uint8(i.y))))) }},
		{"shuffle(v, (uint4)(1, 0, 3, 2)).x ^ shuffle(v, (uint2)(y, 2)).x", func(i item) uint32 { return uint32(i.z ^ []int32{i.x, i.z, int32(i.t), -5}[i.y&3]) }},
		{"shuffle2(v, (int4)(9, x, y, 4), (uint4)(y, 0, 7, 2)).x", func(i item) uint32 {
			return uint32([]int32{i.x, i.z, int32(i.t), -5, 9, i.x, int32(i.y), 4}[i.y&7])
		}},
	}.check(t, openCL)
}

// severalResults are functions whose results come in more than one way.
const severalResults = `T sines(T x) { T c; T s = sincos(x, &c); return s + 10 * c; }
T parts(T x) { T w; T r = modf(x, &w); return r + 10 * w; }
T division(T x, T y) { int q; T r = remquo(x, y, &q); return r + 100 * q; }
T factorial(T x) { int s; return lgamma_r(x, &s) + 10 * s; }
T both(T2 x) { T2 c; T2 s = sincos(x, &c); int2 e; T2 m = frexp(x, &e); return s.x + 3 * c.y + 5 * m.y + 7 * e.x; }
`

// TestOpenCLMath: functions of OpenCL C that CUDA C lacks, of both precisions, to about a hundredth.
func TestOpenCLMath(t *testing.T) {
	functions := []struct {
		text string
		of   func(f, g float64) float64
	}{
		{"tanpi(g * (T) 0.125 + (T) 0.03)", func(_, g float64) float64 { return math.Tan(math.Pi * (g*0.125 + 0.03)) }},
		{"asinpi(g * (T) 0.25 - (T) 0.3) + acospi(g * (T) 0.25) + atanpi(f)", func(f, g float64) float64 {
			return (math.Asin(g*0.25-0.3) + math.Acos(g*0.25) + math.Atan(f)) / math.Pi
		}},
		{"atan2pi(f, g - (T) 1.5)", func(f, g float64) float64 { return math.Atan2(f, g-1.5) / math.Pi }},
		{"pown(g * (T) 1.5, 2) + pown(g, 3) + pown(g, 5) + pown(g + (T) 0.5, t % 3 + 1)", func(f, g float64) float64 {
			return 2.25*g*g + g*g*g + math.Pow(g, 5) + math.Pow(g+0.5, float64((int(f)+7)%3+1))
		}},
		{"rootn(f * (T) 1.1, 3) + rootn(g + (T) 0.3, -2)", func(f, g float64) float64 { return math.Cbrt(f*1.1) + 1/math.Sqrt(g+0.3) }},
		{"maxmag(f, g) + 3 * minmag(f, -g)", func(f, g float64) float64 {
			switch {
			case math.Abs(f) > g:
				return f - 3*g
			case math.Abs(f) < g:
				return g + 3*f
			}
			return max(f, g) + 3*min(f, -g)
		}},
		{"mix(f, g, (T) 0.3) + step(g, (T) 1.5) + sign(f) + degrees(g)", func(f, g float64) float64 {
			sign := math.Copysign(1, f)
			if f == 0 {
				sign = 0
			}
			return f + (g-f)*0.3 + float64(btoi(1.5 >= g)) + sign + g*180/math.Pi
		}},
		{"sines(f) + 2 * parts(f * (T) 0.3) + factorial(g + (T) 0.7)", func(f, g float64) float64 {
			w, r := math.Modf(f * 0.3)
			return math.Sin(f) + 10*math.Cos(f) + 2*(r+10*w) + lgamma(g+0.7) + 10
		}},
		{"division(7 * f, g + (T) 0.7)", func(f, g float64) float64 {
			q := math.RoundToEven(7 * f / (g + 0.7))
			return math.Remainder(7*f, g+0.7) + 100*(q-8*math.Trunc(q/8))
		}},
		{"both((T2)(f, g))", func(f, g float64) float64 {
			_, e := math.Frexp(f)
			m, _ := math.Frexp(g)
			return math.Sin(f) + 3*math.Cos(g) + 5*m + 7*float64(e)
		}},
		{"smoothstep((T) -2.5, (T) 8.1, f) + radians(g) + clamp(f, (T) -1.1, g)", func(f, g float64) float64 {
			x := min(max((f+2.5)/10.6, 0), 1)
			return x*x*(3-2*x) + g*math.Pi/180 + min(max(f, -1.1), g)
		}},
		{"isnormal(g) + 2 * isordered(f, g) + 4 * isunordered(f, f / (T) 0 * (T) 0) + 8 * islessgreater(f, g)", func(f, g float64) float64 {
			return float64(btoi(g != 0) + 2 + 4 + 8*btoi(f != g))
		}},
	}
	for _, precision := range []string{"float", "double"} {
		var all ofItems
		for _, c := range functions {
			all = append(all, ofItems{{"(int) rint(100 * (" + c.text + "))", func(i item) uint32 {
				return uint32(int32(math.RoundToEven(100 * c.of(float64(i.t-7), float64(i.t&3)))))
			}}}...)
		}
		all.near(t, strings.Replace("#define T "+precision+"\n#define T2 "+precision+"2\n"+severalResults+openCL, "float f = (float) (t - 7), g = (float) (t & 3);", "T f = t - 7, g = t & 3;", 1), 1)
	}
}

// TestIntegers: functions of integers of OpenCL C, of all widths.
func TestIntegers(t *testing.T) {
	wide := func(i item) int64 { return int64(uint64(uint32(i.x))<<32 | uint64(i.y)) }
	var all ofItems
	for _, n := range []int{8, 16, 32} {
		name := map[int]string{8: "char", 16: "short", 32: "int"}[n]
		s := func(v int32) int64 { return int64(v) << (64 - n) >> (64 - n) }
		u := func(v uint32) uint64 { return uint64(v) << (64 - n) >> (64 - n) }
		low, high, most := int64(-1)<<(n-1), int64(1)<<(n-1)-1, int64(1)<<n-1
		text := func(format string) string {
			return strings.NewReplacer("U", "(u"+name+")", "S", "("+name+")").Replace(format)
		}
		all = append(all, ofItems{
			{text("add_sat(S x, S z)"), func(i item) uint32 { return uint32(clamp(low, s(i.x)+s(i.z), high)) }},
			{text("add_sat(U x, U y)"), func(i item) uint32 { return uint32(clamp(0, int64(u(uint32(i.x))+u(i.y)), most)) }},
			{text("sub_sat(S x, S z)"), func(i item) uint32 { return uint32(clamp(low, s(i.x)-s(i.z), high)) }},
			{text("sub_sat(U x, U y)"), func(i item) uint32 { return uint32(clamp(0, int64(u(uint32(i.x)))-int64(u(i.y)), most)) }},
			{text("mad_sat(S x, S z, S y)"), func(i item) uint32 { return uint32(clamp(low, s(i.x)*s(i.z)+s(int32(i.y)), high)) }},
			{text("mad_sat(U x, U y, U z)"), func(i item) uint32 {
				return uint32(min(u(uint32(i.x))*u(i.y)+u(uint32(i.z)), uint64(most)))
			}},
			{text("mul_hi(S x, S z)"), func(i item) uint32 { return uint32(s(i.x) * s(i.z) >> n) }},
			{text("mad_hi(U x, U y, U z)"), func(i item) uint32 { return uint32(u(uint32(u(uint32(i.x))*u(i.y)>>n) + uint32(i.z))) }},
			{text("rotate(U x, U y)"), func(i item) uint32 {
				by := int(i.y) & (n - 1)
				v := u(uint32(i.x))
				return uint32(u(uint32(v<<by | v>>(n-by))))
			}},
			{text("abs_diff(U x, U y)"), func(i item) uint32 { return uint32(max(u(uint32(i.x)), u(i.y)) - min(u(uint32(i.x)), u(i.y))) }},
			{text("clz(U x) + 100 * ctz(U y)"), func(i item) uint32 {
				return uint32(u(uint32(bits32.LeadingZeros64(u(uint32(i.x)))-64+n))) + 100*uint32(min(bits32.TrailingZeros64(u(i.y)), n))
			}},
			{text("popcount(S x)"), func(i item) uint32 { return uint32(bits32.OnesCount64(u(uint32(i.x)))) }},
		}...)
	}
	all = append(all, ofItems{
		{"(uint) (rotate((ulong) x << 32 | y, (ulong) z) >> 20)", func(i item) uint32 { return uint32(bits32.RotateLeft64(uint64(wide(i)), int(i.z&63)) >> 20) }},
		{"(uint) (add_sat((long) x << 32 | y, (long) z << 32) >> 24)", func(i item) uint32 {
			a, b := wide(i), int64(i.z)<<32
			if s := a + b; (a^s)&(b^s) >= 0 {
				return uint32(s >> 24)
			}
			return uint32((a>>63 ^ math.MaxInt64) >> 24)
		}},
		{"(uint) (mad_sat((long) x, (long) z << 20, (long) y) >> 4)", func(i item) uint32 {
			hi, lo := bits32.Mul64(uint64(max(int64(i.x), -int64(i.x))), uint64(max(int64(i.z), -int64(i.z)))<<20)
			if (i.x < 0) != (i.z < 0) {
				lo, hi = -lo, ^hi+map[bool]uint64{true: 1}[lo == 0]
			}
			lo, carry := bits32.Add64(lo, uint64(i.y), 0)
			hi += carry
			switch {
			case int64(lo)>>63 == int64(hi):
				return uint32(int64(lo) >> 4)
			case int64(hi) < 0:
				return uint32(math.MinInt64 >> 4 & math.MaxUint32)
			}
			return uint32(math.MaxInt64 >> 4 & math.MaxUint32)
		}},
		{"(uint) (ctz((ulong) y << 32) + 100 * clz((ulong) y) + 10000 * popcount((long) x))", func(i item) uint32 {
			return uint32(bits32.TrailingZeros64(uint64(i.y)<<32) + 100*bits32.LeadingZeros64(uint64(i.y)) + 10000*bits32.OnesCount64(uint64(i.x)))
		}},
		{"amd_median3(x, z, t) + amd_min3(y, 5u, 9u) + amd_bfe(y, 4u, 7u)", func(i item) uint32 {
			m := max(min(i.x, i.z), min(max(i.x, i.z), int32(i.t)))
			return uint32(m) + min(i.y, 5) + i.y>>4&127
		}},
	}...)
	all.check(t, openCL)
}
