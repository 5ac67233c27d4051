package models

import (
	"math"
	"strconv"
	"strings"
)

// Expr is an expression. Nodes are never changed once made, so that they may be shared: an expression is a directed graph, and
// everything here takes time in proportion to its nodes, however large the tree would be.
type Expr struct {
	Op    Op
	Value float64 // of a Const
	Name  string  // of a Feature, Param or TermRef
	Args  []*Expr
}

func num(v float64) *Expr { return &Expr{Op: Const, Value: v} }

func (e *Expr) is(v float64) bool { return e.Op == Const && e.Value == v }

// Equal compares two expressions node by node.
func (e *Expr) Equal(o *Expr) bool {
	if e == o {
		return true
	}
	if e.Op != o.Op || e.Name != o.Name || len(e.Args) != len(o.Args) ||
		math.Float64bits(e.Value) != math.Float64bits(o.Value) {
		return false
	}
	for i := range e.Args {
		if !e.Args[i].Equal(o.Args[i]) {
			return false
		}
	}
	return true
}

// Strengths of binding: a prefix minus binds weaker than ** and stronger than *, and not weaker than comparisons.
const (
	bindChoose = iota
	bindOr
	bindAnd
	bindNot
	bindCompare
	bindAdd
	bindMul
	bindNeg
	bindPow
	bindAtom
)

func (e *Expr) binding() int {
	switch e.Op {
	case Choose:
		return bindChoose
	case Or:
		return bindOr
	case And:
		return bindAnd
	case Not:
		return bindNot
	case Less, AtMost, Equals, Differs:
		return bindCompare
	case Add, Sub:
		return bindAdd
	case Mul, Div:
		return bindMul
	case Neg:
		return bindNeg
	case Pow:
		return bindPow
	case Const:
		if math.Signbit(e.Value) {
			return bindNeg
		}
	}
	return bindAtom
}

// String prints the expression so that ParseExpr reads the same expression back.
func (e *Expr) String() string {
	var b strings.Builder
	e.print(&b)
	return b.String()
}

func (e *Expr) print(b *strings.Builder) {
	switch e.Op {
	case Const:
		b.WriteString(strconv.FormatFloat(e.Value, 'g', -1, 64))
	case Feature, Param, TermRef:
		b.WriteString(e.Name)
	case Neg:
		b.WriteByte('-')
		e.Args[0].printIn(b, bindNeg+1)
	case Not:
		b.WriteString("not ")
		e.Args[0].printIn(b, bindNot)
	case Choose:
		e.Args[0].printIn(b, bindChoose+1)
		b.WriteString(" ? ")
		e.Args[1].print(b)
		b.WriteString(" : ")
		e.Args[2].print(b)
	case Add, Sub, Mul, Div, Pow, Less, AtMost, Equals, Differs, And, Or:
		left, right := e.binding(), e.binding()+1
		switch {
		case e.Op == Pow: // binds to the right
			left, right = right, left
		case left == bindCompare: // comparisons in a row mean another thing
			left = right
		}
		e.Args[0].printIn(b, left)
		b.WriteString(" " + ops[e.Op].name + " ")
		e.Args[1].printIn(b, right)
	default:
		b.WriteString(ops[e.Op].name + "(")
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			a.print(b)
		}
		b.WriteByte(')')
	}
}

func (e *Expr) printIn(b *strings.Builder, least int) {
	if e.binding() >= least {
		e.print(b)
		return
	}
	b.WriteByte('(')
	e.print(b)
	b.WriteByte(')')
}

// walk visits every node with arguments once, and leaves perhaps more often: arguments from left to right and before the node itself.
func (e *Expr) walk(visit func(*Expr)) {
	seen := make(map[*Expr]bool)
	var rec func(*Expr)
	rec = func(e *Expr) {
		if len(e.Args) > 0 {
			if seen[e] {
				return
			}
			seen[e] = true
		}
		for _, a := range e.Args {
			rec(a)
		}
		visit(e)
	}
	rec(e)
}

// names lists the names at the leaves of one kind, in order of first use.
func (e *Expr) names(op Op) []string {
	var out []string
	seen := make(map[string]bool)
	e.walk(func(n *Expr) {
		if n.Op == op && !seen[n.Name] {
			seen[n.Name] = true
			out = append(out, n.Name)
		}
	})
	return out
}

// substitute replaces leaves; a leaf for which with gives nil stays.
func (e *Expr) substitute(with func(leaf *Expr) *Expr) *Expr {
	memo := make(map[*Expr]*Expr)
	var rec func(*Expr) *Expr
	rec = func(e *Expr) *Expr {
		if r, ok := memo[e]; ok {
			return r
		}
		r := e
		if len(e.Args) == 0 {
			if s := with(e); s != nil {
				r = s
			}
		} else {
			args := make([]*Expr, len(e.Args))
			changed := false
			for i, a := range e.Args {
				args[i] = rec(a)
				changed = changed || args[i] != a
			}
			if changed {
				r = &Expr{Op: e.Op, Value: e.Value, Name: e.Name, Args: args}
			}
		}
		memo[e] = r
		return r
	}
	return rec(e)
}
