package scop_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/cfront"
	"gpuperf/features"
	"gpuperf/internal/ctest/scoptest"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// start is what an element holds before the region.
func start(array, index string) float64 {
	h := 7
	for _, c := range []byte(array + "[" + index) {
		h = (31*h + int(c)) % 1009
	}
	return float64(h%19 - 6)
}

// checkRegion compares a nest with runs of the text: its accesses in their order, the counts of its kernel, and what the kernel computes.
func checkRegion(t fataler, r *cfront.Region, n *scop.Nest, sizes []map[string]int64) {
	k, err := n.Kernel()
	if err != nil {
		t.Fatalf("kernel: %v", err)
	}
	stats, err := features.Count(k, features.Options{ExactBranches: true, FreeControl: true, NoMadd: true})
	if err != nil {
		t.Fatalf("count: %v\n%s", err, k)
	}
	for _, w := range stats.Warnings {
		if !errors.Is(w, polycount.ErrBudget) { // what exceeds the limit of work is told, and is not counted
			t.Fatalf("count: %v\n%s", stats.Warnings, k)
		}
	}
	nest, err := linear.New(k)
	if err != nil {
		t.Fatalf("linear: %v\n%s", err, k)
	}
	for _, at := range sizes {
		trace, err := scoptest.Run(r, at, start, 100_000)
		if err != nil {
			t.Fatalf("run at %v: %v", at, err)
		}
		at = maps.Clone(at)
		for _, name := range []string{"p", "q", "z"} { // where they are not assigned
			at[name] = int64(start(name, ""))
		}
		for name, e := range n.Given { // what a variable has before the region
			at[name] = int64(start(e.(*cfront.Ref).Var.Name, ""))
		}
		checkFinals(t, n, at, trace)
		checkOrder(t, n, at, trace)
		if len(stats.Warnings) == 0 && !slices.ContainsFunc(n.Arrays, func(a *scop.Array) bool { return a.Scattered() }) {
			checkCounts(t, n, k, stats, at, trace)
		}
		checkValues(t, n, nest, at, trace)
	}
}

type fataler interface {
	Fatalf(format string, args ...any)
}

// helper reports names that the front end makes for values of chained assignments, and integers that only values use: a run has no accesses to them.
func helper(n *scop.Nest, name string) bool {
	a := n.Array(name)
	return a == nil || len(a.Shape) == 0 && a.DType == expr.Int32 || strings.HasPrefix(name, "value") || strings.HasPrefix(name, "holds") || len(a.Shape) == 0 && a.DType.IsInteger() && !a.Written
}

// checkOrder compares the accesses of all points of all statements, in the order of the schedule, with those of the run.
func checkOrder(t fataler, n *scop.Nest, at map[string]int64, trace *scoptest.Trace) {
	type instance struct {
		order []int64
		s     *scop.Statement
		point map[string]int64
	}
	var all []instance
	for _, s := range n.Statements {
		points, err := s.Domain.Points(at, 100_000)
		if err != nil {
			t.Fatalf("%s at %v: %v", s.Domain, at, err)
		}
		for _, p := range points {
			in := instance{s: s, point: map[string]int64{}}
			maps.Copy(in.point, at)
			for i, v := range p {
				in.point[s.Iterators[i]] = v
			}
			for _, a := range s.Order {
				v, err := a.Eval(in.point)
				if err != nil {
					t.Fatalf("%s: %v", a, err)
				}
				in.order = append(in.order, v)
			}
			all = append(all, in)
		}
	}
	slices.SortStableFunc(all, func(a, b instance) int { return slices.Compare(a.order, b.order) })
	var got []scoptest.Touch
	for _, in := range all {
		for _, a := range in.s.Accesses {
			if helper(n, a.Array.Name) {
				continue
			}
			if a.Where != nil {
				if inside, err := a.Where.Contains(in.point); err != nil {
					t.Fatalf("%s: %v", a.Where, err)
				} else if !inside {
					continue
				}
			}
			var index []string
			for _, x := range a.Index {
				v, err := x.Eval(in.point)
				if err != nil {
					t.Fatalf("%s: %v", x, err)
				}
				index = append(index, fmt.Sprint(v))
			}
			got = append(got, scoptest.Touch{Array: a.Array.Name, Index: strings.Join(index, ","), Write: a.Write})
		}
	}
	want := slices.DeleteFunc(spread(n, trace.Touches), func(x scoptest.Touch) bool { return helper(n, x.Array) })
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("at %v, access %d of %d and %d: the nest has %v, the run %v\n%s", at, i, len(got), len(want), got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))], n)
		}
	}
}

// spread has accesses to arrays whose subscripts are not affine as nests have them: with 0 in dimensions that are not, and a read before each write.
func spread(n *scop.Nest, touches []scoptest.Touch) (out []scoptest.Touch) {
	unknown := map[string][]bool{}
	for _, a := range n.Arrays {
		unknown[a.Name] = a.Any
	}
	for _, t := range touches {
		if dims := unknown[t.Array]; dims != nil {
			index := strings.Split(t.Index, ",")
			for d, is := range dims {
				if is {
					index[d] = "0"
				}
			}
			if t.Index = strings.Join(index, ","); t.Write {
				out = append(out, scoptest.Touch{Array: t.Array, Index: t.Index})
			}
		}
		out = append(out, t)
	}
	return out
}

