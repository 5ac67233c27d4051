// Package expand gives loop nests more memory, so that fewer of their points wait for each other: a scalar or an array that is assigned anew in each
// iteration of a loop gets one copy per iteration (Feautrier, Array expansion, 1988). What depends on what by memory alone then depends no more.
//
// Nest splits the accesses of each array into webs, between which no value flows (web.go). A web gets a copy for each iteration of the loops around all of
// its statements that carry none of its values, as far as memory suffices (copies.go). Where an array is used after the nest, statements at the end of the nest
// write its last values back (last.go).
// Initial is for arrays whose values from before the nest are read while others are written: reads are of a copy that is made first (first.go).
// Carried is for values that a loop hands to its next iteration (carried.go).
// Invariant makes recurrences once that loops around them repeat (invariant.go).
package expand

import (
	"fmt"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Copies is an array that holds what another one held, with a copy for each iteration of loops.
type Copies struct {
	Of    *scop.Array
	Array *scop.Array // local
	Over  []*scop.Loop
}

// String says what became of the array, with the number of elements.
func (c Copies) String() string {
	if len(c.Array.Shape) == 0 {
		return fmt.Sprintf("%s is %s in some statements", c.Of.Name, c.Array.Name)
	}
	extents := lists.Map(c.Array.Shape, func(e expr.Expr) string { return "[" + e.String() + "]" })
	return fmt.Sprintf("%s becomes %s%s", c.Of.Name, c.Array.Name, strings.Join(extents, ""))
}

// Most is by default how many times the elements of the nest's own arrays copies may have together.
const Most = 2

// Nest is the analysed nest with copies, and what these are; without any it is the nest itself. All copies together have at most so many times the elements of
// the nest's arrays where each parameter is 1000.
func Nest(a *deps.Analysis, most int64) (*scop.Nest, []Copies, error) {
	return newExpansion(a, most).of(func(e *expansion, x *scop.Array) error {
		webs := websOf(a, x)
		for _, w := range webs {
			if err := e.web(x, w, len(webs) > 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// written are the arrays of a nest that copies can be made of: the nest writes them, at places that are known, and their extents are known.
func written(n *scop.Nest) []*scop.Array {
	return lists.Where(n.Arrays, func(x *scop.Array) bool {
		return x.Written && !x.Scattered() && (len(x.Shape) == 0 || x.Shape[0] != nil)
	})
}

// of is the nest with the copies that are made of its arrays; without any it is the nest itself.
func (e *expansion) of(each func(*expansion, *scop.Array) error) (*scop.Nest, []Copies, error) {
	for _, x := range written(e.analysis.Nest) {
		if err := each(e, x); err != nil {
			return nil, nil, fmt.Errorf("copies of %s: %w", x.Name, err)
		}
	}
	if len(e.copies) == 0 {
		return e.analysis.Nest, nil, nil
	}
	return e.nest(), e.copies, nil
}

// web gives a web copies where this takes dependences away. A scalar of the nest alone that has several webs gets one for each.
func (e *expansion) web(x *scop.Array, w *web, several bool) error {
	if w.initial {
		return nil
	}
	over, err := e.loops(x, w)
	if err != nil || len(over) == 0 && (!several || !x.Local || len(x.Shape) > 0) {
		return err
	}
	var final []*last
	if !x.Local {
		if final, err = e.final(x, w); err != nil || final == nil {
			return err
		}
	}
	c := &scop.Array{Name: e.fresh(x.Name), Pos: x.Pos, DType: x.DType, Local: true, Written: true}
	var subscripts []polycount.Affine
	var loops []*scop.Loop
	for _, o := range over {
		c.Shape = append(c.Shape, expr.FromAffine(o.extent))
		subscripts = append(subscripts, o.subscript)
		loops = append(loops, o.loop)
	}
	c.Shape = append(c.Shape, x.Shape...)
	e.left -= elements(c)
	e.copies = append(e.copies, Copies{x, c, loops})
	for _, s := range w.writers {
		e.written[at{x, s}] = place{array: c, over: subscripts}
	}
	for _, s := range w.readers {
		e.read[at{x, s}] = place{array: c, over: subscripts}
	}
	for _, l := range final {
		l.from = place{array: c, over: subscripts}
		e.last = append(e.last, l)
	}
	return nil
}
