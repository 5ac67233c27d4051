package ckernel

import (
	"slices"
	"testing"

	"gpuperf/cfront"
)

// TestLeftOut: what is left out may have changed what it names, so that loops by these are by numbers that are not known; where it may have jumped, nothing behind it can be told.
func TestLeftOut(t *testing.T) {
	const sum = "for (int j = 0; j < m; j++) y[i] += x[j];"
	for _, c := range []struct {
		name, body string
		refused    bool
		trips      string // the name of how often a loop runs, which is not known
	}{
		{"a number that stays", `int m = 4; unknown::f<2>(x) ?: 2; ` + sum, false, ""},
		{"a number that is assigned", `int m = 4; m = unknown::f<2>(x) ?: 2; ` + sum, false, "trips_5"},
		{"a number by assembly", `int m = 4; asm("ldu.global.u32 %0, [%1];" : "=r"(m) : "l"(x)); ` + sum, false, "trips_5"},
		{"a number behind a pointer", `int m = 4; int *p = &m; p[0] = unknown::f<2>(x) ?: 2; ` + sum, false, "trips_5"},
		{"a pointer that is read", `int m = 4; asm("st.async.u32 [%0], %1;" :: "l"(x), "r"(n)); ` + sum, false, ""},
		{"a pointer by assembly", `asm("mov %0, %1;" : "=l"(x) : "r"(n)); y[i] = x[0];`, false, ""},
		{"a texture in memory", `struct s { cudaTextureObject_t t[2]; }; y[i] = tex3D<float>(((const s *) x)->t[1], 0.f, 0.f, 0.f);`, false, ""},
		{"a return", `if (unknown::f<2>(x) ... ) return; y[i] = x[i];`, true, ""},
		{"a jump to a label", `again: y[i] = 1; if (i >= unknown::f<2>(x) ... ) goto again; y[i] = x[0];`, true, ""},
		{"a break", `for (int j = 0; j < 8; j++) { if (unknown::f<2>(x) ... ) break; y[i] += x[j]; } y[i] = 1;`, false, ""},
		{"a loop with its own break", `unknown q; for (;;) { q ?? 1; break; } y[i] = 1;`, false, ""},
	} {
		text := "__global__ void f(float *y, const float *x, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ;\n  " + c.body + "\n}\n"
		f, err := cfront.Parse(t.Context(), "test.cu", text, cfront.Options{Language: cfront.CUDA, Opaque: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		k, err := Read(t.Context(), f, Options{Local: []int64{32}, Global: []string{"n"}, Opaque: true})
		if c.refused {
			if err == nil {
				t.Errorf("%s: it is read", c.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(k.Opaque) == 0 {
			t.Errorf("%s: nothing is left out", c.name)
		}
		if c.trips != "" && !slices.Contains(k.Params(), c.trips) {
			t.Errorf("%s: the parameters are %v", c.name, k.Params())
		}
		if c.trips == "" && slices.Contains(k.Params(), "trips_5") {
			t.Errorf("%s: a loop is by a number that is not known", c.name)
		}
	}
}
