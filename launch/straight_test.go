package launch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
	"gpuperf/polycount"
)

// straightOracle runs each work-item by itself, with the set of elements that it has loaded in each line of code that is open.
// Which loops are unrolled is taken from the program; what that means is not.
func straightOracle(t testing.TB, n *linear.Nest, p *Program, sizes map[string]int64, subgroup int64) map[string]float64 {
	straight := map[*linear.Loop]bool{}
	var decide func(nodes []linear.Node, static []node)
	decide = func(nodes []linear.Node, static []node) {
		for i, node := range nodes {
			switch x := node.(type) {
			case *linear.Loop:
				straight[x] = static[i].(*loop).straight
				decide(x.Body, static[i].(*loop).body)
			case *linear.Guard:
				decide(x.Body, static[i].(*guard).body)
			}
		}
	}
	decide(n.Body, p.body)
	// waits tells whether nodes load from global memory outside of loops that stay loops.
	var waits func(nodes []linear.Node) bool
	waits = func(nodes []linear.Node) bool {
		return slices.ContainsFunc(nodes, func(node linear.Node) (loads bool) {
			switch x := node.(type) {
			case *linear.Exec:
				expr.Walk(x.Stmt.RHS, func(e expr.Expr) bool {
					a, ok := e.(*expr.Access)
					loads = loads || ok && n.Kernel.Array(a.Array).Space == kernel.Global
					return true
				})
			case *linear.Guard:
				return waits(x.Body)
			case *linear.Loop:
				return straight[x] && waits(x.Body)
			}
			return loads
		})
	}

	written := map[string]bool{}
	for _, s := range n.Kernel.Statements {
		for _, w := range n.Kernel.Writes(s) {
			written[w.Array] = true
		}
	}
	at := map[string]int64{}
	maps.Copy(at, sizes)
	eval := func(a polycount.Affine) int64 {
		v, err := a.Eval(at)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	type element struct {
		array string
		at    int64
	}
	type event struct { // an access of a sub-group
		warp   int64
		access string
		trips  string // of the loops around it
	}
	touched := map[event]map[element]bool{}
	out := map[string]float64{}
	var item, warp int64
	var trips []int64
	var held []map[element]bool
	forget := func(array string) {
		for _, set := range held {
			for e := range set {
				if e.array == array {
					delete(set, e)
				}
			}
		}
	}
	access := func(s *kernel.Stmt, a *expr.Access, write bool) {
		array := n.Kernel.Array(a.Array)
		if array.Space == kernel.Private {
			return
		}
		strides, err := array.Strides()
		if err != nil {
			t.Fatal(err)
		}
		address := int64(0)
		for i, x := range a.Index {
			v, err := expr.EvalInt(x, at)
			if err != nil {
				t.Fatal(err)
			}
			stride, err := expr.EvalInt(strides[i], at)
			if err != nil {
				t.Fatal(err)
			}
			address += v.Int64() * stride.Int64()
		}
		e := element{a.Array, address}
		name := fmt.Sprint(s.ID, a, write)
		if write {
			forget(a.Array)
		} else {
			if held[len(held)-1][e] {
				return
			}
			held[len(held)-1][e] = true
			out[string(array.Space)+"_loads_distinct"]++
		}
		ev := event{warp, name, fmt.Sprint(trips)}
		if touched[ev] == nil {
			touched[ev] = map[element]bool{}
		}
		touched[ev][e] = true
	}
	var walk func(nodes []linear.Node, open map[string]bool)
	inside := func(nodes []linear.Node, open map[string]bool) {
		held = append(held, map[element]bool{})
		walk(nodes, open)
		held = held[:len(held)-1]
	}
	walk = func(nodes []linear.Node, unrolled map[string]bool) {
		for _, node := range nodes {
			switch x := node.(type) {
			case *linear.Barrier:
				for array := range written {
					forget(array)
				}
			case *linear.Exec:
				expr.Walk(x.Stmt.RHS, func(e expr.Expr) bool {
					if a, ok := e.(*expr.Access); ok {
						access(x.Stmt, a, false)
					}
					return true
				})
				for _, w := range n.Kernel.Writes(x.Stmt) {
					access(x.Stmt, w, true)
				}
			case *linear.Guard:
				holds, tested := true, len(x.Predicates) > 0
				for _, c := range x.Conds {
					v := eval(c.Affine)
					holds = holds && (v == 0 || v > 0 && !c.Equality)
					for _, name := range c.Affine.Names() {
						tested = tested || !unrolled[name]
					}
				}
				switch {
				case holds && tested:
					inside(x.Body, unrolled)
				case holds:
					walk(x.Body, unrolled)
				}
			case *linear.Loop:
				lo, hi := rangeOf(x, eval)
				unrolled[x.Iname] = x.Unroll
				trips = append(trips, 0)
				for v := lo; v <= hi; v += max(x.Step, 1) {
					at[x.Iname] = v
					trips[len(trips)-1]++
					if !straight[x] && waits(x.Body) {
						out["load_rounds"]++
					}
					if straight[x] {
						walk(x.Body, unrolled)
					} else {
						inside(x.Body, unrolled)
					}
				}
				trips = trips[:len(trips)-1]
				delete(at, x.Iname)
			}
		}
	}
	groups, err := p.nest.GroupsAt(sizes)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	var axes func(axis int, ordinal, group int64)
	axes = func(axis int, ordinal, group int64) {
		if axis < 0 {
			total++
			item = ordinal
			warp = group<<20 + item/subgroup
			trips, held = nil, nil
			if waits(n.Body) {
				out["load_rounds"]++
			}
			inside(n.Body, map[string]bool{})
			return
		}
		count, name := n.Local[axis%3], linear.Axis(kernel.Tag{Kind: kernel.LocalAxis, Axis: axis % 3})
		if axis >= 3 {
			count, name = groups[axis%3], linear.Axis(kernel.Tag{Kind: kernel.GroupAxis, Axis: axis % 3})
		}
		for v := range count {
			at[name] = v
			for iname, axis := range n.Names {
				if axis == name {
					at[iname] = v
				}
			}
			if axis >= 3 {
				axes(axis-1, 0, group*count+v)
			} else {
				axes(axis-1, ordinal*count+v, group)
			}
		}
	}
	axes(5, 0, 0)
	for _, elements := range touched {
		lines, sectors, words := map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
		local := false
		for e := range elements {
			array := n.Kernel.Array(e.array)
			size := array.DType.Size()
			for b := e.at * size; b < (e.at+1)*size; b++ {
				lines[b/LineBytes], sectors[b/SectorBytes], words[b/bankBytes] = true, true, true
			}
			local = array.Space == kernel.Local
		}
		if !local {
			out["lines_distinct"] += float64(len(lines))
			out["sectors_distinct"] += float64(len(sectors))
		}
		perBank, most := map[int64]int{}, 0
		for w := range words {
			perBank[w%banks]++
			most = max(most, perBank[w%banks])
		}
		out["wavefronts"] += float64(most)
	}
	for _, name := range []string{"global_loads_distinct", "local_loads_distinct", "wavefronts", "lines_distinct", "sectors_distinct", "load_rounds"} {
		out[name] /= total
	}
	return out
}

// neighbourRows is a stencil of which each work-item computes some rows, in a loop with the given tag.
func neighbourRows(t testing.TB, r, count int, tag, more string) *kernel.Kernel {
	t.Helper()
	var terms []string
	for _, p := range square(r) {
		terms = append(terms, fmt.Sprintf("a[i+%d, j+%d]", p[0]+r, p[1]+r))
	}
	text := fmt.Sprintf(`
knl = lp.make_kernel("{[i,j]: 0<=i,j<n}", "z[i,j] = %s",
    [lp.GlobalArg("a", "float32", shape="n+%d, n+%d"), lp.GlobalArg("z", "float32", shape="n, n"), "..."])
knl = lp.assume(knl, "n >= 1 and n mod %d = 0")
knl = lp.split_iname(knl, "i", %d, outer_tag="g.1"%s)
knl = lp.split_iname(knl, "j", 16, outer_tag="g.0", inner_tag="l.0")
%s`, strings.Join(terms, " + "), 2*r, 2*r, max(count, 16), count, tag, more)
	variants, err := script.Exec("rows.star", text)
	if err != nil {
		t.Fatal(err)
	}
	return variants[0].Kernel
}

func compareStraight(t testing.TB, k *kernel.Kernel, sizes map[string]int64, want map[string]float64) {
	t.Helper()
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(n, Options{Borders: true, Device: h200})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.At(sizes)
	if err != nil {
		t.Fatal(err)
	}
	run := straightOracle(t, n, p, sizes, 32)
	for _, list := range []map[string]float64{run, want} {
		for name, w := range list {
			if got, ok := v.Value(name); !ok || math.Abs(got-w) > 1e-9*max(1, w) {
				t.Errorf("%s is %v, want %v\n%s", name, got, w, n)
			}
		}
	}
}

// Loads of neighbouring rows meet in a loop that is unrolled, or short; not in one that is long.
func TestStraightRows(t *testing.T) {
	for _, test := range []struct {
		name     string
		k        *kernel.Kernel
		n        int64
		distinct float64
		rounds   float64
	}{
		{"unrolled", neighbourRows(t, 1, 4, `, inner_tag="unr"`, ""), 32, 18, 1},
		{"unrolled, 5x5", neighbourRows(t, 2, 4, `, inner_tag="unr"`, ""), 32, 40, 1},
		{"short", neighbourRows(t, 1, 4, "", ""), 32, 18, 1},
		{"long", neighbourRows(t, 1, 96, "", ""), 96, 96 * 9, 96},
		{"long, of unrolled ones", neighbourRows(t, 1, 96, "", `knl = lp.split_iname(knl, "i_inner", 3, inner_tag="unr")`), 96, 32 * 15, 32},
		{"one row", neighbourRows(t, 2, 1, "", ""), 32, 25, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			compareStraight(t, test.k, map[string]int64{"n": test.n}, map[string]float64{"global_loads_distinct": test.distinct, "load_rounds": test.rounds})
		})
	}
}

