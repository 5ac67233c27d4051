package emit

import (
	"maps"
	"slices"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// atomicNames are the operations in the names of functions.
var atomicNames = map[expr.OpKind]string{
	expr.Add: "add", expr.Sub: "sub", expr.Min: "min", expr.Max: "max", expr.BitAnd: "and", expr.BitOr: "or", expr.BitXor: "xor",
}

// atomics are formats for all operations: a prefix with the operation's name, and the arguments.
func atomics(prefix, arguments string) map[expr.OpKind]string {
	out := map[expr.OpKind]string{}
	for op, name := range atomicNames {
		if !strings.HasSuffix(prefix, "_") {
			name = strings.ToUpper(name[:1]) + name[1:]
		}
		out[op] = prefix + name + arguments
	}
	return out
}

// cudaSums are the atomic updates of floating-point numbers that CUDA C has.
var cudaSums = map[expr.OpKind]string{expr.Add: "atomicAdd(&%[1]s, %[2]s)", expr.Sub: "atomicAdd(&%[1]s, -(%[2]s))"}

// cudaAtomics64 are those of a type of 64 bits, which CUDA C has for long long alone: for sums and logic without a sign.
func cudaAtomics64(typ string) map[expr.OpKind]string {
	out := atomics("atomic", "((unsigned long long *) &%[1]s, (unsigned long long) (%[2]s))")
	out[expr.Sub] = strings.Replace(out[expr.Add], "long) (", "long) -(", 1)
	for _, op := range []expr.OpKind{expr.Min, expr.Max} {
		out[op] = strings.ReplaceAll(out[op], "unsigned long long", typ)
	}
	return out
}

// update writes an atomic statement.
func (w *writer) update(s *kernel.Stmt, u *kernel.Update, depth int) {
	t := w.typeOf(s.LHS)
	format, ok := w.atomics[t][u.Op]
	if !ok {
		var has []string
		for _, t := range slices.Sorted(maps.Keys(w.atomics)) {
			if w.atomics[t][u.Op] != "" {
				has = append(has, string(t))
			}
		}
		w.fail("%s has no atomic update by %s of %s, which is %s: it has those of %s", w.title, u.Op, s.LHS, t, strings.Join(has, ", "))
		return
	}
	element, _ := w.expr(s.LHS)
	w.line(depth, format+";", element.at(precUnary), w.typed(u.Operand, t).text)
}
