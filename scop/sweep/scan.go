package sweep

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// scan makes the iterations of a step in parts, where what an iteration does to the value that it carries is linear: each work-item finds by which factor its part multiplies the value, and what
// it adds; the one that sweeps takes the value from part to part; and each makes its part from there on, as the text says it (Blelloch, Prefix sums and their applications, 1990). Where
// factors are so great that products say less than iterations, or are no numbers, the one that sweeps makes all of the step.
type scan struct {
	*staged
	base          polycount.Affine
	part          string            // the unrolled iname of a part's iterations
	here          []string          // for each load, of a part
	own           map[string]string // variables of a part for those of the sweep
	factor, value string            // in local memory, of each part: the addend, and then the value before the part
}

// large are numbers whose products with others as large are numbers.
var large = map[expr.DType]float64{expr.Float32: 0x1p60, expr.Float64: 0x1p500}

func (s *staged) inParts(base polycount.Affine) {
	x := &scan{staged: s, base: base, own: map[string]string{}}
	for _, name := range s.linear.own {
		x.own[name] = x.temporary(name+"_own", s.to.Array(name).DType).Name
	}
	x.find()
	s.barrier("found", kernel.Local)
	x.follow()
	s.barrier("begun", kernel.Local)
	x.replay()
}

// temporary declares a variable of a work-item, or an array: in local memory where it is of more dimensions.
func (x *scan) temporary(name string, t expr.DType, shape ...int64) expr.Var {
	a := &kernel.Array{Name: x.to.FreshName(name), DType: t, Space: kernel.Private, Shape: []expr.Expr{}}
	for _, n := range shape {
		a.Shape = append(a.Shape, expr.Int{Value: n})
	}
	if len(shape) > 1 {
		a.Space = kernel.Local
	}
	x.to.Temps = append(x.to.Temps, a)
	return expr.Var{Name: a.Name}
}

// set adds a statement that all work-items make, of an iteration of theirs if there is an iname of it.
func (x *scan) set(id string, to, is expr.Expr, part ...string) *kernel.Stmt {
	by := map[string]polycount.Affine{x.item: polycount.Name(x.lane)}
	if len(part) > 0 {
		by[x.Loop] = x.base.Add(x.at())
	}
	s := &kernel.Stmt{ID: x.Loop + "_" + id, LHS: expr.Subst(to, affine(by)), RHS: expr.Subst(is, affine(by)), Inames: x.everyone(part...)}
	s.Predicates = throw.Get(x.there(by, s.Inames))
	x.add(s)
	return s
}

// sole adds a statement that the work-items make that sweep.
func (x *scan) sole(id string, to, is expr.Expr, inames ...string) *kernel.Stmt {
	s := &kernel.Stmt{ID: x.Loop + "_" + id, LHS: to, RHS: is, Inames: x.inames(append(slices.Clone(x.Around), inames...)...)}
	x.add(s)
	return s
}

// anew begins another loop over the iterations of a part.
func (x *scan) anew() expr.Var {
	x.part = x.unrolled("mine", x.parts())
	return expr.Var{Name: x.part}
}

// at is the iteration of a step.
func (x *scan) at() polycount.Affine {
	return polycount.Name(x.part).AddScaled(x.parts(), polycount.Name(x.help))
}

// loaded is an expression of a statement with what was loaded.
func (x *scan) loaded(e expr.Expr, from []string, index ...expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if a, ok := e.(*expr.Access); ok {
			if i := slices.IndexFunc(x.Loads, func(l *expr.Access) bool { return a.String() == l.String() }); i >= 0 {
				return &expr.Access{Array: from[i], Index: index}
			}
		}
		return e
	})
}

// element is one of an array with a line for each sweep.
func element(array string, index ...expr.Expr) expr.Expr {
	return &expr.Access{Array: array, Index: index}
}

