package lift

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"gpuperf/kernel/expr"
)

// IndexKind is the form of an IndexFun.
type IndexKind uint8

// The index functions on [0, n).
const (
	IndexReverse IndexKind = iota // n - 1 - i
	IndexStride                   // i/(n/s) + s·(i mod n/s), for s that divides n (001 section 5.3 and Lift's reorderStride)
	IndexShift                    // (i + k) mod n
	IndexExpr                     // an expression over i, n and size symbols
)

// IndexFun is the index function of a gather, out[i] = in[f(i)], or a scatter, out[f(i)] = in[i]. Index functions are
// interned.
type IndexFun struct {
	Kind IndexKind
	Arg  Size      // the stride s, the shift k
	Expr expr.Expr // of IndexExpr: integers only; the variables are i, n and size symbols

	id uint64
}

var indexFuns = struct {
	sync.Mutex
	table map[string]*IndexFun
}{table: map[string]*IndexFun{}}

func internIndex(f IndexFun) *IndexFun {
	key := f.String() + fmt.Sprint(f.Kind)
	indexFuns.Lock()
	defer indexFuns.Unlock()
	if old := indexFuns.table[key]; old != nil {
		return old
	}
	f.id = uint64(len(indexFuns.table)) + 1
	indexFuns.table[key] = &f
	return &f
}

// ReverseIndex is the index function n - 1 - i.
func ReverseIndex() *IndexFun { return internIndex(IndexFun{Kind: IndexReverse}) }

// StrideIndex is the index function i/(n/s) + s·(i mod n/s); s must divide n.
func StrideIndex(s Size) *IndexFun { return internIndex(IndexFun{Kind: IndexStride, Arg: s}) }

// ShiftIndex is the index function (i + k) mod n.
func ShiftIndex(k Size) *IndexFun { return internIndex(IndexFun{Kind: IndexShift, Arg: k}) }

// ExprIndex is the index function that an expression over i, n and size symbols gives, with // and % for quotient and
// remainder. Whether it permutes, or stays in range, is an Assumption of the term that uses it.
func ExprIndex(e expr.Expr) (*IndexFun, error) {
	for x := range expr.All(e) {
		switch x := x.(type) {
		case expr.Int, expr.Var, *expr.Cond:
		case *expr.Op:
			switch x.Kind {
			case expr.Div, expr.Pow, expr.BitAnd, expr.BitOr, expr.BitXor, expr.BitNot, expr.Shl, expr.Shr:
				return nil, fmt.Errorf("operator %s in the index %s", x.Kind, e)
			}
		default:
			return nil, fmt.Errorf("%s in the index %s", x, e)
		}
	}
	return internIndex(IndexFun{Kind: IndexExpr, Expr: e}), nil
}

// Inverse is the inverse of f on arrays of length n; nil if no closed form is known.
func (f *IndexFun) Inverse(n Size) *IndexFun {
	switch f.Kind {
	case IndexReverse:
		return f
	case IndexStride:
		if q, err := n.Div(f.Arg); err == nil {
			return StrideIndex(q)
		}
	case IndexShift:
		return ShiftIndex(n.Sub(f.Arg))
	}
	return nil
}

// At is f(i) on an array of length n, where the size symbols have the values at.
func (f *IndexFun) At(i, n int64, at map[string]int64) (int64, error) {
	if f.Kind == IndexReverse {
		return n - 1 - i, nil
	}
	if f.Kind == IndexExpr {
		return indexNumbers.Eval(f.Expr, func(e expr.Expr) (int64, error) {
			x, isName := e.(expr.Var)
			if !isName {
				return 0, fmt.Errorf("%s in an index", e)
			}
			v, ok := at[x.Name]
			switch {
			case x.Name == "i":
				return i, nil
			case x.Name == "n":
				return n, nil
			case !ok:
				return 0, fmt.Errorf("%s has no value", x.Name)
			}
			return v, nil
		})
	}
	arg, err := f.Arg.Eval(at)
	if err != nil {
		return 0, err
	}
	if f.Kind == IndexShift {
		return (i + arg) % n, nil
	}
	if arg == 0 || n%arg != 0 {
		return 0, fmt.Errorf("%s: %d does not divide %d", f, arg, n)
	}
	return i/(n/arg) + arg*(i%(n/arg)), nil
}

