package scop

import (
	"fmt"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// outputs are functions that write text or end the program: they change no memory of the program, and their order matters.
var outputs = []string{"printf", "fprintf", "puts", "fputs", "putchar", "fputc", "fflush", "exit", "abort"}

// Ordered is the error of whatever would run a nest in which something has to happen in the order of the text that a device does not do; nil for others.
func (n *Nest) Ordered() error {
	if n.ordered == nil {
		return nil
	}
	return n.ordered
}

// output makes a statement of the call of such a function: it reads its arguments, and a variable that stands for what has been written.
func (b *builder) output(x *cfront.Call, at scope, place int64) int64 {
	if b.written == nil {
		b.written, _ = cfront.Temporary("output", cfront.Zero(x.Pos))
		b.uses.written[b.written], b.uses.addressed[b.written] = true, true
		b.nest.ordered = b.file.Errorf(x.Pos, "%s is called for each point, which kernels cannot do in the order of the text", x.Func).
			WithHint("perf count, scop show and deps take the nest; move the call out of it")
	}
	b.domain = at.domain
	s := &Statement{
		Name: fmt.Sprintf("S%d", len(b.nest.Statements)), Pos: x.Pos, Loops: slices.Clone(b.open), Iterators: slices.Clone(b.iters),
		Order: appended(at.order, polycount.Int(place)), Domain: at.domain.Named(fmt.Sprintf("S%d", len(b.nest.Statements))),
	}
	b.found = nil
	use := cfront.Use(b.written)
	read := func() expr.Expr {
		args, types := []expr.Expr{b.value(use)}, []expr.DType{expr.Int32}
		for _, a := range x.Args {
			if a.Type() != "" {
				args, types = append(args, b.value(a)), append(types, a.Type())
			}
		}
		return &expr.Call{Func: b.outputFunction(x.Func, types), Args: args}
	}
	if s.Guarded = len(b.guards) > 0; s.Guarded {
		s.RHS = b.choose(use, read, expr.Int32)
	} else {
		s.RHS = read()
	}
	s.LHS = b.target(use)
	s.Accesses = b.found
	b.nest.Statements = append(b.nest.Statements, s)
	return place + 1
}

// outputFunction is the name of a function of these types that counts as one operation.
func (b *builder) outputFunction(of string, types []expr.DType) string {
	f := &kernel.Function{Result: expr.Int32, Body: "return a0;", Counts: map[expr.DType]map[string]int64{expr.Int32: {"func:" + of: 1}}}
	f.Def = expr.Var{Name: "a0"}
	for i, t := range types {
		f.Params = append(f.Params, kernel.FunctionParam{Name: fmt.Sprintf("a%d", i), DType: t})
	}
	for _, known := range b.nest.Functions {
		if slices.Equal(known.Params, f.Params) && known.Counts[expr.Int32]["func:"+of] > 0 {
			return known.Name
		}
	}
	f.Name = b.fresh(of + "_call")
	b.nest.Functions = append(b.nest.Functions, f)
	return f.Name
}
