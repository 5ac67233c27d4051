package deps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/scoptest"
	"gpuperf/polycount"
	"gpuperf/scop"
)

type fataler interface {
	Fatalf(format string, args ...any)
}

// event is an access of one point of a statement.
type event struct {
	s     *scop.Statement
	point []int64
	order []int64
	array *scop.Array
	index string
	write bool
}

// events lists all accesses at given sizes in their order.
func events(t fataler, n *scop.Nest, at map[string]int64) (all []event) {
	for _, s := range n.Statements {
		points, err := s.Domain.Points(at, 100_000)
		if err != nil {
			t.Fatalf("%s: %v", s.Domain, err)
		}
		for _, p := range points {
			values := map[string]int64{}
			maps.Copy(values, at)
			for i, v := range p {
				values[s.Iterators[i]] = v
			}
			var order []int64
			for _, o := range s.Order {
				v, _ := o.Eval(values)
				order = append(order, v)
			}
			for _, a := range s.Accesses {
				if a.Where != nil {
					if in, err := a.Where.Contains(values); err != nil || !in {
						continue
					}
				}
				e := event{s: s, point: p, order: order, array: a.Array, write: a.Write}
				for _, x := range a.Index {
					v, _ := x.Eval(values)
					e.index += fmt.Sprint(v, ",")
				}
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return slices.Compare(a.order, b.order) })
	return all
}

// carrier is the outermost common loop in which two points differ.
func carrier(a, b event) *scop.Loop {
	for i := range min(len(a.point), len(b.point)) {
		if a.s.Loops[i] != b.s.Loops[i] {
			return nil
		}
		if a.point[i] != b.point[i] {
			return a.s.Loops[i]
		}
	}
	return nil
}

// brute finds the pairs of all dependences at given sizes, by what they are printed as.
func brute(t fataler, n *scop.Nest, at map[string]int64) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	add := func(kind Kind, value bool, a, b event) {
		key := name(kind, value, a.s, b.s, a.array, carrier(a, b))
		if out[key] == nil {
			out[key] = map[string]bool{}
		}
		out[key][fmt.Sprint(a.point, b.point)] = true
	}
	before := map[string][]event{} // of an element
	for _, b := range events(t, n, at) {
		element := b.array.Name + "[" + b.index
		var last *event
		for i, a := range before[element] {
			if slices.Equal(a.order, b.order) { // of the same point
				continue
			}
			if a.write {
				last = &before[element][i]
			}
			if a.write || b.write {
				add(kindOf(access{write: a.write}, access{write: b.write}), false, a, b)
			}
		}
		if last != nil && !b.write {
			add(Flow, true, *last, b)
		}
		before[element] = append(before[element], b)
	}
	return out
}

func name(kind Kind, value bool, from, to *scop.Statement, array *scop.Array, carrier *scop.Loop) string {
	by := "none"
	if carrier != nil {
		by = carrier.Name
	}
	return fmt.Sprintf("%s value=%v %s -> %s on %s by %s", kind, value, from.Name, to.Name, array.Name, by)
}

// check compares an analysis with the pairs found one by one.
func check(t fataler, n *scop.Nest, a *Analysis, at map[string]int64) {
	want := brute(t, n, at)
	got := map[string]map[string]bool{}
	for _, d := range a.Dependences {
		key := name(d.Kind, d.ValueBased, d.From, d.To, d.Array, d.Carrier)
		if got[key] != nil {
			t.Fatalf("%s twice", key)
		}
		got[key] = map[string]bool{}
		points, err := d.Map.Graph().Points(at, 1_000_000)
		if err != nil {
			t.Fatalf("%s: %v", d.Map, err)
		}
		in := len(d.From.Iterators)
		for _, p := range points {
			got[key][fmt.Sprint(p[:in], p[in:])] = true
			for i, x := range d.Distance {
				if p[in+i]-p[i] != x {
					t.Fatalf("%s: distance %v, but %v", d.Map, d.Distance, p)
				}
			}
		}
	}
	for _, m := range []map[string]map[string]bool{want, got} {
		for key := range m {
			for _, pair := range slices.Sorted(keys(want[key], got[key])) {
				if want[key][pair] != got[key][pair] {
					t.Fatalf("at %v: %s: %s: dependence %v, found %v\n%s", at, key, pair, want[key][pair], got[key][pair], n)
				}
			}
		}
	}
}