// check tries every index of [0, n).
func (f *IndexFun) check(n int64, at map[string]int64, permutation bool) error {
	const most = 1 << 20 // indices: below a tenth of a second
	if n > most && f.Kind != IndexExpr {
		return nil
	}
	if n > most {
		return fmt.Errorf("%s can be checked only by trying every index, and %d are too many", f, n)
	}
	seen := make([]bool, max(n, 0))
	for i := range n {
		j, err := f.At(i, n, at)
		if err != nil {
			return err
		}
		if j < 0 || j >= n {
			return fmt.Errorf("%s maps %d to %d, outside 0 .. %d", f, i, j, n-1)
		}
		if seen[j] && permutation {
			return fmt.Errorf("%s maps two indices to %d: it is not a permutation of 0 .. %d", f, j, n-1)
		}
		seen[j] = true
	}
	return nil
}

// symbols lists the size symbols that f depends on.
func (f *IndexFun) symbols() []string {
	if f.Kind != IndexExpr {
		return f.Arg.Symbols()
	}
	var names []string
	for name := range expr.Names(f.Expr) {
		if name != "i" && name != "n" {
			names = append(names, name)
		}
	}
	return names
}

// String is the index function as programs write it.
func (f *IndexFun) String() string {
	switch f.Kind {
	case IndexReverse:
		return "reverse"
	case IndexStride:
		return "stride(" + f.Arg.String() + ")"
	case IndexShift:
		return "shift(" + f.Arg.String() + ")"
	}
	return "index(" + strconv.Quote(strings.TrimSpace(f.Expr.String())) + ")"
}

// indexNumbers is the domain of the values of index functions; false is 0.
var indexNumbers = expr.Domain[int64]{
	Int: func(v int64) int64 { return v },
	Unary: func(op expr.OpKind, a int64) (int64, error) {
		if op != expr.Neg {
			return 0, expr.ErrNoValue
		}
		return expr.IntOp(expr.Sub, 0, a)
	},
	Binary: func(op expr.OpKind, a, b int64) (int64, error) {
		if !op.IsComparison() {
			return expr.IntOp(op, a, b)
		}
		holds, err := expr.Compare(op, cmp.Compare(a, b))
		return truthIndex(expr.TruthOf(holds)), err
	},
	Truth: func(a int64) expr.Truth { return expr.TruthOf(a != 0) },
	Bool:  truthIndex,
	Refuse: func(part expr.Expr, why error) error {
		if op, ok := part.(*expr.Op); ok && errors.Is(why, expr.ErrNoValue) {
			return fmt.Errorf("operator %s in an index", op.Kind)
		}
		return fmt.Errorf("the index %s: %w", part, why)
	},
}

func truthIndex(t expr.Truth) int64 {
	if t == expr.True {
		return 1
	}
	return 0
}

// subst replaces size symbols, in expressions only by constants.
func (f *IndexFun) subst(by map[string]Size) (*IndexFun, error) {
	if f.Kind != IndexExpr {
		arg, err := f.Arg.Subst(by)
		if err != nil || arg == f.Arg {
			return f, err
		}
		return internIndex(IndexFun{Kind: f.Kind, Arg: arg}), nil
	}
	vars := map[string]expr.Expr{}
	for _, name := range f.symbols() {
		size, ok := by[name]
		if !ok {
			continue
		}
		c, ok := size.Const()
		if !ok {
			return nil, fmt.Errorf("%s: %s can be replaced only by a number, not by %s", f, name, size)
		}
		vars[name] = expr.Int{Value: c}
	}
	if len(vars) == 0 {
		return f, nil
	}
	return internIndex(IndexFun{Kind: IndexExpr, Expr: expr.Subst(f.Expr, vars)}), nil
}
