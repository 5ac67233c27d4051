package explore

import (
	"fmt"
	"strconv"

	"gpuperf/device"
	"gpuperf/kernel/expr"
)

// formula is an expression of i as tokens for devices.
func formula(e expr.Expr) (out device.Formula, err error) {
	var walk func(e expr.Expr)
	apply := func(token string, args ...expr.Expr) {
		for _, a := range args {
			walk(a)
		}
		out = append(out, token)
	}
	walk = func(e expr.Expr) {
		switch x := e.(type) {
		case expr.Int:
			out = append(out, strconv.FormatInt(x.Value, 10))
		case expr.Float:
			out = append(out, strconv.FormatFloat(x.Value, 'g', -1, 64))
		case expr.Var:
			if x.Name != "i" && err == nil {
				err = fmt.Errorf("%s is unknown: only i, the number of an element, is known", x.Name)
			}
			out = append(out, x.Name)
		case *expr.Op:
			apply(string(x.Kind), x.Args[:min(2, len(x.Args))]...)
			for i := 2; i < len(x.Args); i++ {
				apply(string(x.Kind), x.Args[i])
			}
		case *expr.Call:
			apply(x.Func, x.Args...)
		case *expr.Cond:
			apply("if", x.If, x.Then, x.Else)
		default:
			if err == nil {
				err = fmt.Errorf("%s has no value here", e)
			}
		}
	}
	walk(e)
	if err == nil {
		err = out.Check("float64")
	}
	return out, err
}
