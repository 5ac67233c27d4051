package models

import (
	"fmt"
	"math"
	"strings"

	"gpuperf/internal/lists"
)

// Edge is a form of overlap in an expression: the smooth function of two costs, and the parameters of its shape alone.
type Edge struct {
	Form   Form
	Text   string   // as the model file writes it
	Shapes []string // parameters of its edge or exponent that occur nowhere else
	at     int      // of the results of Edges
}

// Edges evaluates the forms of overlap of a model, and the model as it is without their smooth edges. One goroutine at a time.
type Edges struct {
	List []Edge

	tape *tape // value and larger cost of each, then the model with a floor under each, without and with slack
}

// Slack is how far a form of overlap may fall below the larger of its costs, as a part of it: 0.01 is a per cent. A device that pays two costs at
// the same time takes the larger at least; the tanh of the smooth form is close to it only where its edge is sharp.
const Slack = 0.01

// Edges lists the forms of overlap in the expression of a model.
func (m *Model) Edges() *Edges {
	e := m.Expr()
	out := &Edges{}
	var roots []*Expr
	seen := map[*Expr]bool{}
	e.walk(func(n *Expr) {
		if form := n.form(); form != "" && !seen[n] {
			seen[n] = true
			out.List = append(out.List, Edge{Form: form, Text: n.String(), Shapes: m.shapesOf(n), at: len(roots)})
			roots = append(roots, n, call(Max, n.Args[0], n.Args[1]))
		}
	})
	roots = append(roots, e.raised(0, map[*Expr]*Expr{}), e.raised(Slack, map[*Expr]*Expr{}))
	out.tape = assemble(e.names(Feature), e.names(Param), roots)
	return out
}

// shapesOf lists the parameters in the third argument of a form that stand in no other place of the model but third arguments.
func (m *Model) shapesOf(n *Expr) (names []string) {
	elsewhere, seen := map[string]bool{}, map[*Expr]bool{}
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		args := e.Args
		if e.form() != "" {
			args = args[:2]
		}
		if e.Op == Param {
			elsewhere[e.Name] = true
		}
		for _, a := range args {
			walk(a)
		}
	}
	walk(m.Expr())
	for _, name := range n.Args[2].names(Param) {
		if !elsewhere[name] {
			names = append(names, name)
		}
	}
	return names
}

// raised is the expression with a floor under each form of overlap: the larger of its costs, less a part of it.
func (e *Expr) raised(slack float64, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	r := e
	if len(e.Args) > 0 {
		args := lists.Map(e.Args, func(a *Expr) *Expr { return a.raised(slack, memo) })
		r = call(e.Op, args...)
		if e.form() != "" {
			larger := call(Max, args[0], args[1])
			r = call(Max, r, sub(larger, mul(num(slack), call(Abs, larger))))
		}
	}
	memo[e] = r
	return r
}

// Raised is the value of the model with a floor under each form of overlap: the larger of its costs, and that less [Slack].
func (s *Edges) Raised(features, params []float64) (full, slack float64) {
	s.tape.run(features, params)
	n := len(s.tape.out)
	return s.tape.regs[s.tape.out[n-2]], s.tape.regs[s.tape.out[n-1]]
}

// Shortfall is how far a form of overlap is below the larger of its costs, as a part of it; 0 where it is not below, or no cost is positive.
func (s *Edges) Shortfall(i int, features, params []float64) float64 {
	s.tape.run(features, params)
	at := s.List[i].at
	value, larger := s.tape.regs[s.tape.out[at]], s.tape.regs[s.tape.out[at+1]]
	if !(larger > 0) {
		return 0
	}
	return max(0, 1-value/larger)
}

// Broken finds the first part of the model, as it is evaluated, that is not finite for values by name, and its value; "" where all are finite.
func (m *Model) Broken(features, params map[string]float64) (part string, value float64) {
	memo := map[*Expr]float64{}
	var eval func(e *Expr) float64
	eval = func(e *Expr) float64 {
		if v, ok := memo[e]; ok {
			return v
		}
		var v float64
		switch e.Op {
		case Const:
			v = e.Value
		case Feature:
			v = features[e.Name]
		case Param:
			v = params[e.Name]
		default:
			var args [3]float64
			for i, a := range e.Args {
				args[i] = eval(a)
			}
			v = ops[e.Op].eval(args[0], args[1], args[2])
		}
		memo[e] = v
		if part == "" && (math.IsNaN(v) || math.IsInf(v, 0)) {
			part, value = e.String()+at(e, features, params), v
		}
		return v
	}
	eval(m.Expr())
	return part, value
}

// at says at which values an expression is.
func at(e *Expr, features, params map[string]float64) string {
	list := lists.Map(e.names(Feature), func(name string) string { return fmt.Sprintf("%s = %g", name, features[name]) })
	for _, name := range e.names(Param) {
		list = append(list, fmt.Sprintf("%s = %g", name, params[name]))
	}
	if len(list) == 0 {
		return ""
	}
	return " at " + strings.Join(list, ", ")
}