// Loads do not meet across a store to their array, nor, where the kernel writes it, across a barrier.
func TestStraightStores(t *testing.T) {
	for _, test := range []struct {
		name, text string
		global     float64
		local      float64
	}{
		{"nothing between", `lp.make_kernel("{[i]: 0<=i<n}", "z[i] = a[i]*2 {id=s}\ny[i] = a[i] + 1 {id=t, dep=s}")`, 1, 0},
		{"a store between", `lp.make_kernel("{[i]: 0<=i<n}", "a[i] = a[i]*2 {id=s}\ny[i] = a[i] + 1 {id=t, dep=s}\nz[i] = a[i] - 1 {id=u, dep=t}")`, 2, 0},
		{"a store to another array", `lp.make_kernel("{[i]: 0<=i<n}", "z[i] = a[i]*a[i+1] {id=s}\ny[i] = a[i+1] + a[i] {id=t, dep=s}")`, 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			variants, err := script.Exec("stores.star", "knl = lp.add_dtypes("+test.text+`, "a, y, z: float32")
knl = lp.assume(knl, "n >= 1 and n mod 32 = 0")
knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")`)
			if err != nil {
				t.Fatal(err)
			}
			compareStraight(t, variants[0].Kernel, map[string]int64{"n": 64}, map[string]float64{"global_loads_distinct": test.global, "local_loads_distinct": test.local})
		})
	}
}