// find finds what the parts of a step do.
func (x *scan) find() {
	l, own := x.linear, x.anew()
	for i, a := range x.Loads {
		x.here = append(x.here, x.temporary(x.Loop+"_mine", x.k.Array(a.Array).DType, x.parts()).Name)
		x.set("mine", element(x.here[i], own), element(x.now[i], expr.Var{Name: x.lane}, expr.FromAffine(x.at())), x.part)
	}
	factor, value := x.temporary(x.Loop+"_factor", l.dtype), x.temporary(x.Loop+"_value", l.dtype)
	x.set("begin", factor, cexpr.Float(1, l.dtype))
	x.set("begin", value, cexpr.Float(0, l.dtype))
	own = x.anew()
	var next, multiplied expr.Expr = cexpr.Float(0, l.dtype), cexpr.Float(0, l.dtype)
	if l.factor != nil {
		by := x.loaded(l.factor, x.here, own)
		next, multiplied = expr.Binary(expr.Mul, by, value), expr.Binary(expr.Mul, by, factor)
	}
	if l.added != nil {
		next = expr.Binary(expr.Add, next, x.loaded(l.added, x.here, own))
	}
	x.set("does", value, next, x.part)
	x.set("does", factor, multiplied, x.part)
	x.factor, x.value = x.temporary(x.Loop+"_factors", l.dtype, x.items, x.helpers+1).Name, x.temporary(x.Loop+"_values", l.dtype, x.items, x.helpers+1).Name
	both := expr.Binary(expr.And, finite(factor, l.dtype), finite(value, l.dtype))
	lane, help := expr.Var{Name: x.lane}, expr.Var{Name: x.help}
	x.set("tell", element(x.factor, lane, help), factor)
	x.set("tell", element(x.value, lane, help), &expr.Cond{If: both, Then: value, Else: expr.Binary(expr.Div, cexpr.Float(0, l.dtype), cexpr.Float(0, l.dtype))}) // what is no number stays so to the end
}

// finite is the condition for a number to be one whose products are.
func finite(e expr.Expr, t expr.DType) expr.Expr {
	return expr.Binary(expr.Lt, &expr.Call{Func: "fabs", Args: []expr.Expr{e}}, cexpr.Float(large[t], t))
}

// follow takes the value from part to part, and where that says too little from iteration to iteration.
func (x *scan) follow() {
	l, item := x.linear, expr.Var{Name: x.item}
	state := expr.Var{Name: l.state}
	before, next := x.temporary(l.state+"_before", l.dtype), x.temporary(l.state+"_next", l.dtype)
	x.sole("before", before, state)
	each := x.unrolled("each", x.helpers)
	part := expr.Var{Name: each}
	x.sole("next", next, expr.Binary(expr.Add, expr.Binary(expr.Mul, element(x.factor, item, part), state), element(x.value, item, part)), each)
	x.sole("from", element(x.value, item, part), state, each)
	x.sole("to", state, next, each)
	lost := x.temporary(x.Loop+"_lost", expr.Int32)
	x.sole("lost", lost, &expr.Cond{If: finite(state, l.dtype), Then: expr.Int{}, Else: expr.Int{Value: x.helpers}})
	x.sole("again", state, before).Predicates = []expr.Expr{expr.Binary(expr.Gt, lost, expr.Int{})}
	slow, one := x.to.FreshName(x.Loop+"_slow"), x.to.FreshName(x.Loop+"_one")
	x.to.Domains = append(x.to.Domains, polycount.NewSet(nil, []string{slow}, polycount.GE(polycount.Name(slow), polycount.Int(0)), polycount.GE(polycount.Name(lost.Name).AddInt(-1), polycount.Name(slow))))
	x.box(one, x.parts())
	x.sole("slow", element(x.value, item, expr.Var{Name: slow}), state, slow)
	at := polycount.Name(one).AddScaled(x.parts(), polycount.Name(slow))
	by := map[string]polycount.Affine{x.Loop: x.base.Add(at), x.item: polycount.Name(x.item)}
	for _, s := range x.statements() {
		if v, ok := s.LHS.(expr.Var); ok {
			own := x.sole("slow", v, expr.Subst(x.loaded(s.RHS, x.now, item, expr.FromAffine(at)), affine(by)), slow, one)
			own.Predicates = throw.Get(x.there(by, own.Inames))
		}
	}
}

// replay makes the iterations of a part from the value before it.
func (x *scan) replay() {
	own := x.anew()
	renamed := func(e expr.Expr) expr.Expr {
		return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
			if v, ok := e.(expr.Var); ok && x.own[v.Name] != "" {
				return expr.Var{Name: x.own[v.Name]}
			}
			return e
		})
	}
	x.set("own", expr.Var{Name: x.own[x.linear.state]}, element(x.value, expr.Var{Name: x.lane}, expr.Var{Name: x.help}))
	for _, s := range x.statements() {
		to := s.LHS
		if i := slices.Index(x.Stores, s); i >= 0 && x.out[i] != "" {
			to = element(x.out[i], expr.Var{Name: x.lane}, expr.FromAffine(x.at()))
		}
		x.set(s.ID, renamed(to), renamed(x.loaded(s.RHS, x.here, own)), x.part).At = s.At
	}
}
