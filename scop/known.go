package scop

import (
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Integers that a region assigns are followed while it is read: where their value is affine it stands in their place, in bounds, conditions, subscripts and values.

// env has the values of integer variables at a place of the text. A variable that is not in it has not been assigned yet; one whose list is nil is not known.
type env map[*cfront.Var][]piece

// followed reports that the values of a variable are followed: an integer that nothing points to.
func (b *builder) followed(v *cfront.Var) bool {
	return v.DType.IsInteger() && v.DType.Size() >= 4 && len(v.Dims) == 0 && !v.Pointer && !b.uses.addressed[v]
}

// valueOf is the value of a variable where the current statement stands; ok is false if it is not affine.
func (b *builder) valueOf(v *cfront.Var) (list []piece, ok bool) {
	if !b.followed(v) {
		return nil, false
	}
	list, assigned := b.env[v]
	if !assigned {
		if b.uses.declared[v] {
			return nil, false
		}
		list = []piece{{nil, polycount.Name(b.before(v))}}
	}
	out := make([]piece, len(list))
	for i, p := range list {
		if out[i] = p; p.when != nil {
			out[i].when = p.when.AddDims(b.iters...)
		}
	}
	return out, len(out) > 0
}

// before is the parameter that stands for the value of a variable before the region.
func (b *builder) before(v *cfront.Var) string {
	name, ok := b.starts[v]
	if !ok {
		name = b.fresh(v.Name + "_before")
		b.starts[v] = name
		b.nest.Given[name] = cfront.Use(v)
		b.signless[name] = !v.DType.IsSigned()
	}
	return name
}

// use makes parameters of the names in values that are none yet.
func (b *builder) use(list []piece) []piece {
	for _, p := range list {
		for _, name := range namesOf(p) {
			b.parameter(name)
		}
	}
	return list
}

// namesOf are the names in a value and where it holds.
func namesOf(p piece) []string {
	if p.when == nil {
		return p.value.Names()
	}
	return append(p.value.Names(), p.when.Params()...)
}

// parameter makes a name a parameter, unless it is an iterator.
func (b *builder) parameter(name string) {
	if slices.Contains(b.iters, name) || slices.Contains(b.nest.Params, name) || b.heads[name] {
		return
	}
	b.nest.Params = append(b.nest.Params, name)
	if b.signless[name] {
		b.context = append(b.context, polycount.GE(polycount.Name(name), polycount.Int(0)))
	}
}

// learned is what an assignment gives an integer variable; nil if that is not affine. Parameters that it needs become such where it is used.
func (b *builder) learned(v *cfront.Var, value cfront.Expr) (list []piece) {
	if !b.followed(v) || !value.Type().IsInteger() {
		return nil
	}
	params, context := slices.Clone(b.nest.Params), slices.Clone(b.context)
	if !b.attempt(func() {
		if list = b.operand(value, v.DType); !v.DType.IsSigned() {
			b.wraps(value, list)
		}
	}) {
		list = nil
	}
	b.nest.Params, b.context = params, context
	return list
}

// flow follows what statements do to integer variables, without making statements of the nest.
func (b *builder) flow(s cfront.Stmt) {
	switch x := s.(type) {
	case *cfront.Block:
		for _, inner := range x.Items {
			b.flow(inner)
		}
	case *cfront.Declare:
		for _, v := range x.Vars {
			if b.env[v] = nil; v.Init != nil && !x.Bare {
				b.env[v] = b.learned(v, v.Init)
			}
		}
	case *cfront.Do:
		if a, ok := x.X.(*cfront.Assign); ok {
			b.flowAssignment(a)
		}
	case *cfront.If:
		b.flowBranch(x)
	case *cfront.For:
		b.flowLoop(x)
	default:
		b.forget(s)
	}
}

func (b *builder) flowAssignment(a *cfront.Assign) {
	value := a.Value
	if inner, ok := value.(*cfront.Assign); ok {
		b.flowAssignment(inner)
		value = inner.To
	}
	r, ok := a.To.(*cfront.Ref)
	if !ok {
		return
	}
	if a.Op != "" {
		value = cfront.Operation(a.Pos, a.Op, a.To, value)
	}
	b.env[r.Var] = b.learned(r.Var, value)
}

func (b *builder) flowBranch(x *cfront.If) {
	var holds *polycount.Set
	if !b.probe(func() { holds = b.condition(x.Cond) }) {
		holds = nil
	}
	domain := b.domain
	b.fork(x, holds, func() {
		if holds != nil {
			b.domain = b.and(x.Cond, domain, holds)
		}
		b.flow(x.Then)
	}, func() {
		if b.domain = domain; x.Else != nil {
			b.flow(x.Else)
		}
	})
	b.domain = domain
}

// fork follows two sides of a branch, and joins what is known after them. holds is where the first is taken; nil if data decides.
func (b *builder) fork(x *cfront.If, holds *polycount.Set, then, other func()) {
	before := b.env
	b.env = maps.Clone(before)
	then()
	first := b.env
	b.env = maps.Clone(before)
	other()
	second := b.env
	b.env = before
	for _, side := range []env{first, second} {
		for v := range side {
			b.env = first
			one, okOne := b.valueOf(v)
			b.env = second
			two, okTwo := b.valueOf(v)
			b.env = before
			before[v] = nil
			if okOne && okTwo {
				before[v] = b.joined(x, holds, one, two)
			}
		}
	}
}

// maxKnown bounds the alternatives of a value that is followed.
const maxKnown = 6

func (b *builder) joined(x *cfront.If, holds *polycount.Set, one, two []piece) (out []piece) {
	if slices.EqualFunc(one, two, func(p, q piece) bool { return p.when == nil && q.when == nil && p.value.Equal(q.value) }) {
		return one
	}
	if holds == nil || len(one)+len(two) > maxKnown {
		return nil
	}
	not, err := b.everywhere().Subtract(holds)
	b.try(x.Pos, err)
	for _, p := range one {
		out = append(out, piece{b.and(x.Cond, holds, p.when), p.value})
	}
	for _, p := range two {
		out = append(out, piece{b.and(x.Cond, not, p.when), p.value})
	}
	return out
}

// forget drops what is known of all variables that a statement assigns.
func (b *builder) forget(s cfront.Stmt) {
	for _, v := range assignedIn(s) {
		b.env[v] = nil
	}
}

// assignedIn lists the scalars that a statement assigns or declares, in the order of the text.
func assignedIn(s cfront.Stmt) (out []*cfront.Var) {
	note := func(v *cfront.Var) {
		if v.DType.IsInteger() && len(v.Dims) == 0 && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for s := range cfront.Statements(s) {
		if d, ok := s.(*cfront.Declare); ok {
			for _, v := range d.Vars {
				note(v)
			}
		}
		_, exprs := cfront.Inside(s)
		for _, e := range exprs {
			for e := range cfront.All(e) {
				if a, ok := e.(*cfront.Assign); ok {
					if r, ok := a.To.(*cfront.Ref); ok {
						note(r.Var)
					}
				}
			}
		}
	}
	return out
}

// pieced is an expression of a value with alternatives: read makes that of each, at the points where it holds.
func (b *builder) pieced(at cfront.Expr, list []piece, read func(polycount.Affine) expr.Expr) (out expr.Expr) {
	for i, p := range slices.Backward(list) {
		if p.when == nil {
			out = read(p.value)
			continue
		}
		both := b.and(at, b.domain, p.when)
		if empty, err := both.IsEmpty(); err == nil && empty && (i > 0 || out != nil) { // one is left where the expression is never evaluated
			continue
		}
		domain, narrow := b.domain, b.narrow
		b.domain, b.narrow = both, true
		value := read(p.value)
		b.domain, b.narrow = domain, narrow
		if out == nil {
			out = value
			continue
		}
		guard, err := p.when.Gist(b.domain)
		b.try(at.Place(), err)
		out = &expr.Cond{If: cexpr.Disjunction(guard), Then: value, Else: out}
	}
	return out
}
