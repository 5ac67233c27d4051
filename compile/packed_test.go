package compile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const cudaC = `__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  int t = threadIdx.x;
  int x = a[t]; unsigned y = b[t]; int z = c[t];
%s}`

// TestParts: functions of the bytes and halves of words are those of each of them.
func TestParts(t *testing.T) {
	signedOnes := func(of func(a, b int64) int64) func(a, b int64, bits int) int64 {
		return func(a, b int64, bits int) int64 { return of(a<<(64-bits)>>(64-bits), b<<(64-bits)>>(64-bits)) }
	}
	bare := func(of func(a, b int64) int64) func(a, b int64, bits int) int64 {
		return func(a, b int64, bits int) int64 { return of(a, b) }
	}
	kept := func(a int64, signed bool, bits int) int64 {
		if signed {
			return clamp(-1<<(bits-1), a, 1<<(bits-1)-1)
		}
		return clamp(0, a, 1<<bits-1)
	}
	whole := func(is bool) int64 { return -int64(oneIf(is)) }
	var all ofItems
	functions := map[string]func(a, b int64, bits int) int64{
		"add": bare(func(a, b int64) int64 { return a + b }), "sub": bare(func(a, b int64) int64 { return a - b }),
		"addus": func(a, b int64, bits int) int64 { return kept(a+b, false, bits) },
		"subus": func(a, b int64, bits int) int64 { return kept(a-b, false, bits) },
		"addss": func(a, b int64, bits int) int64 {
			return kept(signedOnes(func(a, b int64) int64 { return a + b })(a, b, bits), true, bits)
		},
		"subss": func(a, b int64, bits int) int64 {
			return kept(signedOnes(func(a, b int64) int64 { return a - b })(a, b, bits), true, bits)
		},
		"maxs":     signedOnes(func(a, b int64) int64 { return max(a, b) }),
		"mins":     signedOnes(func(a, b int64) int64 { return min(a, b) }),
		"maxu":     bare(func(a, b int64) int64 { return max(a, b) }),
		"minu":     bare(func(a, b int64) int64 { return min(a, b) }),
		"avgu":     bare(func(a, b int64) int64 { return (a + b + 1) >> 1 }),
		"haddu":    bare(func(a, b int64) int64 { return (a + b) >> 1 }),
		"avgs":     signedOnes(func(a, b int64) int64 { return (a + b + 1) >> 1 }),
		"absdiffu": bare(func(a, b int64) int64 { return max(a, b) - min(a, b) }),
		"absdiffs": signedOnes(func(a, b int64) int64 { return max(a, b) - min(a, b) }),
		"cmpeq":    bare(func(a, b int64) int64 { return whole(a == b) }),
		"cmpne":    bare(func(a, b int64) int64 { return whole(a != b) }),
		"cmpgeu":   bare(func(a, b int64) int64 { return whole(a >= b) }),
		"cmpgts":   signedOnes(func(a, b int64) int64 { return whole(a > b) }),
		"cmples":   signedOnes(func(a, b int64) int64 { return whole(a <= b) }),
		"setltu":   bare(func(a, b int64) int64 { return -whole(a < b) }),
		"setne":    bare(func(a, b int64) int64 { return -whole(a != b) }),
		"neg":      bare(func(a, _ int64) int64 { return -a }),
		"negss": func(a, _ int64, bits int) int64 {
			return kept(signedOnes(func(a, _ int64) int64 { return -a })(a, 0, bits), true, bits)
		},
		"abs": signedOnes(func(a, _ int64) int64 { return max(a, -a) }),
		"absss": func(a, _ int64, bits int) int64 {
			return kept(signedOnes(func(a, _ int64) int64 { return max(a, -a) })(a, 0, bits), true, bits)
		},
		"sadu": bare(func(a, b int64) int64 { return max(a, b) - min(a, b) }),
		"sads": signedOnes(func(a, b int64) int64 { return max(a, b) - min(a, b) }),
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		of := functions[name]
		for _, lanes := range []int{2, 4} {
			args := "x, y"
			if strings.HasPrefix(name, "neg") || strings.HasPrefix(name, "abs") && !strings.HasPrefix(name, "absdiff") {
				args = "x"
			}
			all = append(all, ofItems{{fmt.Sprintf("__v%s%d(%s)", name, lanes, args), func(i item) (out uint32) {
				bits := 32 / lanes
				for k := range lanes {
					part := func(v uint32) int64 { return int64(v >> (bits * k) & (1<<bits - 1)) }
					r := uint32(of(part(uint32(i.x)), part(i.y), bits)) & (1<<bits - 1)
					if strings.HasPrefix(name, "sad") {
						out += r
					} else {
						out |= r << (bits * k)
					}
				}
				return out
			}}}...)
		}
	}
	all.check(t, cudaC)
}

// TestOfThree: minima and maxima of sums and of three numbers, which dynamic programming has.
func TestOfThree(t *testing.T) {
	halves := func(i item, of func(x, y, z int16) int16) uint32 {
		part := func(k int) uint32 { return uint32(uint16(of(int16(i.x>>k), int16(i.y>>k), int16(i.z>>k)))) << k }
		return part(0) | part(16)
	}
	ofItems{
		{"__viaddmax_s32(x, y, z)", func(i item) uint32 { return uint32(max(i.x+int32(i.y), i.z)) }},
		{"__viaddmin_u32(x, y, z)", func(i item) uint32 { return min(uint32(i.x)+i.y, uint32(i.z)) }},
		{"__vimax3_s32_relu(x, y, z)", func(i item) uint32 { return uint32(max(i.x, int32(i.y), i.z, 0)) }},
		{"__vimin3_u32(x, y, z)", func(i item) uint32 { return min(uint32(i.x), i.y, uint32(i.z)) }},
		{"__vimax_s32_relu(x, z) + __vimin_s32_relu(x, z)", func(i item) uint32 { return uint32(max(i.x, i.z, 0) + max(min(i.x, i.z), 0)) }},
		{"__viaddmax_s16x2_relu(x, y, z)", func(i item) uint32 { return halves(i, func(x, y, z int16) int16 { return max(x+y, z, 0) }) }},
		{"__vimin3_s16x2(x, y, z)", func(i item) uint32 { return halves(i, func(x, y, z int16) int16 { return min(x, y, z) }) }},
		{"__vimax_s16x2_relu(x, z)", func(i item) uint32 { return halves(i, func(x, _, z int16) int16 { return max(x, z, 0) }) }},
	}.check(t, cudaC)
}