// checkFinals compares what is known of integers after the region.
func checkFinals(t fataler, n *scop.Nest, at map[string]int64, trace *scoptest.Trace) {
	for v, list := range n.Finals {
		want, assigned := trace.Integers[v.Name]
		if !assigned {
			continue
		}
		found := 0
		for _, f := range list {
			if f.When != nil {
				if in, err := f.When.Contains(at); err != nil {
					t.Fatalf("%s: %v", f.When, err)
				} else if !in {
					continue
				}
			}
			found++
			if got, err := f.Value.Eval(at); err != nil || got != want {
				t.Fatalf("at %v: %s is %s = %d after the region, in the run %d, %v", at, v.Name, f.Value, got, want, err)
			}
		}
		if found != 1 && len(list) > 0 {
			t.Fatalf("at %v: %d of %d alternatives of %s hold", at, found, len(list), v.Name)
		}
	}
}

// checkCounts compares the symbolic counts with those of the run.
func checkCounts(t fataler, n *scop.Nest, k *kernel.Kernel, stats *features.Statistics, at map[string]int64, trace *scoptest.Trace) {
	want, got := map[string]int64{}, map[string]int64{}
	maps.Copy(want, trace.Ops)
	for _, x := range trace.Touches {
		if a := k.Array(x.Array); a != nil && a.Space == kernel.Global {
			want[fmt.Sprintf("%s %v", x.Array, x.Write)]++
		}
	}
	for array, times := range trace.Kept {
		if a := k.Array(array); a != nil && a.Space == kernel.Global {
			want[array+" false"] -= times
		}
	}
	for _, r := range stats.Records {
		v, err := r.Count.Eval(at)
		if err != nil {
			t.Fatalf("%s: %v", r.Count, err)
		}
		switch key := r.Key.(type) {
		case features.Op:
			got[string(key.DType)+" "+key.Op] += v.Num().Int64()
		case features.Mem:
			got[fmt.Sprintf("%s %v", key.Variable, key.Direction == features.Store)] += v.Num().Int64()
		}
	}
	for _, m := range []map[string]int64{want, got} {
		for key := range m {
			if got[key] != want[key] && !(len(n.Finals) > 0 && strings.HasPrefix(key, "int32 ")) && !helper(n, strings.Fields(key)[0]) {
				t.Fatalf("at %v: %s: counted %d, run %d\n%s", at, key, got[key], want[key], k)
			}
		}
	}
}

// checkValues compares what the kernel computes with the values of the run.
func checkValues(t fataler, n *scop.Nest, nest *linear.Nest, at map[string]int64, trace *scoptest.Trace) {
	buffers := map[string]*interp.Buffer{}
	shapes := map[string][]int64{}
	for _, a := range nest.Kernel.Arrays() {
		if nest.Kernel.IsTemp(a.Name) && a.Space != kernel.Global || a.IsValue && a.DType.IsInteger() {
			continue
		}
		size, shape := int64(1), []int64{}
		for _, e := range a.Shape {
			v, err := expr.EvalInt(e, at)
			if err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			shape = append(shape, v.Int64())
			size *= v.Int64()
		}
		shapes[a.Name] = shape
		if c := n.Array(a.Name); len(c.Shape) == 0 {
			shapes[a.Name] = nil
		}
		b := interp.NewBuffer(a.DType, int(size))
		for i := range int(size) {
			b.Set(i, start(a.Name, position(int64(i), shapes[a.Name])))
		}
		buffers[a.Name] = b
	}
	params := map[string]int64{}
	for _, p := range nest.Kernel.Params() {
		params[p] = at[p]
	}
	if _, err := interp.Run(nest, params, buffers); err != nil {
		t.Fatalf("interpreting at %v: %v\n%s", at, err, nest)
	}
	for array, elements := range trace.Memory {
		b := buffers[array]
		if b == nil {
			continue
		}
		for index, v := range elements {
			got, want := b.At(flat(index, shapes[array])), v.AsFloat()
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("at %v: %s[%s] is %v, in the run %v\n%s", at, array, index, got, want, nest)
			}
		}
	}
}

// position is the index of an element as traces write it.
func position(i int64, shape []int64) string {
	parts := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		parts[d] = fmt.Sprint(i % shape[d])
		i /= shape[d]
	}
	return strings.Join(parts, ",")
}

func flat(index string, shape []int64) int {
	if len(shape) == 0 {
		return 0
	}
	out := int64(0)
	for d, part := range strings.Split(index, ",") {
		var v int64
		fmt.Sscan(part, &v)
		out = out*shape[d] + v
	}
	return int(out)
}

func parseRegion(t fataler, text string) (*cfront.File, *cfront.Region) {
	f, err := cfront.Parse(context.Background(), "test.c", text, cfront.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	regions, err := f.Regions()
	if err != nil || len(regions) != 1 {
		t.Fatalf("%d regions, %v\n%s", len(regions), err, text)
	}
	return f, regions[0]
}

// TestRandomPrograms: nests of random programs are what runs of their text do.
func TestRandomPrograms(t *testing.T) {
	testRandom(t, func(t *rapid.T) string { return scoptest.Program(t, false) })
}

// TestOwnSums is TestRandomPrograms for sums that read the arrays that they go into.
func TestOwnSums(t *testing.T) { testRandom(t, scoptest.Own) }

func testRandom(t *testing.T, program func(*rapid.T) string) {
	sizes := []map[string]int64{{"n": 4, "m": 3}, {"n": 5, "m": 8}, {"n": 1, "m": 2}}
	accepted, refused := 0, 0
	defer func() {
		if t.Logf("%d accepted, %d refused", accepted, refused); refused > accepted {
			t.Error("too many are refused")
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		text := program(t)
		t.Log(text)
		f, r := parseRegion(t, text)
		n, err := scop.Build(f, r)
		if err != nil && notAffine.MatchString(err.Error()) {
			refused++
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		accepted++
		checkRegion(t, r, n, sizes)
	})
}

// notAffine are reasons to refuse programs that assign to integers.
var notAffine = regexp.MustCompile("assigns to|outside of its loop|subscript with alternatives")
