package offload

import (
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TestSumsOfSome: where sums of a tile have not all terms, no operand is loaded from local memory under a condition, and work-groups with more steps start before those with fewer.
func TestSumsOfSome(t *testing.T) {
	for name, sizes := range map[string]map[string]int64{"trmm": {"m": 1000, "n": 1200}, "symm": {"m": 1000, "n": 1200}} {
		p, err := Find(t.Context(), example(t, name, "float"), Options{Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		guarded := 0
		for _, k := range p.Kernels {
			steps := map[int64]int64{} // by the number along the axis that is counted last
			for _, s := range k.Statements {
				if !strings.Contains(s.ID, "_update") {
					continue
				}
				if len(s.Predicates) > 0 {
					guarded++
					for _, a := range expr.Accesses(s.RHS) {
						if k.Array(a.Array).Space == kernel.Local {
							t.Errorf("%s of %s loads %s under a condition", s.ID, k.Name, a.Array)
						}
					}
				}
				count(t, k, s, sizes, steps)
			}
			if len(steps) > 0 && (steps[0] == 0 || steps[0] == steps[10]) {
				t.Errorf("%s: work-groups have %v steps", k.Name, steps)
			}
			for g, n := range steps {
				if g > 0 && n > steps[g-1] {
					t.Errorf("%s: work-groups %d have %d steps, those before have %d", k.Name, g, n, steps[g-1])
				}
			}
		}
		if guarded == 0 {
			t.Errorf("%s has no sums of some points", name)
		}
	}
}

// count adds the steps of a statement, in the first work-groups along all axes but the last one.
func count(t *testing.T, k *kernel.Kernel, s *kernel.Stmt, sizes map[string]int64, steps map[int64]int64) {
	t.Helper()
	at, last, inames := map[string]int64{}, "", []string{}
	for name, v := range sizes {
		at[name] = v
	}
	for _, name := range s.Inames {
		switch tag, ok := k.Tags[name]; {
		case ok && tag.Kind == kernel.GroupAxis:
			inames = append(inames, name)
			if at[name] = 0; last == "" || tag.Axis > k.Tags[last].Axis {
				last = name
			}
		case strings.Contains(name, "_step"):
			inames = append(inames, name)
		}
	}
	slices.Sort(inames)
	for at[last] = range int64(16) {
		domain, err := k.DomainOf(inames)
		if err != nil {
			t.Fatal(err)
		}
		if domain, err = domain.Fix(at); err != nil {
			t.Fatal(err)
		}
		points, err := domain.Points(nil, 1000)
		if err != nil {
			t.Fatal(err)
		}
		steps[at[last]] += int64(len(points))
	}
}

// TestSumsOfSomeResults: sums of which a tile has some compute what the text does, whole and in parts.
func TestSumsOfSomeResults(t *testing.T) {
	for _, name := range []string{"trmm", "symm"} {
		for parts := range int64(4) {
			p, err := Find(t.Context(), example(t, name, "double"), Options{Map: func(f Form) Mapping {
				return Mapping{Block: []int64{2, 2}, Points: []int64{parts%2 + 1, 3 - parts%2}, Depth: 2 + parts%2, Parts: parts, Ahead: parts > 1, Twice: parts > 2, Share: 1}
			}})
			if err != nil {
				t.Fatal(err)
			}
			for m := int64(1); m < 20; m += 3 {
				check(t, p, map[string]int64{"m": m, "n": 5})
			}
		}
	}
}
