package sweep

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/scop/chain"
)

// transition is what an iteration of a sweep does to the one value that it carries to the next, where that is a multiple of it and an addend: so is what several iterations do. (What several
// values would take, a matrix for each part, costs more than it gains in recurrences of second order.)
type transition struct {
	state         string
	own           []string // all variables that an iteration sets
	dtype         expr.DType
	factor, added expr.Expr // 0 without either
}

// Linear reports that an iteration multiplies the one value that it carries to the next, and adds to it, so that work-items that help can make parts of the iterations.
func (x *Sweep) Linear() bool { return x.transition() != nil }

// transition is what a sweep does to the value that it carries; nil where that is something else.
func (x *Sweep) transition() *transition {
	l := &transition{}
	for _, s := range x.statements() {
		if v, ok := s.LHS.(expr.Var); ok && !slices.Contains(l.own, v.Name) {
			l.own = append(l.own, v.Name)
		}
	}
	now := map[string]expr.Expr{} // what variables are, of the value at the beginning
	for _, s := range x.statements() {
		if len(s.Predicates) > 0 || !x.reads(l, s, now) {
			return nil
		}
		v, ok := s.LHS.(expr.Var)
		if !ok {
			if !slices.Contains(x.Stores, s) {
				return nil
			}
			continue
		}
		a := x.k.Array(v.Name)
		if t, err := x.k.TypeOf(s.RHS); err != nil || t != a.DType || l.dtype != "" && l.dtype != t {
			return nil
		}
		l.dtype, now[v.Name] = a.DType, expr.Subst(s.RHS, now)
	}
	if large[l.dtype] == 0 || !slices.Contains(l.own, l.state) || x.needed(l) {
		return nil
	}
	var ok bool
	if l.factor, l.added, ok = chain.Multiple(x.k, now[l.state], l.state, l.dtype); !ok {
		return nil
	}
	return l
}

// reads notes that a statement reads the value, and reports that all else that it reads is the same for whoever makes the iteration.
func (x *Sweep) reads(l *transition, s *kernel.Stmt, now map[string]expr.Expr) bool {
	same := true
	for e := range expr.All(s.RHS) {
		switch e := e.(type) {
		case *expr.Access:
			stored := slices.ContainsFunc(x.statements(), func(o *kernel.Stmt) bool { return o.Target() == e.Array })
			same = same && x.k.Array(e.Array).Space != kernel.Private && (x.takes(s, e) || !stored)
		case expr.Var:
			if a := x.k.Array(e.Name); now[e.Name] == nil && a != nil && !a.IsValue {
				same = same && l.state == ""
				l.state, now[e.Name] = e.Name, e
			}
		}
	}
	return same
}

// needed reports that a variable which is not the value is read behind the loop, or before.
func (x *Sweep) needed(l *transition) bool {
	return slices.ContainsFunc(slices.Concat(x.k.Statements[:x.first], x.k.Statements[x.end:]), func(s *kernel.Stmt) bool {
		return slices.ContainsFunc(l.own, func(name string) bool { return name != l.state && x.k.ReadsFrom(s, name) })
	})
}

// Waits is how long an iteration waits for the one before, in additions, of which a division takes so many.
func (x *Sweep) Waits(division float64) (sum float64) {
	set := map[string]bool{}
	for _, s := range x.statements() {
		if v, ok := s.LHS.(expr.Var); ok {
			set[v.Name] = true
		}
	}
	for _, s := range x.statements() {
		_, copies := s.RHS.(expr.Var)
		if _, ok := s.LHS.(expr.Var); ok && !copies {
			sum += chain.Waits(s.RHS, func(e expr.Expr) bool { v, ok := e.(expr.Var); return ok && set[v.Name] }, division)
		}
	}
	return sum
}
