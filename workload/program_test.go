package workload

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/transform"
	"gpuperf/samples"
)

// sumOf adds n numbers by two kernels.
func sumOf(t *testing.T, second string) *ProgramCase {
	t.Helper()
	var kernels []*kernel.Kernel
	part := &kernel.Array{Name: "part", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 8}}}
	for _, spec := range []kernel.Spec{
		{Name: "parts", Domains: []string{"{[g,l]: 0<=g<8 and 0<=l<n}"}, Instructions: "part[g] = halve(sum(l, x[g, l]))", DTypes: map[string]expr.DType{"x": "float32"}},
		{Name: "total", Domains: []string{"{[k]: 0<=k<8 and n >= 1}"}, Instructions: second},
	} {
		body, err := expr.Parse("0.5f*x")
		if err != nil {
			t.Fatal(err)
		}
		spec.Functions = []*kernel.Function{{Name: "halve", Params: []kernel.FunctionParam{{Name: "x", DType: "float32"}}, Result: "float32", Def: body}}
		spec.Args = []*kernel.Array{part}
		k, err := kernel.Make(spec)
		if err == nil && spec.Name == "parts" {
			k, err = transform.TagInames(k, "g:g.0")
		}
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, k)
	}
	return &ProgramCase{
		Program: NewProgram(&kernel.Program{Name: "sum", Kernels: kernels, Scratch: []string{"part"}}), Sizes: map[string]int64{"n": 20},
		Identity: samples.Identity{Source: "test"},
	}
}

// TestProgram runs a program of two kernels on the device: the second finds what the first wrote, in every run.
func TestProgram(t *testing.T) {
	dev := devicetest.Open(t)
	c := sumOf(t, "y[0] = halve(sum(k, part[k]))")
	if err := c.Compare(context.Background(), dev); err != nil {
		t.Fatal(err)
	}
	c.Interface = dev.Info().Interface
	job, err := c.Job(device.Policy{Trials: 3, MinWarmUp: -1, MaxWarmUp: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(job.Source, " halve_(float") + strings.Count(job.Source, " halve(float"); n != 1 || len(job.Then) != 1 {
		t.Errorf("%d definitions of the function, %d further launches\n%s", n, len(job.Then), job.Source)
	}
	if r, err := dev.Run(context.Background(), job); err != nil || len(r.Trials) < 1 {
		t.Errorf("%v", err)
	}
	c.Sizes = map[string]int64{"n": 1 << 20}
	if err := c.Compare(context.Background(), dev); !errors.Is(err, ErrUnverified) {
		t.Errorf("a program that is too large: %v", err)
	}
}

// An update in place starts from the same data in every run.
func TestProgramInPlace(t *testing.T) {
	dev := devicetest.Open(t)
	c := sumOf(t, "x[k, 0] = x[k, 0] + part[k]")
	x := c.Kernels[1].IR.Array("x")
	x.Shape, x.DType = c.Kernels[0].IR.Array("x").Shape, "float32"
	c.Program = NewProgram(c.IR)
	if err := c.Compare(context.Background(), dev); err != nil {
		t.Fatal(err)
	}
	job, err := c.Job(device.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	job.Policy.Trials = 3
	job.Keep = []string{"x"}
	for _, a := range job.Buffers() {
		if want := a.Name == "x"; (a.Read && a.Write) != want {
			t.Errorf("%s is read %t and written %t", a.Name, a.Read, a.Write)
		}
	}
}

// TestLaunchErrors: what is wrong with a later launch is told with its name.
func TestLaunchErrors(t *testing.T) {
	job, err := sumOf(t, "y[0] = halve(sum(k, part[k]))").Job(device.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	job.Then[0].Global = []int64{0, 1, 1}
	if err := job.Check(device.Limits{}); err == nil || !strings.Contains(err.Error(), "launch 2, total: dimension 0 of the launch has 0 work-items") {
		t.Error(err)
	}
	job, _ = sumOf(t, "y[0] = halve(sum(k, part[k]))").Job(device.Policy{})
	job.Then[0].Args[0].Count++
	if err := job.Check(device.Limits{}); err == nil || !strings.Contains(err.Error(), "part has 8 elements of float32 in one place and 9") {
		t.Error(err)
	}
}

// TestEstimatedRounding: where the bound of rounding errors grows without end, but the errors do not, an estimate takes its place. A result that is off by
// more is wrong, and elements that are nothing but rounding are not compared.
func TestEstimatedRounding(t *testing.T) {
	at := func(n int64, noise string) (*Reference, map[string][]byte) {
		k, err := kernel.Make(kernel.Spec{
			Name: "stable", Domains: []string{"{[t]: 0<=t<n}", "{[i]: 0<=i<8}"},
			Instructions: "for t\nx[i] = 0.75*x[i] + 0.5*y[i] {id=step}\ny[i] = 2.5*y[i] - 1.5*y[i] {id=other, dep=step}\nz[i] = " + noise + " {dep=other}\nend",
			DTypes:       map[string]expr.DType{"x": "float64", "y": "float64", "z": "float64"},
		})
		if err != nil {
			t.Fatal(err)
		}
		c := &ProgramCase{
			Program: NewProgram(&kernel.Program{Name: "stable", Kernels: []*kernel.Kernel{k}}), Sizes: map[string]int64{"n": n},
			Identity: samples.Identity{Source: "test"}, Meaning: NewKernel(k),
		}
		job, err := c.Job(device.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		ref, err := c.Reference(job)
		if err != nil {
			t.Fatal(err)
		}
		results := map[string][]byte{}
		for name, e := range ref.arrays {
			results[name] = e.want.Bytes()
		}
		return ref, results
	}
	if ref, _ := at(3, "y[i]"); ref.Estimated {
		t.Error("the bound of three steps says enough")
	}
	ref, results := at(100, "(y[i]/3)*3 - y[i]")
	if err := ref.Check(results); err != nil || !ref.Estimated {
		t.Errorf("estimated %v, %v", ref.Estimated, err)
	}
	all, err := ref.Differences(results)
	if err != nil || all["x"] != (Difference{}) || all["z"].Vague != 8 {
		t.Errorf("%v, %v", all, err)
	}
	x, _ := interp.FromBytes("float64", results["x"])
	for _, c := range []struct {
		off   float64
		wrong bool
	}{{1e-15, false}, {1e-9, true}} {
		moved := x.Clone()
		moved.Set(3, moved.At(3)*(1+c.off))
		results["x"] = moved.Bytes()
		if err := ref.Check(results); (err != nil) != c.wrong {
			t.Errorf("off by %g: %v", c.off, err)
		}
	}
}
