package lower

import (
	"slices"
	"strings"

	"gpuperf/cfront"
)

// size is about how many operations a statement is before loops are written out, as NVIDIA's compiler counts them when it decides about that: what follows from the
// counters of loops counts nothing, nor do places in memory.
func (l *lowering) size(s cfront.Stmt) int { return l.sizeAfter(s, nil) }

// What is no operation of an expression: ways of a branch that are short are selected from; a loop inside has a test and a jump.
const (
	shortBranch = 3
	longBranch  = 6
	innerLoop   = 5
)

func (l *lowering) sizeAfter(s, before cfront.Stmt) (n int) {
	if s == nil {
		return 0
	}
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		n += l.operations(e)
	}
	inside := inOrder(stmts, l.sizeAfter)
	turns := l.turns(s, before)
	switch s.(type) {
	case *cfront.If:
		if n += shortBranch; inside > mostSelected {
			n += longBranch - shortBranch
		}
	case *cfront.For, *cfront.While:
		if turns == 1 {
			n += innerLoop
		}
	}
	return n + turns*inside
}

// mostSelected are the operations of ways that are both executed.
const mostSelected = 10

// operations is size of an expression.
func (l *lowering) operations(e cfront.Expr) (n int) {
	operands := cfront.Operands(e)
	switch x := e.(type) {
	case nil:
		return 0
	case *cfront.Int, *cfront.Float, *cfront.Ref, *cfront.Cast, *cfront.Lane, *cfront.Address, *cfront.Member, *cfront.List, *cfront.Vector:
	case *cfront.Index:
		if !ofElement(x.Of) && (!l.inRegisters(x) || !l.promoted && !slices.ContainsFunc(x.Subs, isLiteral)) {
			n++
		}
		operands = []cfront.Expr{x.Of}
		for _, sub := range x.Subs {
			if divides(sub) {
				operands = append(operands, sub)
			}
		}
	case *cfront.Call:
		n += l.callSize(x)
	case *cfront.Assign:
		if to, ok := x.To.(*cfront.Ref); !l.inRegisters(x.To) || x.Op != "" && !(ok && x.Step && !l.learnt.memory[to.Var]) {
			n++
		}
	case *cfront.Binary:
		n++
		if _, constant := l.constant(x.Y); (x.Op == "/" || x.Op == "%") && !constant {
			const division = 4 // operations more, about
			n += division
		}
	default:
		n++
	}
	for _, o := range operands {
		n += l.operations(o)
	}
	return n
}

// later is size where a loop is written out in part: private arrays are registers by then, and places in memory count.
func (l *lowering) later(s cfront.Stmt) int {
	l.promoted = true
	defer func() { l.promoted = false }()
	return max(l.size(s)+l.places(s), 1)
}

// places is about how many operations the places in memory are that a statement accesses, which count where a loop is written out in part.
func (l *lowering) places(s cfront.Stmt) (n int) {
	for e := range cfront.Everywhere(s) {
		x, ok := e.(*cfront.Index)
		if !ok || l.inRegisters(x) || ofElement(x.Of) {
			continue
		}
		n++
		for _, sub := range x.Subs {
			if !divides(sub) {
				n += l.operations(sub)
			}
		}
	}
	return n
}

// ofElement reports whether an array is a member of an element of another one, or of what a pointer points to.
func ofElement(e cfront.Expr) bool {
	m, ok := e.(*cfront.Member)
	if !ok {
		return false
	}
	_, element := m.X.(*cfront.Index)
	return element || ofElement(m.X)
}

// sizes are those of functions of the library, by what they compute; of others it is usual.
var sizes = map[string]int{"exp": 7, "exp2": 5, "exp10": 7, "sqrt": 1, "rsqrt": 1, "sin": 5, "cos": 5, "tan": 5, "log": 33, "log2": 20, "log10": 33}

func (l *lowering) callSize(x *cfront.Call) int {
	const intrinsic, usual = 4, 20 // operations of a function of the device, and of one of its library, about
	if f := l.file.Function(x.Func); f != nil && len(l.calls) < 8 && f.Err == nil {
		l.calls = append(l.calls, f)
		n := l.size(f.Body)
		l.calls = l.calls[:len(l.calls)-1]
		return n
	}
	if f, ok := cfront.IntrinsicOf(x.Func); ok && f.Kind == cfront.Math {
		switch {
		case single[f.IR]:
			return 1
		case l.approximates(x): // by a unit
			return intrinsic
		case sizes[f.IR] > 0:
			return sizes[f.IR]
		}
		return usual
	}
	return intrinsic
}

// callsAny reports whether a statement calls a function of mathematics that is of a kind.
func (l *lowering) callsAny(s cfront.Stmt, is func(of string) bool) bool {
	for e := range cfront.Everywhere(s) {
		if x, ok := e.(*cfront.Call); ok && !l.approximates(x) {
			if f, known := cfront.IntrinsicOf(x.Func); known && f.Kind == cfront.Math && is(f.IR) || strings.HasPrefix(x.Func, "sincos") && is("sin") {
				return true
			}
		}
	}
	return false
}

// Kinds of functions: of more than an instruction; those that no loop is written out with; those with a loop in them, for great arguments.
func notSingle(of string) bool { return !single[of] }

func isPower(of string) bool { return of == "pow" }

func hasLoop(of string) bool { return of == "sin" || of == "cos" || of == "tan" || of == "pow" }

func isLiteral(e cfront.Expr) bool { _, is := e.(*cfront.Int); return is }

// ofArrays reports whether a loop has elements of private arrays whose subscripts are constant once it is written out: they follow from its counter, or from those of
// loops inside that are written out.
func (l *lowering) ofArrays(x *loop) bool {
	fixed := map[*cfront.Var]bool{}
	if c := l.counts(x); c != nil {
		fixed[c.v] = true
	}
	for s := range cfront.Statements(x.Body) {
		switch s.(type) {
		case *cfront.For, *cfront.While:
			inner := l.usual(s)
			if c := l.counts(inner); c != nil && l.nominal(s, nil) > 0 {
				fixed[c.v] = true
			}
		}
	}
	varies := func(e cfront.Expr) bool {
		r, ok := e.(*cfront.Ref)
		return ok && !fixed[r.Var]
	}
	for e := range cfront.Everywhere(x.Body) {
		i, ok := e.(*cfront.Index)
		if !ok || !isPrivateArray(cfront.Whole(i.Of)) {
			continue
		}
		literal := true
		for _, sub := range i.Subs {
			literal = literal && isLiteral(sub)
			if cfront.Any(sub, varies) {
				return false
			}
		}
		if !literal {
			return true
		}
	}
	return false
}

func isPrivateArray(v *cfront.Var) bool {
	return v != nil && v.Class == cfront.Local && !v.Pointer && v.Space != cfront.LocalSpace && len(v.Dims) > 0
}
