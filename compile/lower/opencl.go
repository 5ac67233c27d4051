package lower

import (
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// The words of constant bank 0 that say how large a work-group is along the axes, and how many there are.
const (
	groupAt = 0
	gridAt  = 12
)

// where is a position or an extent of the launch along an axis.
func (l *lowering) where(special string, bank, axis int64) *ssa.Value {
	if special != "" {
		return l.MakeAux(ssa.Special, ssa.W, special+"."+string("XYZ"[axis]))
	}
	return l.MakeInt(ssa.Param, ssa.W, bank+4*axis)
}

// workItem is a function of OpenCL C that tells where a work-item is. Offsets of launches are 0.
func (l *lowering) workItem(x *cfront.Call) value {
	axis := int64(0)
	if len(x.Args) > 0 {
		a := l.expression(x.Args[0])
		if len(a.x) != 1 || a.x[0].Op != ssa.Const {
			l.fail(x.Pos, "%s of an axis that is not constant is not compiled here", x.Func)
		}
		if axis = a.x[0].Int; axis < 0 || axis > 2 {
			return l.convert(x.Pos, number(expr.Uint32, l.Const(outside(x.Func))), x.DType)
		}
	}
	add := func(a, b *ssa.Value) *ssa.Value { return l.Make(ssa.Add, ssa.W, a, b) }
	mul := func(a, b *ssa.Value) *ssa.Value { return l.Make(ssa.Mul, ssa.W, a, b) }
	item := func(d int64) *ssa.Value { return l.where("SR_TID", 0, d) }
	group := func(d int64) *ssa.Value { return l.where("SR_CTAID", 0, d) }
	items := func(d int64) *ssa.Value { return l.where("", groupAt, d) }
	groups := func(d int64) *ssa.Value { return l.where("", gridAt, d) }
	global := func(d int64) *ssa.Value { return add(mul(group(d), items(d)), item(d)) }
	local := func() *ssa.Value { return add(mul(add(mul(item(2), items(1)), item(1)), items(0)), item(0)) }
	const lanes, width = 31, 5 // of a sub-group, and the bits of its number
	var v *ssa.Value
	switch x.Func {
	case "get_global_id":
		v = global(axis)
	case "get_local_id":
		v = item(axis)
	case "get_group_id":
		v = group(axis)
	case "get_local_size", "get_enqueued_local_size":
		v = items(axis)
	case "get_num_groups":
		v = groups(axis)
	case "get_global_size":
		v = mul(groups(axis), items(axis))
	case "get_local_linear_id":
		v = local()
	case "get_global_linear_id":
		size := func(d int64) *ssa.Value { return mul(groups(d), items(d)) }
		v = add(mul(add(mul(global(2), size(1)), global(1)), size(0)), global(0))
	case "get_global_offset":
		v = l.Const(0)
	case "get_sub_group_size", "get_max_sub_group_size":
		v = l.Const(lanes + 1)
	case "get_sub_group_local_id":
		v = l.Make(ssa.And, ssa.W, local(), l.Const(lanes))
	case "get_sub_group_id":
		v = l.Make(ssa.ShrU, ssa.W, local(), l.Const(width))
	case "get_num_sub_groups":
		v = l.Make(ssa.ShrU, ssa.W, add(mul(mul(items(2), items(1)), items(0)), l.Const(lanes)), l.Const(width))
	default:
		l.fail(x.Pos, "%s is not compiled here", x.Func)
	}
	return l.convert(x.Pos, number(expr.Uint32, v), x.DType)
}

// outside is what a function tells of an axis that no launch has.
func outside(name string) int64 {
	if strings.HasSuffix(name, "_id") || name == "get_global_offset" {
		return 0
	}
	return 1
}

// approximated reports whether a function is by its name one that is not exact.
func approximated(name string) bool {
	return strings.HasPrefix(name, "native_") || strings.HasPrefix(name, "half_") || strings.HasPrefix(name, "fast_") || strings.HasSuffix(name, "fdividef")
}

// vectors loads or stores a vector whose elements lie as numbers do: vload4(i, p) is that at p + 4 * i. Halves are kept as floats.
func (l *lowering) vectors(x *cfront.Call, store bool) value {
	args := x.Args
	var v value
	if store {
		v, args = l.expression(args[0]), args[1:]
	}
	if len(args) != 2 {
		l.fail(x.Pos, "%s has %d arguments", x.Func, len(x.Args))
	}
	at, p := l.expression(args[0]), l.expression(args[1])
	if p.p == nil || p.elem == "" {
		l.fail(x.Pos, "%s of no pointer to numbers is not compiled here", x.Func)
	}
	each := p.elem.Base()
	lanes := v.t.Lanes()
	if !store {
		lanes = x.DType.Lanes()
	}
	stride := lanes
	if lanes == 3 && strings.Contains(x.Func, "a_half") {
		stride = 4
	}
	to := l.advanced(x.Pos, p.p, at, stride*each.Size())
	out := value{t: x.DType}
	for i := range lanes {
		one := place{p: to.shift(i * each.Size()), t: each}
		if store {
			l.write(x.Pos, one, number(v.t.Base(), v.x[i]))
			continue
		}
		out.x = append(out.x, l.convert(x.Pos, l.read(x.Pos, one), x.DType.Base()).x[0])
	}
	return out
}

// groupLocal gives a parameter in local memory its place behind what the kernel declares.
func (l *lowering) groupLocal(p *cfront.Var, bytes int64) {
	at := l.sharedEnd(wholeWords)
	l.env[key{p, 0}] = slot{p: &pointer{space: ssa.Shared, off: at, object: p}}
	l.Shared = at + bytes
}
