package examples_test

import (
	"cmp"
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gpuperf/features"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/script"
	"gpuperf/workload"
)

// TestGeneral: the variants of each kernel on which the general model is developed or reported are all in suites, compute the same and are counted
// (those of every fourth suite, with LONG=1 of all); no kind of kernels is in both files.
func TestGeneral(t *testing.T) {
	files, err := evaluate.LoadAll([]string{"evaluation/choose.yaml", "evaluation/general.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("evaluation/general/*.star")
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string][]script.Variant{}
	left := map[string]bool{} // variants that no suite has named
	for _, path := range paths {
		if scripts[path], err = (script.Options{}).Load(context.Background(), path); err != nil {
			t.Fatal(err)
		}
		for _, v := range scripts[path] {
			left[path+"#"+v.Name] = true
		}
	}
	of := map[string]string{}
	for _, file := range files {
		for i, suite := range file.Suites {
			var kernels []*workload.Kernel
			for _, v := range suite.Variants {
				path := filepath.Join("evaluation", v.Script)
				if of[path] = cmp.Or(of[path], file.Path); of[path] != file.Path {
					t.Errorf("%s is in both files", path)
				}
				named, err := script.Named(path, scripts[path], v.Kernel)
				if err != nil || !left[path+"#"+v.Kernel] {
					t.Fatalf("%s has %s#%s: no such variant, or named twice (%v)", suite.Name, path, v.Kernel, err)
				}
				delete(left, path+"#"+v.Kernel)
				kernels = append(kernels, workload.NewKernel(named.Kernel))
			}
			if i%4 > 0 && os.Getenv("LONG") == "" {
				continue
			}
			t.Run(suite.Name, func(t *testing.T) {
				t.Parallel()
				alike(t, kernels)
			})
		}
	}
	if len(left) > 0 {
		t.Errorf("not in a suite: %v", slices.Sorted(maps.Keys(left)))
	}
}

// TestCold: the suites for cold caches are the first ones of each kind of kernels, so that their errors can be compared with those of warm caches.
func TestCold(t *testing.T) {
	files, err := evaluate.LoadAll([]string{"evaluation/choose.yaml", "evaluation/general.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	type computation struct {
		name     string
		sizes    []map[string]int64
		variants []string
	}
	list := func(f *evaluate.File, kinds map[string]bool) (out []computation) {
		for _, s := range f.Suites {
			if kind := strings.Fields(s.Name)[0]; !kinds[kind] {
				kinds[kind] = true
				c := computation{name: s.Name, sizes: s.Sizes}
				for _, v := range s.Variants {
					c.variants = append(c.variants, v.Name+" "+v.Script+"#"+v.Kernel+" "+v.Model)
				}
				out = append(out, c)
			}
		}
		return out
	}
	var want []computation
	for _, f := range files {
		want = append(want, list(f, map[string]bool{})...)
	}
	cold, err := evaluate.Load("evaluation/cold.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := list(cold, map[string]bool{}); len(got) != len(cold.Suites) || !reflect.DeepEqual(got, want) {
		t.Errorf("the suites are\n%v\nnot\n%v", got, want)
	}
}

// TestCPU: the suites for CPUs are those of the same names, at other sizes, and no more than a CPU measures in minutes.
func TestCPU(t *testing.T) {
	files, err := evaluate.LoadAll([]string{"evaluation/choose.yaml", "evaluation/general.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	names := func(s evaluate.Suite) (out []string) {
		for _, v := range s.Variants {
			out = append(out, v.Name+" "+v.Script+"#"+v.Kernel)
		}
		return out
	}
	known := map[string][]string{}
	for _, f := range files {
		for _, s := range f.Suites {
			known[s.Name] = names(s)
		}
	}
	cpu, err := evaluate.Load("evaluation/cpu.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kinds, points := map[string]bool{}, 0
	for _, s := range cpu.Suites {
		kinds[strings.Fields(s.Name)[0]] = true
		points += len(s.Variants) * len(s.Sizes)
		if !slices.Equal(names(s), known[s.Name]) {
			t.Errorf("%s has other variants than the suite of this name", s.Name)
		}
	}
	if len(kinds) < 10 || points > 100 {
		t.Errorf("%d points of %d kinds", points, len(kinds))
	}
}

// alike checks that the kernels compute the same at a small size that all of them allow, and that they can be counted.
func alike(t *testing.T, kernels []*workload.Kernel) {
	size, step := map[string]int64{}, map[string]int64{}
	for _, k := range kernels {
		c := &workload.Case{Kernel: k}
		small, err := c.Small()
		if err != nil {
			t.Fatal(err)
		}
		for p, v := range small.Sizes {
			_, each, err := c.Values(p)
			if err != nil {
				t.Fatal(err)
			}
			before := max(step[p], 1)
			step[p] = before / intmath.GCD(before, each) * each
			size[p] = max(size[p], v)
		}
	}
	for p, each := range step {
		size[p] = intmath.CeilDiv(size[p], each) * each
	}
	var first map[string]*result
	for _, k := range kernels {
		if _, err := k.Statistics(features.Options{}); err != nil {
			t.Fatal(err)
		}
		got := results(t, k, size)
		if first == nil {
			first = got
		}
		if len(got) == 0 || len(got) != len(first) {
			t.Fatalf("%s writes %d arrays", k.IR.Name, len(got))
		}
		for name, want := range first {
			if at := want.differs(got[name]); at >= 0 {
				t.Fatalf("%v: element %d of %s is not the same by %s as by %s", size, at, name, k.IR.Name, kernels[0].IR.Name)
			}
		}
	}
}

// result is what a kernel writes to an array: the buffer, and the places of the elements in C order.
type result struct {
	*interp.Buffer
	places []int
}

// differs is the first element by which the results differ more than rounding explains, or that one of them lacks; -1 for none.
func (r *result) differs(other *result) int {
	if other == nil || len(r.places) != len(other.places) {
		return 0
	}
	for i, at := range r.places {
		if to := other.places[i]; !r.Defined(at) || !other.Defined(to) || !(math.Abs(r.At(at)-other.At(to)) <= r.Err(at)+other.Err(to)) {
			return i
		}
	}
	return -1
}

// results runs the kernel on data that depend on names and indices alone.
func results(t *testing.T, k *workload.Kernel, size map[string]int64) map[string]*result {
	nest, err := k.Nest()
	if err != nil {
		t.Fatal(err)
	}
	buffers, out := map[string]*interp.Buffer{}, map[string]*result{}
	for _, a := range nest.Kernel.Args {
		if _, isSize := size[a.Name]; isSize {
			continue
		}
		places := flat(t, a, size)
		b := interp.NewBuffer(a.DType, slices.Max(places)+1)
		if len(nest.Kernel.Writers(a.Name)) > 0 {
			out[a.Name] = &result{b, places}
		}
		if out[a.Name] == nil || len(nest.Kernel.Readers(a.Name)) > 0 {
			fill(t, nest.Kernel, a.Name, b, places, size)
		}
		buffers[a.Name] = b
	}
	if _, err := interp.Run(nest, size, buffers); err != nil {
		t.Fatal(err)
	}
	return out
}

// fill gives an array the values that the kernel assumes, or numbers from 1 to 16, as floats a 16th of them.
func fill(t *testing.T, k *kernel.Kernel, array string, b *interp.Buffer, places []int, size map[string]int64) {
	value := func(i int64) int64 { return (7*i*i+3*i+int64(array[0]))%16 + 1 }
	for _, v := range k.Values {
		if v.Array == array {
			value = func(i int64) int64 {
				at := maps.Clone(size)
				at[v.Index] = i
				n, ok := expr.EvalInt64(v.Value, at)
				if !ok {
					t.Fatalf("%s has no value", v)
				}
				return n
			}
		}
	}
	for i, at := range places {
		if n := value(int64(i)); b.DType.IsFloat() {
			b.Set(at, float64(n)/16)
		} else {
			b.SetInt(at, n)
		}
	}
}
