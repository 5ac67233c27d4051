package expand

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// at is an array at a statement.
type at struct {
	array     *scop.Array
	statement *scop.Statement
}

// element is a read of a statement, by its text.
type element struct {
	statement *scop.Statement
	text      string
}

// place is where copies have what an access is to: an array, its first subscripts, and which of the others it has not; nil drops none.
type place struct {
	array *scop.Array
	over  []polycount.Affine
	drop  []bool
}

// kept are the subscripts that a copy has.
func kept[T any](drop []bool, index []T) (out []T) {
	for d, x := range index {
		if d >= len(drop) || !drop[d] {
			out = append(out, x)
		}
	}
	return out
}

// expansion collects copies.
type expansion struct {
	analysis      *deps.Analysis
	taken         map[string]bool
	left          int64             // elements
	read, written map[at]place      // what accesses become
	early         map[element]place // what single reads become
	copies        []Copies
	first         []*first
	last          []*last
}

func newExpansion(a *deps.Analysis, most int64) *expansion {
	e := &expansion{
		analysis: a, taken: names(a.Nest), read: map[at]place{}, written: map[at]place{}, early: map[element]place{},
	}
	for _, x := range a.Nest.Arrays {
		e.left += most * elements(x)
	}
	return e
}

// names are those that a nest uses.
func names(n *scop.Nest) map[string]bool {
	taken := map[string]bool{}
	for _, list := range [][]string{polycount.Words(), n.Params} {
		for _, name := range list {
			taken[name] = true
		}
	}
	for _, a := range n.Arrays {
		taken[a.Name] = true
	}
	for _, l := range n.Loops {
		taken[l.Iterator], taken[l.Name] = true, true
	}
	for _, s := range n.Statements {
		for _, name := range append(slices.Clone(s.Iterators), s.Name) {
			taken[name] = true
		}
	}
	for _, f := range n.Functions {
		taken[f.Name] = true
	}
	return taken
}

func (e *expansion) fresh(base string) string {
	name := kernel.Fresh(base, func(s string) bool { return e.taken[s] || !expr.IsName(s) })
	e.taken[name] = true
	return name
}

// typical is what each parameter is where memory is compared.
const typical = 1000

// elements of an array where parameters have typical values. An extent that is open, or no number, counts as one.
func elements(x *scop.Array) int64 {
	n := int64(1)
	for _, e := range x.Shape {
		if e == nil {
			continue
		}
		sizes := map[string]int64{}
		expr.FreeVars(e, func(name string) { sizes[name] = typical })
		if v, ok := expr.EvalInt64(e, sizes); ok && v > 0 && n < 1<<40 {
			n *= min(v, 1<<20)
		}
	}
	return n
}

// access is one to an array, or to a scalar.
func access(x *scop.Array, index []expr.Expr) expr.Expr {
	if len(x.Shape) == 0 {
		return expr.Var{Name: x.Name}
	}
	return &expr.Access{Array: x.Name, Index: index}
}

func exprs(list []polycount.Affine) (out []expr.Expr) {
	return lists.Map(list, func(a polycount.Affine) expr.Expr { return expr.FromAffine(a) })
}
