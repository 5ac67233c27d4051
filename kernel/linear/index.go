package linear

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// An index expression is compiled once for all that use it: the emitter writes it, the interpreter computes it, and the
// static features evaluate it over many work-items at a time.

// IndexKind says how the value of an index is computed.
type IndexKind uint8

// The kinds of indices.
const (
	AffineIndex     IndexKind = iota // Affine, and the same by slots as Form
	ArithmeticIndex                  // Op is Neg or an operator of expr.IntOp
	SelectIndex                      // Args are the condition and the two sides
	LogicIndex                       // Op is a comparison, and, or, not
	CastIndex                        // from an integer type to another
	DataIndex                        // read from memory, or returned by a function
)

// Index is a compiled index expression over parameters, axes and sequential inames.
type Index struct {
	Kind   IndexKind
	Of     expr.Expr // as written in the kernel
	Affine polycount.Affine
	Form   *Form
	Op     expr.OpKind
	Args   []*Index
	// Data is set where the value depends on memory or on the result of a function.
	Data bool
}

// Constant is the value of an index that is the same everywhere.
func (x *Index) Constant() (v int64, ok bool) {
	return x.Affine.Constant(), x.Kind == AffineIndex && x.Affine.IsConstant()
}

// Slots of variables: work-item and group indices along the three axes, then sequential inames by the number of loops
// around them. Parameter i of the kernel has slot -1-i.
const (
	LocalSlot = 0
	GroupSlot = 3
	LoopSlot  = 6
)

// Form is an affine expression whose variables are told by their slots: the sum of its parts.
type Form struct {
	Constant int64
	Terms    []SlotTerm
	Floors   []FloorTerm
	Temps    []TempTerm
	// Data is set where there are temporaries, also in quotients.
	Data bool
}

// SlotTerm is Coeff times the variable or parameter in Slot.
type SlotTerm struct {
	Coeff int64
	Slot  int
}

// FloorTerm is Coeff·⌊Num/Den⌋.
type FloorTerm struct {
	Coeff int64
	Num   *Form
	Den   int64
}

// TempTerm is Coeff times a temporary, which bounds a loop.
type TempTerm struct {
	Coeff int64
	Name  string
}

// Slot is the slot of a parameter, an axis or an iname.
func (n *Nest) Slot(name string) (slot int, ok bool) {
	n.makeSlots.Do(func() {
		n.slots = map[string]int{}
		for i, p := range n.Kernel.Params() {
			n.slots[p] = -1 - i
		}
		for axis := range 3 {
			n.slots[Axis(kernel.Tag{Kind: kernel.LocalAxis, Axis: axis})] = LocalSlot + axis
			n.slots[Axis(kernel.Tag{Kind: kernel.GroupAxis, Axis: axis})] = GroupSlot + axis
		}
		for iname, axis := range n.Names {
			n.slots[iname] = n.slots[axis]
		}
		n.Loops(func(l *Loop, depth int) { n.slots[l.Iname] = LoopSlot + depth })
	})
	slot, ok = n.slots[name]
	return slot, ok
}

// Slots is the number of slots of variables.
func (n *Nest) Slots() int {
	most := LoopSlot
	n.Loops(func(_ *Loop, depth int) { most = max(most, LoopSlot+depth+1) })
	return most
}

// Loops calls f for every loop with the number of loops around it, outer ones first.
func (n *Nest) Loops(f func(l *Loop, depth int)) {
	var visit func(body []Node, depth int)
	visit = func(body []Node, depth int) {
		for _, node := range body {
			switch x := node.(type) {
			case *Guard:
				visit(x.Body, depth)
			case *Loop:
				f(x, depth)
				visit(x.Body, depth+1)
			}
		}
	}
	visit(n.Body, 0)
}

// Form gives the variables of an affine expression their slots. What has none is a temporary that bounds a loop. An
// expression whose coefficients do not fit into 64 bits is an error.
func (n *Nest) Form(a polycount.Affine) (*Form, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	f := &Form{Constant: a.Constant()}
	for _, t := range a.All() {
		if t.Floor != nil {
			num, err := n.Form(t.Floor.Num)
			if err != nil {
				return nil, err
			}
			f.Floors, f.Data = append(f.Floors, FloorTerm{t.Coeff, num, t.Floor.Den}), f.Data || num.Data
		} else if slot, ok := n.Slot(t.Name); ok {
			f.Terms = append(f.Terms, SlotTerm{t.Coeff, slot})
		} else {
			f.Temps, f.Data = append(f.Temps, TempTerm{t.Coeff, t.Name}), true
		}
	}
	return f, nil
}

// Index compiles an index expression of the kernel.
func (n *Nest) Index(e expr.Expr) *Index {
	n.mu.Lock()
	defer n.mu.Unlock()
	x, ok := n.indices[e]
	if !ok {
		if n.indices == nil {
			n.indices = map[expr.Expr]*Index{}
		}
		x = n.compile(e)
		n.indices[e] = x
	}
	return x
}

func (n *Nest) compile(e expr.Expr) *Index {
	if a, err := expr.ToAffine(e, n.isIndex); err == nil {
		a = n.Affine(a)
		if f, err := n.Form(a); err == nil {
			return &Index{Kind: AffineIndex, Of: e, Affine: a, Form: f}
		}
	}
	x := &Index{Kind: DataIndex, Of: e, Data: true}
	switch o := e.(type) {
	case *expr.Cast:
		if o.DType.IsInteger() {
			x.Kind = CastIndex
		}
	case *expr.Cond:
		x.Kind = SelectIndex
	case *expr.Op:
		x.Op = o.Kind
		switch {
		case expr.IsIntOp(o.Kind):
			x.Kind = ArithmeticIndex
		case o.Kind.IsComparison(), o.Kind == expr.And, o.Kind == expr.Or, o.Kind == expr.Not:
			x.Kind = LogicIndex
		}
	}
	if x.Kind != DataIndex {
		x.Data = false
		for _, arg := range expr.Children(e) {
			x.Args = append(x.Args, n.compile(arg))
			x.Data = x.Data || x.Args[len(x.Args)-1].Data
		}
	}
	return x
}

// isIndex reports whether a name may occur in index arithmetic: an iname or an integer parameter.
func (n *Nest) isIndex(name string) bool {
	a := n.Kernel.Array(name)
	return a == nil || a.IsValue && n.Kernel.IsParam(name)
}

// Affine replaces inames on hardware axes by the names of their axes, and folds the result.
func (n *Nest) Affine(a polycount.Affine) polycount.Affine { return n.ranges.fold(a.Subst(n.axes)) }

// Layout is how the elements of an array lie in memory: strides along its axes, and the offset of the first element, nil
// for none.
type Layout struct {
	Strides []*Index
	Offset  *Index
}

// Layout compiles the layout of an array.
func (n *Nest) Layout(a *kernel.Array) (*Layout, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l, ok := n.layouts[a]; ok {
		return l, nil
	}
	strides, err := a.Strides()
	if err != nil {
		return nil, err
	}
	l := &Layout{}
	for _, s := range strides {
		l.Strides = append(l.Strides, n.compile(s))
	}
	if a.Offset != nil {
		l.Offset = n.compile(a.Offset)
	}
	if n.layouts == nil {
		n.layouts = map[*kernel.Array]*Layout{}
	}
	n.layouts[a] = l
	return l, nil
}
