package ckernel

import (
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TestCheck: what a reading leaves is right, and each mistake in it is found.
func TestCheck(t *testing.T) {
	const text = "__kernel void f(__global float *a, int n) {\n  for (int i = 0; i < n; i++)\n    a[i] = a[i + n];\n  a[0] = 1;\n}\n"
	file, err := cfront.Parse(t.Context(), "a.cl", text, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := func() *flow {
		b := newBuilder(t.Context(), file, file.Function("f"), &Options{Local: []int64{32}, Groups: []string{"8"}}, newLearnt())
		if k, repeat, err := b.read(); k == nil || repeat || err != nil {
			t.Fatal(k, repeat, err)
		}
		return &b.flow
	}
	if err := read().check(); err != nil {
		t.Fatal(err)
	}
	in := func(f *flow) *record { // the statement in the loop
		for _, r := range f.records {
			if len(r.loops) > 0 {
				return r
			}
		}
		t.Fatal("no statement is in a loop")
		return nil
	}
	for _, c := range []struct {
		want    string
		mistake func(*flow)
	}{
		{"the statement of line 3 runs nowhere", func(f *flow) { in(f).live.domain = nil }},
		{"the statement of line 3 assigns nothing", func(f *flow) { in(f).rhs = nil }},
		{"has a guard that is not one of the flow", func(f *flow) { in(f).guard = &guard{} }},
		{"statements have a guard", func(f *flow) { in(f).guard = nil }},
		{"is in the loop i, which is not one of the flow in that place", func(f *flow) { f.loops = nil }},
		{"is in the loop i, which is not one of the flow in that place", func(f *flow) { in(f).loops = append(in(f).loops, in(f).loops...) }},
		{"is to no array of the flow", func(f *flow) { f.order = nil }},
		{"the access of line 3 has 2 subscripts, and a has 1 dimensions", func(f *flow) { f.accesses[0].subs = append(f.accesses[0].subs, constant(0)) }},
		{"assigns nothing", func(f *flow) {
			f.records = append(f.records, &record{kind: kernel.Assign, live: in(f).live, lhs: expr.Var{Name: "x"}})
		}},
	} {
		f := read()
		c.mistake(f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestAssumedOfGivenSizes: an assumption about a size that is given holds for the value, or is refused.
func TestAssumedOfGivenSizes(t *testing.T) {
	const text = "__kernel void f(__global float *a, int n) {\n  int i = get_global_id(0);\n  if (i < n) a[i] = 1;\n}\n"
	file, err := cfront.Parse(t.Context(), "a.cl", text, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64]string{256: "", 100: "no sizes satisfy the assumptions n % 128 = 0"} {
		opt := Options{Local: []int64{128}, Global: []string{"n"}, Assume: []string{"n % 128 = 0"}, At: map[string]int64{"n": n}}
		if _, err := Read(t.Context(), file, opt); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("n=%d: got %v, want %q", n, err, want)
		}
	}
}
