package interp_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/transform"
)

// sum is a reduction by two kernels: work-groups add up parts, and one work-item the sums of these.
func sum(t *testing.T, first string) *kernel.Program {
	t.Helper()
	make := func(spec kernel.Spec, tags string) *kernel.Kernel {
		k, err := kernel.Make(spec)
		if err == nil && tags != "" {
			k, err = transform.TagInames(k, tags)
		}
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	part := &kernel.Array{Name: "part", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 4}}}
	types := map[string]expr.DType{"x": "float32"}
	return &kernel.Program{Name: "sum", Scratch: []string{"part"}, Kernels: []*kernel.Kernel{
		make(kernel.Spec{Name: "parts", Domains: []string{"{[g,l]: 0<=g<4 and 0<=l<n}"}, Instructions: first, Args: []*kernel.Array{part}, DTypes: types}, "g:g.0"),
		make(kernel.Spec{Name: "total", Domains: []string{"{[k]: 0<=k<4}"}, Instructions: "y[0] = sum(k, part[k])", Args: []*kernel.Array{part}}, ""),
	}}
}

func TestRunProgram(t *testing.T) {
	const n = 5
	x := interp.NewBuffer("float32", 4*n)
	for i := range 4 * n {
		x.Set(i, float64(i))
	}
	y := interp.NewBuffer("float32", 1)
	buffers := map[string]*interp.Buffer{"x": x, "y": y}
	reports, err := interp.RunProgram(sum(t, "part[g] = sum(l, x[g, l])"), map[string]int64{"n": n}, buffers)
	if err != nil {
		t.Fatal(err)
	}
	if y.At(0) != 190 || len(reports) != 2 || reports[1].Loads["part"] != 4 {
		t.Errorf("the sum is %v after %d kernels", y.At(0), len(reports))
	}
	// What the first kernel leaves out, the second does not find.
	p := sum(t, "part[g] = sum(l, x[g, l])  {if=g != 2}")
	if _, err := interp.RunProgram(p, map[string]int64{"n": n}, map[string]*interp.Buffer{"x": x, "y": y}); err == nil || !strings.Contains(err.Error(), "read before anything was written") {
		t.Errorf("an element of scratch that is not written: %v", err)
	}
}

func TestProgramCheck(t *testing.T) {
	for want, change := range map[string]func(p *kernel.Program){
		"has no kernels":                        func(p *kernel.Program) { p.Kernels = nil },
		"two kernels are named total":           func(p *kernel.Program) { p.Kernels[0] = p.Kernels[0].Rename("total") },
		"q is not an array argument":            func(p *kernel.Program) { p.Scratch = []string{"q"} },
		"reads part, which no kernel before it": func(p *kernel.Program) { p.Kernels = p.Kernels[1:] },
		"part is global float64 [4] in kernel p": func(p *kernel.Program) {
			k := *p.Kernels[0]
			a := *k.Array("part")
			a.DType = "float64"
			k.Args = []*kernel.Array{&a, k.Array("x"), k.Array("n")}
			p.Kernels[0] = &k
		},
	} {
		p := sum(t, "part[g] = sum(l, x[g, l])")
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		change(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
