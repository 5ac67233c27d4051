package launch

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// access is an access to an array, under the selects around it in the statement.
type access struct {
	array  int
	lanes  int64 // elements from the index on along the last axis
	write  bool
	index  []*linear.Index
	under  []branch
	loops  uint32 // in whose iterations it differs: bit 0 is the outermost one
	apart  uint32 // in whose iterations it differs by what depends on sizes
	from   origin
	effect Effect
	number int // among the occurrences
}

// Occurrence is an access in the text of a kernel: in a statement, or in the condition of a guard, without one.
type Occurrence struct {
	Statement, Access string
	Store             bool
}

// origin is an access as it is written.
type origin struct {
	access *expr.Access
	stmt   *kernel.Stmt // nil in the condition of a guard
	write  bool
}

// Units are the lines and sectors of global memory that sub-groups touch in all executions of an access, each once in one.
type Units struct{ Lines, Sectors int64 }

// Units are those of the accesses of the launch at the given sizes, as the code is written; those that are the same in a statement are together. An access that is
// never made has none. It is an error if they are more than can be told exactly.
func (p *Program) Units(sizes map[string]int64) (map[Occurrence]Units, error) {
	r, err := p.walkOver(sizes, nil, make([]Units, len(p.occurrences)))
	if err != nil {
		return nil, p.error(err)
	}
	if r.sampled > 0 || r.merged {
		return nil, p.error(fmt.Errorf("the launch has more than %d parts in which the work-items do different things", p.opt.Boxes))
	}
	out := map[Occurrence]Units{}
	for i, s := range p.occurrences {
		key := Occurrence{Access: s.access.String(), Store: s.write}
		if s.stmt != nil {
			key.Statement = s.stmt.ID
		}
		u := out[key]
		out[key] = Units{u.Lines + r.byText[i].Lines, u.Sectors + r.byText[i].Sectors}
	}
	return out, nil
}

// Scattered lists the arrays of global memory of which addresses follow from data: these are taken to be any in the array.
func (p *Program) Scattered() (arrays []*kernel.Array) {
	p.scattered(p.body, &arrays)
	return arrays
}

func (p *Program) scattered(list []node, arrays *[]*kernel.Array) {
	note := func(list []access) {
		for _, a := range list {
			array := p.arrays[a.array].Array
			if array.Memory() == kernel.Global && !slices.Contains(*arrays, array) && slices.ContainsFunc(a.index, func(x *linear.Index) bool { return x.Data }) {
				*arrays = append(*arrays, array)
			}
		}
	}
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			note(x.accesses)
		case *guard:
			note(x.loads)
			p.scattered(x.body, arrays)
		case *loop:
			p.scattered(x.body, arrays)
		}
	}
}

// Conditional lists the first lines of what is run under conditions on data, where that is most of what a loop, or the code around it, does: these are taken to hold.
func (p *Program) Conditional() (lines []kernel.Place) {
	conditional(p.body, &lines)
	return lines
}

// conditional adds such lines of some nodes, and returns how many statements these are.
func conditional(list []node, lines *[]kernel.Place) (all int64) {
	var first kernel.Place
	under := int64(0) // conditions on data
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			all++
		case *guard:
			inner := conditional(x.body, lines)
			if all += inner; slices.ContainsFunc(x.conds, func(c cond) bool { return c.x.Data }) {
				under += inner
				first = cmp.Or(first, lineOf(firstOf(x).at))
			}
		case *loop:
			const several = 8 // iterations, where the program does not say
			all += conditional(x.body, lines) * cmp.Or(x.trips, several)
		}
	}
	if 2*under > all && first.Line > 0 && !slices.Contains(*lines, first) {
		*lines = append(*lines, first)
	}
	return all
}

// direction is what is added to the tally of loads to get that of loads or stores.
func (a *access) direction() tally {
	if a.write {
		return 1
	}
	return 0
}

// branch is a side of a select: where the condition holds, or where it does not.
type branch struct {
	condition *linear.Index
	holds     bool
}

// collect lists the accesses in e, and counts the selects.
func (b *builder) collect(e expr.Expr, under []branch, out *[]access, selects *int64) error {
	var failed error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Access:
			failed = cmp.Or(failed, b.access(x, false, under, out))
		case expr.Var:
			if a := b.p.nest.Kernel.Array(x.Name); a != nil && !a.IsValue {
				failed = cmp.Or(failed, b.access(&expr.Access{Array: x.Name}, false, under, out))
			}
		case *expr.Op:
			if x.Kind != expr.And && x.Kind != expr.Or {
				return true
			}
			under := under
			for _, arg := range x.Args { // those before decide whether it is evaluated
				failed = cmp.Or(failed, b.collect(arg, under, out, selects))
				decides := branch{condition(b.index(arg)), true}
				if x.Kind == expr.Or {
					decides = branch{b.index(arg), false}
				}
				under = append(slices.Clip(under), decides)
			}
			return false
		case *expr.Cond:
			if selects != nil {
				*selects++
			}
			failed = cmp.Or(failed, b.collect(x.If, under, out, selects))
			failed = cmp.Or(failed, b.collect(x.Then, append(slices.Clip(under), branch{condition(b.index(x.If)), true}), out, selects))
			failed = cmp.Or(failed, b.collect(x.Else, append(slices.Clip(under), branch{b.index(x.If), false}), out, selects))
			return false
		}
		return true
	})
	return failed
}

// access adds an access to an array; scalars that are no arrays in shared memory live in registers.
func (b *builder) access(a *expr.Access, write bool, under []branch, out *[]access) error {
	declared := b.p.nest.Kernel.Array(a.Array)
	if declared == nil || declared.IsValue || len(declared.Shape) == 0 && declared.Space == kernel.Private {
		return nil
	}
	from, effect := origin{a, b.stmt, write}, Effect{}
	if len(b.p.edit.Access) > 0 {
		effect = b.p.edit.Access[b.p.site(from)]
	}
	if effect.Without {
		return nil
	}
	at, ok := b.arrays[a.Array]
	if !ok {
		layout, err := b.p.nest.Layout(declared)
		if err != nil {
			return err
		}
		at = len(b.p.arrays)
		sized := make([]bool, len(layout.Strides))
		for i, s := range layout.Strides {
			_, err := expr.EvalInt(s.Of, nil)
			sized[i] = err != nil
		}
		b.p.arrays = append(b.p.arrays, array{declared, declared.DType.Size(), layout, sized})
		b.arrays[a.Array] = at
	}
	acc := access{array: at, lanes: declared.Span(a) * max(effect.Wide, 1), write: write, under: under, from: from, effect: effect, number: len(b.p.occurrences)}
	b.p.occurrences = append(b.p.occurrences, from)
	for _, i := range a.Index {
		acc.index = append(acc.index, b.index(i))
	}
	for i, x := range acc.index {
		acc.loops |= loopsOf(x)
		if b.p.arrays[at].sized[i] {
			acc.apart |= loopsOf(x)
		}
	}
	for _, x := range under {
		acc.loops |= loopsOf(x.condition)
	}
	*out = append(*out, acc)
	return nil
}