func TestStraightTiles(t *testing.T) {
	for _, l := range [][2]int{{16, 4}, {8, 8}, {32, 2}} {
		compareStraight(t, tiledStencil(t, l[0], l[1]), map[string]int64{"n": 32}, nil)
	}
}

// Of the examples no work-item loads more than it asks for, nor less than the run says.
func TestStraightExamples(t *testing.T) {
	for _, test := range []struct {
		file string
		n    int64
	}{{"matmul/matmul.star", 32}, {"matmul/matmul_prefetch.star", 32}, {"stencil/seven_point.star", 16}, {"transpose/transpose.star", 64}, {"matvec/matvec.star", 128}} {
		for _, v := range scriptVariants(t, test.file) {
			t.Run(test.file+" "+v.Name, func(t *testing.T) {
				sizes := map[string]int64{}
				for _, p := range v.Kernel.Params() {
					sizes[p] = test.n
				}
				compareStraight(t, v.Kernel, sizes, nil)
			})
		}
	}
}

// Compiled code loads an element that is the same in all iterations of a loop before it, with those of the code there, unless a
// condition is in between or the array may change.
func TestCompiledLoads(t *testing.T) {
	for _, test := range []struct {
		name, text, floats string
		sectors, asWritten int64
	}{
		{"the same in all iterations", `lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<m}", """
for i
  <> s = a[i] {id=s}
  s = s*a[i] + 1 {id=t, dep=s, inames=i:k}
  z[i] = s {dep=t}
end""")`, "a, z", 2 * 4, 2*4 + 2*4*10},
		{"another in each", `lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<m}", "z[i] = sum(k, a[i + 32*k])", [lp.GlobalArg("a", "float32", shape="n + 32*m"), "..."])`, "a, z", 2 * 4 * 10, 2 * 4 * 10},
		{"guarded", `lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<m}", "z[i] = sum(k, a[i] if b[k] > 0 else 0.0f)")`, "a, b, z", 2*10 + 2*4*10, 2*10 + 2*4*10},
		{"stored to", `lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<m}", "a[i] = a[i]*2 + k {inames=i:k}")`, "a", 2 * 4 * 10, 2 * 4 * 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			variants, err := script.Exec("loads.star", "knl = lp.add_dtypes("+test.text+`, "`+test.floats+`: float32")
knl = lp.assume(knl, "n >= 1 and n mod 32 = 0 and m >= 1")
knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")`)
			if err != nil {
				t.Fatal(err)
			}
			for compiled, want := range map[bool]int64{true: test.sectors, false: test.asWritten} {
				n, err := linear.New(variants[0].Kernel)
				if err != nil {
					t.Fatal(err)
				}
				p, err := New(n, Options{Borders: true, Compiled: compiled})
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.Counts(map[string]int64{"n": 64, "m": 10})
				if err != nil {
					t.Fatal(err)
				}
				if got.MergedSectors != want {
					t.Errorf("compiled %v: %d sectors, want %d\n%s", compiled, got.MergedSectors, want, n)
				}
			}
		})
	}
}
