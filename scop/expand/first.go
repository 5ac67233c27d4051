package expand

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// first are elements of an array that are copied before anything else.
type first struct {
	of       *scop.Array
	to       place
	elements *polycount.Set // one disjunct, over the subscripts
}

// early is a read of what an array held before the nest.
type early struct{ deps.Initial }

// text is the read as it stands in the statement's expression.
func (r early) text() string {
	return access(r.Array, exprs(r.Statement.Accesses[r.Access].Index)).String()
}

// Initial is the analysed nest with copies of arrays whose values from before the nest some reads always get, while an iteration of a loop around these writes to the array what
// a later one must not read. Without any it is the nest itself.
func Initial(a *deps.Analysis) (*scop.Nest, []Copies, error) {
	e := newExpansion(a, 1)
	for _, x := range a.Nest.Arrays {
		if !x.Written || x.Scattered() || len(x.Shape) == 0 || x.Shape[0] == nil || elements(x) > e.left {
			continue
		}
		var reads []early
		for _, i := range a.Initial {
			if r := (early{i}); i.Array == x && e.isEarly(r) {
				reads = append(reads, r)
			}
		}
		if err := e.initial(x, reads); err != nil {
			return nil, nil, fmt.Errorf("a copy of %s: %w", x.Name, err)
		}
	}
	if len(e.copies) == 0 {
		return a.Nest, nil, nil
	}
	return e.nest(), e.copies, nil
}

// isEarly reports that a read gets only what the array held before the nest, as do all reads of the statement with the same text, and that writes of later iterations
// have to wait for it.
func (e *expansion) isEarly(i early) bool {
	text := i.text()
	count := 0
	for _, a := range i.Statement.Accesses {
		if a.Write || access(a.Array, exprs(a.Index)).String() != text {
			continue
		}
		if count++; a.Where != nil {
			return false
		}
	}
	for x := range expr.All(i.Statement.RHS) {
		if x.String() == text {
			count--
		}
	}
	return i.Always && count == 0 && slices.ContainsFunc(e.analysis.Dependences, func(d *deps.Dependence) bool {
		return d.Kind == deps.Anti && d.From == i.Statement && d.Array == i.Array && d.Carrier != nil
	})
}

// initial makes the copy for some reads of an array.
func (e *expansion) initial(x *scop.Array, reads []early) error {
	if len(reads) == 0 {
		return nil
	}
	var dims []string
	for range x.Shape {
		dims = append(dims, e.fresh("at"))
	}
	var all *polycount.Set
	for _, r := range reads {
		m, err := polycount.NewMap(r.Statement.Domain.Named(""), dims, r.Statement.Accesses[r.Access].Index)
		if err != nil {
			return err
		}
		read, err := m.Range()
		if err == nil && all != nil {
			read, err = all.Union(read)
		}
		if err != nil {
			return err
		}
		all = read
	}
	all, err := all.Named("").Coalesce()
	if errors.Is(err, polycount.ErrBudget) || err == nil && len(all.Disjuncts()) > maxParts {
		return nil
	}
	if err != nil {
		return err
	}
	c := &scop.Array{Name: e.fresh(x.Name), Pos: x.Pos, DType: x.DType, Local: true, Shape: x.Shape}
	e.left -= elements(c)
	for _, part := range all.Disjuncts() {
		e.first = append(e.first, &first{x, place{array: c}, part})
	}
	for _, r := range reads {
		e.early[element{r.Statement, r.text()}] = place{array: c}
	}
	e.copies = append(e.copies, Copies{x, c, nil})
	return nil
}

// copied is the statement that copies elements, in loops of its own.
func (e *expansion) copied(f *first, place int64, from *scop.Array, n *scop.Nest) *scop.Statement {
	name := e.fresh(fmt.Sprintf("S%d", len(e.analysis.Nest.Statements)))
	out := &scop.Statement{Name: name, Pos: f.of.Pos, Domain: f.elements.Named(name), Order: []polycount.Affine{polycount.Int(place)}}
	var index []polycount.Affine
	for _, d := range f.elements.Dims() {
		index = append(index, polycount.Name(d))
		e.loop(out, f.elements, d, d, n)
	}
	to := slices.Concat(f.to.over, index)
	out.LHS, out.RHS = access(f.to.array, exprs(to)), access(from, exprs(index))
	out.Accesses = []scop.Access{{Array: from, Index: index}, {Array: f.to.array, Index: to, Write: true}}
	return out
}
