package features

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

// TestInterpreter compares counts of random variants of kernels with runs of them: the executions, loads and stores of
// work-items, and the barriers that they pass.
func TestInterpreter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		condition := pick("condition", "i + j < n", "i >= 2", "i != j and j < 3", "not (i < j or i = 3)", "a[i,j] > 0 and j > 1", "j % 2 == 0")
		subject := rapid.SampledFrom([]struct{ domain, inames, instructions, prefetch, sweep string }{
			{"0<=i,j,k<n", "ijk", "z[i,j] = sum(k, a[i,k]*b[k,j])", "a", "ik"},
			{"0<=i,j<n", "ij", "z[i,j] = a[i,j] + a[i+1,j] + a[i+2,j+1]*b[j,i]", "a", "ij"},
			{"0<=i<n and 0<=j<=i", "ij", "z[i,j] = 2*a[j,i] {if=" + condition + "}", "", ""},
			{"0<=i,j<n", "ij", "z[i,j] = (a[i,j] if " + condition + " else b[j,i] + b[i,j])", "", ""},
			{"0<=i,j<n", "ij", "<> t = a[i,j] {id=first}\nz[i,j] = t*t + b[0,0] {dep=first}", "", ""},
			{"0<=i,j<n", "ij", "<> s = sum(j, a[i,j]) {id=first}\nz[i,0] = s + b[i,0] {dep=first}", "", ""},
		}).Draw(t, "kernel")
		square := func(name string) *kernel.Array {
			size := &expr.Op{Kind: expr.Add, Args: []expr.Expr{expr.Var{Name: "n"}, expr.Int{Value: 2}}}
			return &kernel.Array{Name: name, DType: "float32", Space: kernel.Global, Shape: []expr.Expr{size, size}}
		}
		spec := kernel.Spec{
			Domains: []string{fmt.Sprintf("{[%s]: %s}", strings.Join(strings.Split(subject.inames, ""), ","), subject.domain)},
			// the condition is text of the kernel language
			Instructions: strings.ReplaceAll(subject.instructions, "i = 3", "i == 3"),
			Args:         []*kernel.Array{square("a"), square("b"), square("z")}, Assumptions: "n >= 1",
		}
		k, err := kernel.Make(spec)
		if err != nil {
			t.Fatal(err)
		}
		apply := func(next *kernel.Kernel, err error) {
			if err != nil {
				t.Skip(err)
			}
			k = next
		}
		inner := map[string]string{}
		for axis, iname := range strings.Split(subject.inames, "") {
			inner[iname] = iname
			if !rapid.Bool().Draw(t, "split "+iname) {
				continue
			}
			split := transform.Split{}
			parallel := axis < 2 && !strings.Contains(subject.instructions, "sum("+iname) && rapid.Bool().Draw(t, "parallel "+iname)
			if parallel {
				split.OuterTag, split.InnerTag = fmt.Sprintf("g.%d", axis), fmt.Sprintf("l.%d", axis)
			}
			inner[iname] += "_inner"
			apply(transform.SplitIname(k, iname, int64(rapid.IntRange(1, 4).Draw(t, "by")), split))
		}
		if subject.prefetch != "" && rapid.Bool().Draw(t, "prefetch") {
			var sweep []string
			for _, i := range strings.Split(subject.sweep, "") {
				if inner[i] != i {
					sweep = append(sweep, inner[i])
				}
			}
			apply(transform.AddPrefetch(k, subject.prefetch, sweep, transform.Prefetch{}))
		}
		nest, err := linear.New(k)
		if err != nil {
			t.Skip(err)
		}
		s, err := Count(k, Options{SubgroupSize: 2, ExactBranches: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range s.Warnings {
			if !errors.Is(w, polycount.ErrBudget) {
				t.Fatal(w)
			}
		}
		if len(s.Warnings) > 0 {
			t.Skip("a count exceeds the limit of work, which the warning says:", s.Warnings)
		}
		for n := int64(1); n <= 6; n++ {
			sizes := map[string]int64{"n": n}
			buffers := map[string]*interp.Buffer{}
			for _, name := range []string{"a", "b", "z"} {
				buffers[name] = interp.NewBuffer("float32", int((n+2)*(n+2)))
				for i := range int((n + 2) * (n + 2)) {
					buffers[name].Set(i, float64(i%3))
				}
			}
			report, err := interp.Run(nest, sizes, buffers)
			if err != nil {
				t.Fatal(err)
			}
			value := func(occurrences map[where]int64) int64 {
				sum, err := s.c.sum(occurrences)
				if err != nil {
					t.Fatal(err)
				}
				v, err := sum.Eval(sizes)
				if err != nil || !v.IsInt() {
					t.Fatal(v, err)
				}
				return v.Num().Int64()
			}
			for _, stmt := range s.c.k.Statements {
				want := report.Runs[stmt.ID]
				if got := value(map[where]int64{s.c.where(s.c.scopeOf(stmt), WorkItem): 1}); got != want && !strings.Contains(fmt.Sprint(stmt.Predicates), "a[") {
					t.Fatalf("%s\nat n=%d %s runs %d times, the interpreter says %d", k, n, stmt.ID, got, want)
				}
			}
			loads, stores := map[string]int64{}, map[string]int64{}
			data := strings.Contains(spec.Instructions, "a[i,j] > 0") // what then runs depends on data
			for key, sites := range s.sites {
				count := map[Direction]map[string]int64{Load: loads, Store: stores}[key.Direction]
				for _, site := range sites {
					count[key.Variable] += value(map[where]int64{s.c.where(site.at, WorkItem): 1})
				}
			}
			for _, a := range append(s.c.k.Args, s.c.k.Temps...) {
				if a.IsValue || s.c.k.SpaceOf(a.Name) == kernel.Private || data {
					continue
				}
				if loads[a.Name] != report.Loads[a.Name] || stores[a.Name] != report.Stores[a.Name] {
					t.Fatalf("%s\nat n=%d %s has %d loads and %d stores, the interpreter says %d and %d",
						k, n, a.Name, loads[a.Name], stores[a.Name], report.Loads[a.Name], report.Stores[a.Name])
				}
			}
			id, err := ParseID("f_sync_barrier_local")
			if err != nil {
				t.Fatal(err)
			}
			barriers, err := s.Value(id, sizes)
			if err != nil {
				t.Fatal(err)
			}
			groups := report.Groups[0] * report.Groups[1] * report.Groups[2]
			if int64(barriers)*groups != report.Barriers {
				t.Fatalf("%s\nat n=%d %v barriers in %d groups, the interpreter says %d", k, n, barriers, groups, report.Barriers)
			}
		}
	})
}
