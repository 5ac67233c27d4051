package launchfile

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/kernel/expr"
)

// number is an expression in the sizes.
type number struct {
	node *yamlfile.Node
	expr expr.Expr
}

// step is the number of a launch among those that repeat makes of it, from 0 on.
const step = "step"

// number reads an expression in the sizes, and in others that have a value where it stands.
func (r *reader) number(n *yamlfile.Node) number {
	text := throw.Get(n.String())
	e, err := expr.ParseSizes(text)
	if err != nil {
		panic(throw.Of(n.Within(err)))
	}
	known := slices.Sorted(maps.Keys(r.file.Sizes))
	if r.repeated {
		known = append(known, step)
	}
	expr.FreeVars(e, func(name string) {
		if err == nil && !slices.Contains(known, name) {
			hint := "give it a value: sizes: {" + name + ": 1048576}"
			if len(known) > 0 {
				hint += ", as parameters of tune have one, too"
			}
			if source.Nearest(name, known) != "" {
				hint = source.Suggest(name, known)
			}
			err = n.Within(expr.NameError(text, name, "there is no size %q").WithHint("%s", hint))
		}
	})
	throw.If(err)
	return number{n, e}
}

// whole makes quotients integers, rounded down, and powers their values, as of 2 ** step.
func whole(at map[string]int64) func(expr.Expr) expr.Expr {
	return func(e expr.Expr) expr.Expr {
		op, ok := e.(*expr.Op)
		switch {
		case ok && op.Kind == expr.Div:
			return &expr.Op{Kind: expr.FloorDiv, Args: op.Args}
		case !ok || op.Kind != expr.Pow:
			return e
		}
		base, known := expr.EvalInt64(op.Args[0], at)
		exponent, also := expr.EvalInt64(op.Args[1], at)
		if !known || !also || exponent < 0 || exponent > 63 {
			return e
		}
		if power := new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil); power.IsInt64() {
			return expr.Int{Value: power.Int64()}
		}
		return e
	}
}

func (v number) int(at map[string]int64) (int64, error) {
	x, err := expr.EvalInt(expr.Rewrite(v.expr, whole(at)), at)
	if err != nil {
		return 0, v.node.Errorf("%v", err)
	}
	if !x.IsInt64() {
		return 0, v.errorAt(at, "it is %v, which needs more than 64 bits", x)
	}
	return x.Int64(), nil
}

// atLeast is int, for what must not be smaller than a number.
func (v number) atLeast(least int64, at map[string]int64) (int64, error) {
	x, err := v.int(at)
	if err == nil && x < least {
		err = v.errorAt(at, "it is %d, and must be at least %d", x, least)
	}
	return x, err
}

func (v number) float(at map[string]int64) (float64, error) {
	x, err := expr.EvalFloat(v.expr, at)
	if err != nil {
		return 0, v.node.Errorf("%v", err)
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, v.errorAt(at, "it is %v, which is no number to pass", x)
	}
	return x, nil
}

func (v number) errorAt(at map[string]int64, msg string, args ...any) *source.Error {
	if len(at) > 0 {
		msg = "with " + strings.ReplaceAll(format.SizeList(at, ", "), "%", "%%") + " " + msg
	}
	return v.node.Errorf(msg, args...)
}
