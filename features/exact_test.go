package features

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/ops"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

// TestExactCountsAreWhatRuns compares exact counts of random guarded kernels and tree reductions with runs: operations, loads, stores
// and barriers are the interpreter's, those of a sub-group taken together. Where an access to global memory counts once for a
// sub-group, its work-items access one element.
func TestExactCountsAreWhatRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [2]int{rapid.IntRange(1, 7).Draw(t, "l.0"), rapid.IntRange(1, 4).Draw(t, "l.1")}
		guard := rapid.SampledFrom([]string{
			"l < 2", "l + m < 3", "g + l < n - 1", "l != 1", "l % 2 == 0 and m > 0", "not (l < 2 or m == 0)", "k > l", "2*l + 3*m < g + 4", "m == 1",
		})
		value := rapid.SampledFrom([]string{
			"2*x[g, l, m, k]", "x[g, l, m, k] + x[g, 0, m, k]*x[g, 0, 0, 0]", "(3*x[g, l, m, k] if GUARD else 1.0f + x[g, 0, m, k])",
			"sum(k_, x[g, l, m, k_])", "1.0f if (GUARD) and x[g, l, m, k] > 0 else 2", "1.0f if x[g, 0, m, 0] > 0 and (m < 1 or 2*x[g, l, m, k] < 4) else 2",
		})
		var text []string
		for i := range rapid.IntRange(1, 2).Draw(t, "statements") {
			s := fmt.Sprintf("y%d[g, l, m, k] = %s", i, value.Draw(t, "value"))
			if rapid.Bool().Draw(t, "guarded") {
				s += " {if=" + guard.Draw(t, "guard") + "}"
			}
			text = append(text, strings.ReplaceAll(s, "GUARD", guard.Draw(t, "condition")))
		}
		if tree := rapid.SampledFrom([]string{"", "z[g, m] = sum(l_, x[g, l_, m, 0])", "z[g, l] = max(m_, x[g, l, m_, 0])", "z[g, 0] = sum((l_, k_), 2*x[g, l_, 0, k_])"}).Draw(t, "tree"); tree != "" {
			text = append(text, tree)
		}
		steps := rapid.SampledFrom([]string{
			"0<=k<3", "0<=k<3", "l<=k<=6", "0<=k<=l", "m<=k<l + 2", "l<=3*k<=2*m + 5", "0<=k<6 and k + l >= 4", "0<=k<6 and k >= l - m and k >= m - 1 and k + 2*l < 9",
			"l<=k<7 and (k - l) mod 2 = 0", "0<=k<7 and (k + m) mod 3 = 0 and k >= l", "0<=k<6 and k >= (l mod 3)",
		}).Draw(t, "steps")
		spec := kernel.Spec{
			Domains:      []string{fmt.Sprintf("{[g,l,m,k,l_,m_,k_]: 0<=g<n and 0<=l,l_<%d and 0<=m,m_<%d and 0<=k_<3 and %s}", size[0], size[1], steps)},
			Instructions: strings.Join(text, "\n"), Assumptions: "n >= 1",
		}
		elements := map[string]int{"x": 4 * 7 * 4 * 8, "y0": 4 * 7 * 4 * 8, "y1": 4 * 7 * 4 * 8, "z": 4 * 7}
		for name, shape := range map[string][]int64{"x": {4, 7, 4, 8}, "y0": {4, 7, 4, 8}, "y1": {4, 7, 4, 8}, "z": {4, 7}} {
			if !strings.Contains(spec.Instructions, name+"[") {
				delete(elements, name)
				continue
			}
			a := &kernel.Array{Name: name, DType: "float32", Space: kernel.Global}
			for _, n := range shape {
				a.Shape = append(a.Shape, expr.Int{Value: n})
			}
			spec.Args = append(spec.Args, a)
		}
		k, err := kernel.Make(spec)
		if err == nil {
			k, err = transform.TagInames(k, "g:g.0, l:l.0, l_:l.0, m:l.1, m_:l.1")
		}
		if err != nil {
			t.Fatal(err)
		}
		nest, err := linear.New(k)
		if err != nil {
			t.Skip(err)
		}
		subgroup := int64(rapid.SampledFrom([]int{1, 2, 3, 4, 5, 8, 32}).Draw(t, "sub-group"))
		s, err := Count(k, Options{SubgroupSize: int(subgroup), ExactBranches: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range s.Warnings {
			if !errors.Is(w, polycount.ErrBudget) {
				t.Fatal(s.Warnings)
			}
		}
		if len(s.Warnings) > 0 { // a count that exceeds the limit of work is told, and is none
			t.Skip("a count exceeds the limit of work, which the warning says:", s.Warnings)
		}
		perItem := map[string]bool{} // accesses that count for each work-item
		for key, sites := range s.sites {
			for _, site := range sites {
				perItem[site.at.stmt.ID+site.access.String()] = key.Granularity == WorkItem
			}
		}
		for n := int64(1); n <= 4; n += 3 {
			buffers := map[string]*interp.Buffer{}
			for name, count := range elements {
				buffers[name] = interp.NewBuffer("float32", count)
				for i := range count {
					buffers[name].Set(i, 1)
				}
			}
			type step struct{ run, group, subgroup int64 }
			type event struct {
				step
				access expr.Expr
				item   int64
			}
			element, ran, want := map[event]int64{}, map[string]map[step]bool{}, map[string]int64{}
			report, err := interp.RunWith(nest, map[string]int64{"n": n}, buffers, interp.Options{Visit: func(at interp.Touch) {
				e := event{step{at.Run, at.Group, at.Item / subgroup}, at.Access, 0}
				if ran[at.Stmt] == nil {
					ran[at.Stmt] = map[step]bool{}
				}
				ran[at.Stmt][e.step] = true
				if perItem[at.Stmt+at.Access.String()] {
					e.item = at.Item
				}
				old, seen := element[e]
				if element[e] = at.Element; !seen {
					want[map[bool]string{false: "load ", true: "store "}[at.Write]+at.Array]++
				} else if old != at.Element && !nest.Kernel.IsTemp(at.Array) {
					t.Fatalf("%s\n%s counts once per sub-group and accesses %d and %d", k, at.Access, old, at.Element)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			want["barrier_local"] = report.Barriers / n
			for _, stmt := range s.c.k.Statements {
				v := ops.Visitor{Kernel: s.c.k, Found: func(op string, _ expr.DType, n int64) { want[op] += n * int64(len(ran[stmt.ID])) }}
				err := v.Visit(stmt.RHS)
				if err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]int64{}
			for _, r := range s.Records {
				v, err := r.Count.Eval(map[string]int64{"n": n})
				if err != nil || !v.IsInt() {
					t.Fatal(v, err)
				}
				name := r.Key.String()
				switch key := r.Key.(type) {
				case Op:
					if name = key.Op; key.DType != "float32" { // of conditions
						continue
					}
				case Mem:
					name = string(key.Direction) + " " + key.Variable
				}
				got[name] += v.Num().Int64()
			}
			for name := range maps.Keys(want) {
				operation := !strings.Contains(name, " ") && name != "barrier_local"
				if operation && strings.Contains(spec.Instructions, " else ") {
					continue // of one side
				}
				if got[name] != want[name] {
					t.Fatalf("%s\nsub-groups of %d, n=%d: %s is %d, in a run %d\n%s", k, subgroup, n, name, got[name], want[name], strings.Join(lines(s), "\n"))
				}
			}
			for name := range got {
				if _, ok := want[name]; !ok && got[name] != 0 && name != kernelLaunch {
					t.Fatalf("%s\n%s is %d, in a run 0", k, name, got[name])
				}
			}
		}
	})
}