func keys(a, b map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range a {
			if !yield(k) {
				return
			}
		}
		for k := range b {
			if !yield(k) {
				return
			}
		}
	}
}

// TestRandomPrograms: the dependences of random programs are those of a trace.
func TestRandomPrograms(t *testing.T) {
	testRandom(t, func(t *rapid.T) string { return scoptest.Program(t, true) })
}

// TestOwnSums is TestRandomPrograms for sums that read the arrays that they go into.
func TestOwnSums(t *testing.T) { testRandom(t, scoptest.Own) }

func testRandom(t *testing.T, program func(*rapid.T) string) {
	rapid.Check(t, func(t *rapid.T) {
		text := program(t)
		n := nestOf(t, text)
		a, err := Analyze(n)
		if errors.Is(err, polycount.ErrBudget) { // some of the deepest take too much work, which is said
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, at := range []map[string]int64{{"n": 4, "m": 3}, {"n": 2, "m": 5}} {
			check(t, n, a, at)
		}
		checkNeeds(t, n, a, map[string]int64{"n": 4, "m": 3})
	})
}

func nestOf(t fataler, text string) *scop.Nest {
	f, err := cfront.Parse(context.Background(), "test.c", text, cfront.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	regions, err := f.Regions()
	if err != nil {
		t.Fatalf("%v", err)
	}
	n, err := scop.Build(f, regions[0])
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return n
}

// classes of the loops of examples/polybench, in the order of the text: p is parallel, r a reduction, v private and s sequential. That the
// first loops of trmm and doitgen are private, and those of symm, trisolv and the like are not, is what their mathematics says: only values
// that one iteration computes and another uses force an order.
var classes = map[string]string{
	"2mm": "pprppr", "3mm": "pprpprppr", "adi": "spsspss", "atax": "prrp", "bicg": "prr", "cholesky": "ssrr",
	"correlation": "prprppppr", "covariance": "prppppr", "deriche": "vsvsppvsvspp", "doitgen": "vvprp", "durbin": "srpp", "fdtd-2d": "sppppppp",
	"floyd-warshall": "sss", "gemm": "pprp", "gemver": "ppprppr", "gesummv": "pr", "gramschmidt": "srpprp", "heat-3d": "spppppp",
	"jacobi-1d": "spp", "jacobi-2d": "spppp", "lu": "ssrpr", "ludcmp": "ssrvrsrsr", "mvt": "prpr", "nussinov": "ssr",
	"seidel-2d": "sss", "symm": "svr", "syr2k": "pprp", "syrk": "pprp", "trisolv": "sr", "trmm": "vpr",
}

// TestPolybench: the dependences of the examples are those of a trace.
func TestPolybench(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		t.Run(name, func(t *testing.T) {
			nests, err := scop.Load(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := nests[0]
			a, err := Analyze(n)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, l := range a.Loops {
				got += map[Class]string{Parallel: "p", Reduction: "r", Private: "v", Sequential: "s"}[l.Class]
			}
			if got != classes[name] {
				t.Errorf("loops are %s, want %s", got, classes[name])
			}
			at := map[string]int64{}
			for i, p := range n.Params {
				at[p] = 4 + int64(i%2)
			}
			check(t, n, a, at)
			checkNeeds(t, n, a, at)
		})
	}
}

// BenchmarkPolybench takes the time of the dependences of each example.
func BenchmarkPolybench(b *testing.B) {
	files, _ := filepath.Glob("../../examples/polybench/*.c")
	for _, file := range files {
		nests, err := scop.Load(b.Context(), file, cfront.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(file), ".c"), func(b *testing.B) {
			for b.Loop() {
				if _, err := Analyze(nests[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
