package scoptest

import (
	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// onData reports whether the value of an expression depends on data, as Value.Data has it of one that was computed.
func (m *machine) onData(e cfront.Expr) bool {
	return cfront.Any(e, func(e cfront.Expr) bool {
		switch x := e.(type) {
		case *cfront.Index, *cfront.Float:
			return true
		case *cfront.Ref:
			_, iterator := m.iterators[x.Var]
			_, param := m.params[x.Var.Name]
			return !iterator && (!param || m.scalars[x.Var]) && x.DType != expr.Int32
		case *cfront.Binary:
			return x.Op == "*" && !isInt(x.X) && !isInt(x.Y)
		}
		return false
	})
}
