package features

import (
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel/script"
)

// TestLoops: what stands on the chains of loops, counted by hand.
func TestLoops(t *testing.T) {
	const tail = "\nk = lp.add_dtypes(k, {\"a\": \"float32\", \"x\": \"float32\", \"y\": \"float32\"})"
	for _, c := range []struct {
		name, text string
		sizes      map[string]int64
		want       map[string]float64
	}{
		{
			"a reduction waits for its sum alone", `k = lp.make_kernel("{[i,j]: 0<=i,j<n}", "y[i] = sum(j, a[i,j]*x[j])")`,
			map[string]int64{"n": 10},
			map[string]float64{
				"f_loop_trips_iname:j": 100, "f_loop_trips_iname:i": 10, "f_loop_size_iname:j": 100 * (3 + 3 + 2 + 2),
				"f_loop_path_global_iname:j": 100, "f_loop_path_float32_madd_iname:j": 100, "f_loop_path_float32_add_iname:j": 0,
				"f_loop_carried_float32_madd_iname:j": 100, "f_loop_carried_global_iname:j": 0, "f_loop_trips_iname:k": 0,
			},
		},
		{
			"a recurrence", `k = lp.make_kernel("{[j]: 0<=j<n}", ["<> v = 1.0f {id=first}", "for j", "v = 2/exp(v*v + v) {id=next, dep=first}", "end", "y[0] = v + x[0] {dep=next}"], [lp.GlobalArg("a", shape="n"), "..."])`,
			map[string]int64{"n": 7},
			map[string]float64{
				"f_loop_trips": 7, "f_loop_path_float32_madd_iname:j": 7, "f_loop_path_float32_func:exp": 7, "f_loop_path_float32_div": 7, "f_loop_size": 7 * (3 + 2 + 8 + 8),
				"f_loop_carried_float32_madd": 7, "f_loop_carried_float32_func:exp": 7, "f_loop_carried_float32_div": 7, "f_loop_path_float32_mul": 0,
			},
		},
		{
			"a sum of chains of their own", `k = lp.make_kernel("{[j]: 0<=j<n}", "y[0] = sum(j, exp(x[j]*x[j] + x[j] + 1)*a[j])")`,
			map[string]int64{"n": 5},
			map[string]float64{
				"f_loop_path_global": 5, "f_loop_path_float32_madd": 10, "f_loop_path_float32_add": 5, "f_loop_path_float32_func:exp": 5,
				"f_loop_carried_float32_madd": 5, "f_loop_carried_float32_add": 0, "f_loop_carried_float32_func:exp": 0,
			},
		},
		{
			"parentheses stand", `k = lp.make_kernel("{[j]: 0<=j<n}", ["<> v = 1.0f {id=first}", "for j", "v = v + (x[j] + x[j+1] + 1) {id=next, dep=first}", "end", "y[0] = v + a[0] {dep=next}"], [lp.GlobalArg("x", shape="n+1"), lp.GlobalArg("a", shape="n"), "..."])`,
			map[string]int64{"n": 5},
			map[string]float64{"f_loop_path_float32_add": 15, "f_loop_carried_float32_add": 5},
		},
		{
			"two recurrences, of which the longer counts, and a longer chain that is none",
			`k = lp.make_kernel("{[j]: 0<=j<n}", ["<> v = 1.0f {id=first}", "<> w = 1.0f {id=second}", "for j", "v = v + 1 {id=next, dep=first}", "w = w*3 + 1 + 2 {id=other, dep=second}", "<> z = exp(exp(x[j])) {id=apart}", "y[j] = z {dep=apart}", "end", "a[0] = v + w {dep=next:other}"], [lp.GlobalArg("a", shape="n"), "..."])`,
			map[string]int64{"n": 4},
			map[string]float64{
				"f_loop_path_float32_func:exp": 8, "f_loop_path_global": 4, "f_loop_path_float32_madd": 0,
				"f_loop_carried_float32_madd": 4, "f_loop_carried_float32_add": 4, "f_loop_carried_float32_func:exp": 0,
			},
		},
		{
			"copies of an unrolled body are one iteration", `k = lp.make_kernel("{[j]: 0<=j<n}", "y[0] = sum(j, x[j]*a[j])", assumptions="n >= 4 and n % 4 = 0")
k = lp.split_iname(k, "j", 4, inner_tag="unr")`,
			map[string]int64{"n": 16},
			map[string]float64{"f_loop_trips": 4, "f_loop_path_float32_madd": 16, "f_loop_carried_float32_madd": 16, "f_loop_path_global": 4, "f_loop_size": 4*3 + 16*(4+4+2)},
		},
		{
			"what the loop does not change is loaded before it", `k = lp.make_kernel("{[i,j]: 0<=i,j<n}", "y[i] = sum(j, a[i,j]*x[i])")`,
			map[string]int64{"n": 6},
			map[string]float64{"f_loop_size_iname:j": 36 * (3 + 3 + 2), "f_loop_path_global_iname:j": 36},
		},
		{
			"loops after each other have their own", `k = lp.make_kernel("{[j,l]: 0<=j<n and 0<=l<m}", ["<> s = sum(j, x[j]) {id=sum}", "a[l] = x[l]/s {dep=sum}"], [lp.GlobalArg("a", shape="m"), lp.GlobalArg("x", shape="n+m"), "..."])`,
			map[string]int64{"n": 6, "m": 3},
			map[string]float64{"f_loop_trips": 9, "f_loop_trips_iname:l": 3, "f_loop_path_float32_div": 3, "f_loop_path_float32_add": 6, "f_loop_path_global_iname:l": 3},
		},
		{
			"a function that declares its operations, however many",
			`_f = lp.Function("f", "v: float32", "float32", body="return v;", ops={"float32": {"add": 1000000000000, "mul": 0}})
k = lp.make_kernel("{[j]: 0<=j<n}", ["<> v = 1.0f {id=first}", "for j", "v = f(v) + x[j] {id=next, dep=first}", "end", "y[0] = v + a[0] {dep=next}"], [lp.GlobalArg("a", shape="n"), "..."], functions=[_f])`,
			map[string]int64{"n": 3},
			map[string]float64{"f_loop_path_float32_add": 3 * (1e12 + 1), "f_loop_carried_float32_add": 3 * (1e12 + 1), "f_loop_path_float32_mul": 0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text + tail
			if !strings.Contains(c.text, "y[") {
				text = strings.Replace(text, `, "y": "float32"`, "", 1)
			}
			variants, err := script.Exec("k.star", text)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Count(variants[0].Kernel, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range c.want {
				id, err := ParseID(name)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := s.Value(id, c.sizes); err != nil || got != want {
					t.Errorf("%s is %v, %v, want %v", name, got, err, want)
				}
			}
		})
	}
}

// TestLoopsAreListed: with what they have on their chains.
func TestLoopsAreListed(t *testing.T) {
	variants, err := script.Exec("k.star", `
k = lp.make_kernel("{[i,j]: 0<=i,j<n}", "y[i] = sum(j, a[i,j]*x[j])")
k = lp.split_iname(k, "i", 32, outer_tag="g.0", inner_tag="l.0")
k = lp.add_dtypes(k, {"a": "float32", "x": "float32", "y": "float32"})`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Count(variants[0].Kernel, Options{})
	if err != nil {
		t.Fatal(err)
	}
	loops, err := s.Loops()
	if err != nil || len(loops) != 1 || loops[0].Iname != "j" || !slices.Equal(loops[0].Path, []string{"float32_madd", "global"}) || !slices.Equal(loops[0].Carried, []string{"float32_madd"}) {
		t.Errorf("%v, %v", loops, err)
	}
}

// TestLongLoop: a body that is unrolled to millions of statements is refused, and soon.
func TestLongLoop(t *testing.T) {
	variants, err := script.Exec("k.star", `
k = lp.make_kernel("{[j,l]: 0<=j<3000000 and 0<=l<n}", "y[0] = sum([l,j], x[j+l])", [lp.GlobalArg("x", shape="n+3000000"), "..."])
k = lp.tag_inames(k, {"j": "unr"})
k = lp.add_dtypes(k, {"x": "float32", "y": "float32"})`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Count(variants[0].Kernel, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Loops(); err == nil || !strings.Contains(err.Error(), "loop l: ") || !strings.Contains(err.Error(), "too long to follow") {
		t.Errorf("%v", err)
	}
}

// TestLocalBytes: of all local arrays, also at sizes that they depend on.
func TestLocalBytes(t *testing.T) {
	variants, err := script.Exec("k.star", `
k = lp.make_kernel("{[i,j,k]: 0<=i,j,k<n}", "c[i,j] = sum(k, a[i,k]*b[k,j])", assumptions="n >= 16 and n % 16 = 0")
k = lp.split_iname(k, "i", 16, outer_tag="g.1", inner_tag="l.1")
k = lp.split_iname(k, "j", 16, outer_tag="g.0", inner_tag="l.0")
k = lp.split_iname(k, "k", 16)
k = lp.add_prefetch(k, "a", ["i_inner", "k_inner"])
k = lp.add_prefetch(k, "b", ["k_inner", "j_inner"])
k = lp.add_dtypes(k, {"a": "float32", "b": "float64", "c": "float64"})
plain = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 1.0f")`)
	if err != nil {
		t.Fatal(err)
	}
	id, err := ParseID("f_local_bytes")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{16*16*4 + 16*16*8, 0} {
		s, err := Count(variants[i].Kernel, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Value(id, map[string]int64{"n": 64}); err != nil || got != want {
			t.Errorf("%s: %v bytes, %v, want %v", s.Kernel, got, err, want)
		}
	}
}
