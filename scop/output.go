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
		return &expr.Call{Func: b.outputFunction(x.Func, expr.Int32, types, true), Args: args}
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

// summarized reads a call that stands for accesses of a function without a body.
func (b *builder) summarized(x *cfront.Call, of string, whole bool) expr.Expr {
	if b.nest.ordered == nil {
		b.nest.ordered = b.file.Errorf(x.Pos, "%s has no body here", of).WithHint("perf count, scop show and deps take its summary; give it a body to run it")
	}
	var args []expr.Expr
	var types []expr.DType
	for _, a := range x.Args {
		args, types = append(args, b.value(a)), append(types, a.Type())
	}
	return &expr.Call{Func: b.outputFunction(x.Func, x.Type(), types, whole), Args: args}
}

// outputFunction is the name of a function of these types, which counts as one operation or as none, and whose value is that of its first argument.
func (b *builder) outputFunction(of string, result expr.DType, types []expr.DType, counts bool) string {
	f := &kernel.Function{Result: result, Body: "return a0;", Counts: map[expr.DType]map[string]int64{}, Def: expr.Var{Name: "a0"}}
	key := of + " " + string(result)
	for i, t := range types {
		f.Params = append(f.Params, kernel.FunctionParam{Name: fmt.Sprintf("a%d", i), DType: t})
		key += " " + string(t)
	}
	if name, known := b.unseen[key]; known {
		return name
	}
	if counts {
		f.Counts[result] = map[string]int64{"func:" + of: 1}
	}
	f.Name = b.fresh(of + "_call")
	b.unseen[key] = f.Name
	b.nest.Functions = append(b.nest.Functions, f)
	return f.Name
}
