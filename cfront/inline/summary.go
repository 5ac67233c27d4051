package inline

import (
	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// reading is the suffix of the name of calls that stand for what a function without a body reads.
const reading = "_reads"

// Summarized is the function without a body that a call stands for, where Expanded has put what its summary accesses in the place of its calls. whole tells the call that
// does what the function does from those that only read.
func Summarized(f *cfront.File, call *cfront.Call) (of string, whole, ok bool) {
	for name := range f.Summaries {
		if call.Func == name || call.Func == name+reading {
			return name, call.Func == name, f.Function(name) == nil
		}
	}
	return "", false, false
}

// summary is a function with the accesses of one that has no body, by the summary that its declaration names: it reads all that the summary reads, then computes one value, and
// writes that wherever the summary writes. It is nil where the file has no summary, or one that is no plain list of accesses.
func (x *expander) summary(call *cfront.Call) *cfront.Function {
	of := x.file.Function(x.file.Summaries[call.Func])
	if of == nil || of.Err != nil || of.Result != "" || of.Pointer {
		return nil
	}
	like := cfront.CastTo(expr.Float64, cfront.Zero(call.Pos))
	if call.Type() != "" {
		like.DType = call.Type()
	}
	_, value := cfront.Temporary(call.Func+"_value", like)
	s := &summarizer{name: call.Func, value: value, plain: true}
	items := []cfront.Stmt{
		&cfront.Declare{Pos: call.Pos, Vars: []*cfront.Var{value.Var}, Bare: true}, do(call.Pos, cfront.Assignment(value, cfront.Zero(call.Pos))),
		s.statement(of.Body), do(call.Pos, cfront.Assignment(value, s.call(call.Func, value))),
	}
	s.writes = true
	items = append(items, s.statement(of.Body))
	if call.Type() != "" {
		items = append(items, &cfront.Jump{Pos: call.Pos, What: "return", Value: value})
	}
	if !s.plain {
		return nil
	}
	out := *of
	out.Name, out.Result, out.Body = call.Func, call.Type(), block(of.Body.Pos, items, of.Body.Last)
	return &out
}

// summarizer makes of the body of a summary what it reads, or what it writes. Variables of the summary keep what they have, as subscripts may use it.
type summarizer struct {
	name   string
	value  *cfront.Ref
	writes bool
	plain  bool
}

func (s *summarizer) call(name string, args ...cfront.Expr) *cfront.Call {
	return cfront.Calling(s.value, name, args...)
}

func (s *summarizer) statement(st cfront.Stmt) cfront.Stmt {
	switch x := st.(type) {
	case nil:
		return nil
	case *cfront.Block:
		out := block(x.Pos, nil, x.Last)
		for _, inner := range x.Items {
			out.Items = append(out.Items, s.statement(inner))
			if d, ok := inner.(*cfront.Declare); ok && !s.writes {
				for _, v := range d.Vars {
					if v.Init != nil {
						out.Items = append(out.Items, s.reads(cfront.Use(v))...)
					}
				}
			}
		}
		return out
	case *cfront.For:
		out := *x
		out.Body = s.statement(x.Body)
		return &out
	case *cfront.If:
		out := *x
		out.Then = s.statement(x.Then)
		if x.Else != nil {
			out.Else = s.statement(x.Else)
		}
		return &out
	case *cfront.Declare:
		return x
	case *cfront.Do:
		return block(x.Pos, s.effect(x), x.Pos.Line)
	}
	s.plain = false
	return st
}

func (s *summarizer) effect(d *cfront.Do) (out []cfront.Stmt) {
	a, ok := d.X.(*cfront.Assign)
	if !ok {
		if d.X != nil && !s.writes {
			out = s.reads(d.X)
		}
		return out
	}
	if r, ok := a.To.(*cfront.Ref); ok {
		if out = append(out, d); !s.writes {
			out = append(out, s.reads(r)...)
		}
		return out
	}
	if s.writes {
		return []cfront.Stmt{do(d.Pos, cfront.Assignment(a.To, s.value))}
	}
	if out = s.reads(a.Value); a.Op != "" {
		out = append(out, s.reads(a.To)...)
	}
	return out
}

// reads notes that the function reads a value.
func (s *summarizer) reads(e cfront.Expr) []cfront.Stmt {
	if e.Type() == "" {
		s.plain = false
		return nil
	}
	if !cfront.Any(e, func(e cfront.Expr) bool { _, is := e.(*cfront.Ref); return is }) {
		return nil
	}
	return []cfront.Stmt{do(e.Place(), cfront.Assignment(s.value, s.call(s.name+reading, s.value, e)))}
}
