package launch

import (
	"maps"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// A work-item computes one after the other what depends on what it has computed before. With few sub-groups on a multiprocessor that is what the time
// depends on: the longest chain of dependent instructions in each straight line of code, as a loop comes back to its start only when all instructions
// of its body are issued.

// link says that a value is known so many cycles after another one, which is "" for what nothing in the code delays.
type link struct {
	from   string
	cycles float64
}

// linker finds the links of a statement.
type linker struct {
	*kernel.Kernel
	varies map[string][]string // the names in the indices of variables
	fused  map[string]bool     // variables that are products of multiply-adds
	links  []link
	times  *[issueKinds]float64 // latencies
	local  float64              // that of local memory, in cycles
	alone  bool                 // some operation is alone
}

// variable is what the links of a private variable are named by.
func (l *linker) variable(e expr.Expr) string {
	name := e.String()
	if a, ok := e.(*expr.Access); ok && l.varies[name] == nil {
		for _, i := range a.Index {
			expr.FreeVars(i, func(of string) { l.varies[name] = append(l.varies[name], of) })
		}
	}
	return name
}

// hasBranches reports whether an operation is computed by code with branches of its own, as quotients and roots that are rounded correctly are: nothing after it
// begins before it has ended.
func hasBranches(kind issue, name string) bool {
	switch kind {
	case issueDivide, issueDivideDouble, issueRootDouble, issueFunctionDouble, issuePeriodic:
		return true
	}
	return name == "func:sqrt"
}

// visit adds the links of an expression whose value is used so many cycles before the end.
func (l *linker) visit(e expr.Expr, after float64) {
	if isNumber(e) {
		l.links = append(l.links, link{"", after})
		return
	}
	switch x := e.(type) {
	case expr.Var:
		if a := l.Array(x.Name); a != nil && a.Space == kernel.Local {
			after += l.local
		}
		l.links = append(l.links, link{l.variable(x), after})
	case *expr.Access:
		l.access(x, after)
	case *expr.Op:
		l.operator(x, after)
	case *expr.Call:
		if f := l.Function(x.Func); f == nil {
			after += l.latency("func:"+x.Func, x)
		} else {
			after += l.times[issueSingle]
		}
		for _, arg := range x.Args {
			l.visit(arg, after)
		}
	case *expr.Cond:
		after += l.times[issueSelect]
		l.visit(x.If, after)
		l.visit(x.Then, after)
		l.visit(x.Else, after)
	case *expr.Cast:
		from, err := l.TypeOf(x.Arg)
		if err == nil {
			after += l.times[conversion(from, x.DType)]
		}
		l.visit(x.Arg, after)
	}
}

func (l *linker) access(x *expr.Access, after float64) {
	a := l.Array(x.Array)
	switch {
	case a != nil && a.Space == kernel.Private:
		l.links = append(l.links, link{l.variable(x), after})
	case a != nil && a.Space == kernel.Local:
		after += l.local
		fallthrough
	default:
		l.links = append(l.links, link{"", after})
		for _, i := range x.Index { // that may be computed from data
			expr.FreeVars(i, func(name string) { l.links = append(l.links, link{name, after}) })
		}
	}
}

// stepsByConstant are the operations of a quotient by a constant that come one after the other.
const stepsByConstant = 3

// operator adds the links of an operation. Of several operands the first two come first. A product that is added is part of a multiply-add.
func (l *linker) operator(x *expr.Op, after float64) {
	cycles := 0.0
	if by := divisor(l.Kernel, x); by != nil && l.simple(x, by) {
		cycles = stepsByConstant * l.times[issueSingle]
	} else if x.Kind != expr.Neg {
		cycles = l.latency(ops.Operators[x.Kind].Name, x)
	}
	for i, arg := range x.Args {
		at := after + cycles*float64(max(1, len(x.Args)-max(i, 1)))
		if product, ok := arg.(*expr.Op); ok && (x.Kind == expr.Add || x.Kind == expr.Sub) && product.Kind == expr.Mul && len(product.Args) == 2 {
			l.visit(product.Args[0], at)
			l.visit(product.Args[1], at)
			continue
		}
		if v, ok := ops.Unsigned(arg).(expr.Var); ok && l.fused[v.Name] && (x.Kind == expr.Add || x.Kind == expr.Sub) {
			at -= l.latency("mul", v) // which its variable is counted with
		}
		l.visit(arg, at)
	}
}

// simple reports whether a quotient is computed without a division.
func (l *linker) simple(x *expr.Op, by expr.Expr) bool {
	power, constant := isConstant(by)
	t, err := l.TypeOf(x)
	return err == nil && constant && (power || t.IsInteger())
}

// latency is that of an operation, in cycles.
func (l *linker) latency(op string, e expr.Expr) float64 {
	t, err := l.TypeOf(e)
	if err != nil {
		return l.times[issueSingle]
	}
	kind := issueOf(op, t.Base())
	l.alone = l.alone || hasBranches(kind, op)
	return l.times[kind]
}

// chained finds what a statement waits for to compute its value, and the variable that it sets.
func (b *builder) chained(s *kernel.Stmt, value expr.Expr, out *exec) {
	l := &linker{Kernel: b.p.nest.Kernel, varies: b.p.varies, fused: b.fused[s], times: &b.p.latencies, local: b.p.opt.Device.Rough(facts.SharedLatency)}
	l.visit(value, 0)
	out.links, out.alone = l.links, l.alone
	if a, ok := s.LHS.(*expr.Access); ok {
		if to := l.Array(a.Array); to == nil || to.Space != kernel.Private {
			return
		}
	}
	if s.LHS != nil {
		out.to = l.variable(s.LHS)
	}
}

// ready says when variables are known, in cycles since a straight line of code began; "" is when the next instruction can begin.
type ready map[string]float64

// chain goes on with nodes of a straight line of code, and returns when all that it has found so far has ended. Loops that stay loops are left out; what
// comes after begins when all before has ended.
func (p *Program) chain(list []node, at ready, end float64) float64 {
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			t := at[""]
			for _, l := range x.links {
				t = max(t, max(at[l.from], at[""])+l.cycles)
			}
			if x.to != "" {
				at[x.to] = t
			}
			end = max(end, t)
			if x.alone {
				at[""] = end
			}
		case barrier:
			at[""] = end
		case *guard:
			end = p.chain(x.body, at, end)
		case *loop:
			if x.straight {
				end = p.repeat(x, x.trips, at, end)
			} else {
				at[""] = end
			}
		}
	}
	return end
}

// repeat goes on with so many iterations of a loop: after the second all take as long.
func (p *Program) repeat(l *loop, n int64, at ready, end float64) float64 {
	own := maps.Clone(at)
	once := func() float64 {
		for name := range at { // another element in each iteration
			if slices.Contains(p.varies[name], l.iname) {
				at[name] = own[name]
			}
		}
		return p.chain(l.body, at, end)
	}
	first := once()
	if end = first; n < 2 {
		return end
	}
	before := maps.Clone(at)
	end = once()
	for name, t := range at {
		if since, ok := before[name]; ok {
			at[name] = t + (t-since)*float64(n-2)
		}
	}
	return end + (end-first)*float64(n-2)
}

// chains finds the longest chains of loops that stay loops.
func (p *Program) chains(list []node) {
	for _, n := range list {
		switch x := n.(type) {
		case *guard:
			p.chains(x.body)
		case *loop:
			p.chains(x.body)
			if !x.straight {
				x.chain = p.repeat(x, max(x.by, 1), ready{}, 0)
			}
		}
	}
}
