package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/internal/source"
)

// The limits of a run are checked while it runs (limits.go). That is too late for the few Starlark operations that
// allocate at once, and far more than the size of their operands: repetition, replace, and whatever expands a range.
// They refuse to make more than this many elements or bytes, which is as many as a loop could visit.
const maxElements = defaultSteps

// guardFile makes a file call guards in place of these operations. Their names are no identifiers, so that a script can
// neither call nor shadow them.
func guardFile(filename, text string, f *syntax.File) (err error) {
	fail := func(pos syntax.Position, msg, hint string) {
		if err == nil {
			err = source.At(filename, text, place(pos), "%s", msg).WithHint("%s", hint)
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LoadStmt:
			fail(n.Load, "load is not available: a kernel script is one file", "")
		case *syntax.BinaryExpr: // x * y becomes 1 and times(x, y), so that the node stays where it is
			if n.Op == syntax.STAR {
				one := &syntax.Literal{Token: syntax.INT, TokenPos: syntax.Start(n.X), Value: int64(1)}
				n.X, n.Op, n.Y = one, syntax.AND, call(timesName, n.OpPos, n.X, n.Y)
			}
		case *syntax.AssignStmt: // x *= y becomes x = times(x, y)
			if n.Op != syntax.STAR_EQ {
				break
			}
			id, ok := n.LHS.(*syntax.Ident)
			if !ok { // its parts would be evaluated twice
				fail(n.OpPos, "augmented assignment by *= needs a plain name on its left", "write x[i] = x[i] * y")
				break
			}
			n.Op, n.RHS = syntax.EQ, call(timesName, n.OpPos, &syntax.Ident{NamePos: id.NamePos, Name: id.Name}, n.RHS)
		case *syntax.DotExpr:
			if n.Name.Name == "replace" {
				n.X = call(receiverName, n.Dot, n.X)
			}
		}
		return true
	})
	return err
}

func call(name string, pos syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: pos, Name: name}, Lparen: pos, Args: args, Rparen: pos}
}

const (
	timesName    = "*" // x * y
	receiverName = "." // x, whose method replace is guarded
)

// guards are the builtins that guardFile inserts calls of, and those that replace Starlark's own.
var guards = starlark.StringDict{
	timesName:    starlark.NewBuiltin(timesName, times),
	receiverName: starlark.NewBuiltin(receiverName, receiver),
	"range":      starlark.NewBuiltin("range", guardedRange),
	"getattr":    starlark.NewBuiltin("getattr", getattr),
}

func tooMany(count, each int) error {
	if each > 0 && count > maxElements/each {
		return fmt.Errorf("a value of more than %d elements is more than a kernel script may make at once", maxElements)
	}
	return nil
}

func times(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	for i, x := range args {
		n, isInt := args[1-i].(starlark.Int)
		if length := starlark.Len(x); length > 0 && isInt {
			count, err := starlark.AsInt32(n)
			if err != nil && n.Sign() > 0 {
				count = maxElements + 1
			}
			if err := tooMany(count, length); err != nil {
				return nil, err
			}
		}
	}
	return starlark.Binary(syntax.STAR, args[0], args[1])
}

func guardedRange(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r, err := starlark.Call(thread, starlark.Universe["range"], args, kwargs)
	if err != nil {
		return nil, err
	}
	return r, tooMany(starlark.Len(r), 1)
}

// text is a string as the receiver of a guarded method.
type text struct {
	starlark.HasAttrs
	value string
}

func (s text) Attr(name string) (starlark.Value, error) {
	method, err := s.HasAttrs.Attr(name)
	if method == nil || name != "replace" {
		return method, err
	}
	replace := func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) >= 2 {
			from, _ := starlark.AsString(args[0])
			if err := tooMany(strings.Count(s.value, from), starlark.Len(args[1])); err != nil {
				return nil, err
			}
		}
		return starlark.Call(thread, method, args, kwargs)
	}
	return starlark.NewBuiltin(name, replace), nil
}

func receiver(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if s, ok := args[0].(starlark.String); ok {
		return text{s, string(s)}, nil
	}
	return args[0], nil
}

func getattr(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		if s, ok := args[0].(starlark.String); ok {
			args[0] = text{s, string(s)}
		}
	}
	return starlark.Call(thread, starlark.Universe["getattr"], args, kwargs)
}
