package lift

import (
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

// IndexFun is what gather and scatter reorder by: gather gives out[i] = in[f(i)], scatter out[f(i)] = in[i]. Index
// functions are interned.
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
	var err error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Int, expr.Var, *expr.Cond:
		case *expr.Op:
			switch x.Kind {
			case expr.Div, expr.Pow, expr.BitAnd, expr.BitOr, expr.BitXor, expr.BitNot, expr.Shl, expr.Shr:
				err = fmt.Errorf("operator %s in the index %s", x.Kind, e)
			}
		default:
			err = fmt.Errorf("%s in the index %s", x, e)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return internIndex(IndexFun{Kind: IndexExpr, Expr: e}), nil
}

// Inverse is the index function that undoes f on arrays of length n; nil where it is not known in closed form.
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
		vars := map[string]int64{"i": i, "n": n}
		for name, v := range at {
			if name != "i" && name != "n" {
				vars[name] = v
			}
		}
		return evalIndex(f.Expr, vars)
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
	const most = 1 << 20
	if n > most && f.Kind != IndexExpr {
		return nil
	}
	if n > most {
		return fmt.Errorf("%s is checked by trying every index, and %d are too many", f, n)
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
			return fmt.Errorf("%s maps two indices to %d: it is no permutation of 0 .. %d", f, j, n-1)
		}
		seen[j] = true
	}
	return nil
}

// symbols lists the names that f's value depends on, beside i and n.
func (f *IndexFun) symbols() []string {
	if f.Kind != IndexExpr {
		return f.Arg.Symbols()
	}
	var names []string
	expr.Walk(f.Expr, func(x expr.Expr) bool {
		if v, ok := x.(expr.Var); ok && v.Name != "i" && v.Name != "n" {
			names = append(names, v.Name)
		}
		return true
	})
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

// evalIndex evaluates integer arithmetic; quotients round down.
func evalIndex(e expr.Expr, vars map[string]int64) (int64, error) {
	switch e := e.(type) {
	case expr.Int:
		return e.Value, nil
	case expr.Var:
		v, ok := vars[e.Name]
		if !ok {
			return 0, fmt.Errorf("%s has no value", e.Name)
		}
		return v, nil
	case *expr.Cond:
		c, err := evalIndex(e.If, vars)
		if err != nil {
			return 0, err
		}
		if c != 0 {
			return evalIndex(e.Then, vars)
		}
		return evalIndex(e.Else, vars)
	case *expr.Op:
		args := make([]int64, len(e.Args))
		for i, a := range e.Args {
			v, err := evalIndex(a, vars)
			if err != nil {
				return 0, err
			}
			args[i] = v
		}
		return evalIntOp(e.Kind, args)
	}
	return 0, fmt.Errorf("%s in an index", e)
}

func evalIntOp(kind expr.OpKind, args []int64) (int64, error) {
	truth := func(b bool) (int64, error) {
		if b {
			return 1, nil
		}
		return 0, nil
	}
	a := args[0]
	if len(args) == 1 {
		switch kind {
		case expr.Neg:
			return -a, nil
		case expr.Not:
			return truth(a == 0)
		}
		return 0, fmt.Errorf("operator %s in an index", kind)
	}
	for _, b := range args[1:] {
		switch kind {
		case expr.Add:
			a += b
		case expr.Sub:
			a -= b
		case expr.Mul:
			a *= b
		case expr.Min:
			a = min(a, b)
		case expr.Max:
			a = max(a, b)
		case expr.FloorDiv, expr.Mod:
			if b == 0 {
				return 0, fmt.Errorf("division by 0 in an index")
			}
			q := a / b
			if a%b != 0 && (a < 0) != (b < 0) {
				q--
			}
			if kind == expr.Mod {
				q = a - q*b
			}
			a = q
		case expr.Eq:
			return truth(a == b)
		case expr.Ne:
			return truth(a != b)
		case expr.Lt:
			return truth(a < b)
		case expr.Le:
			return truth(a <= b)
		case expr.Gt:
			return truth(a > b)
		case expr.Ge:
			return truth(a >= b)
		case expr.And:
			a, _ = truth(a != 0 && b != 0)
		case expr.Or:
			a, _ = truth(a != 0 || b != 0)
		default:
			return 0, fmt.Errorf("operator %s in an index", kind)
		}
	}
	return a, nil
}

// subst replaces size symbols; in an expression by constants only.
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
			return nil, fmt.Errorf("%s: %s can become a number only, not %s", f, name, size)
		}
		vars[name] = expr.Int{Value: c}
	}
	if len(vars) == 0 {
		return f, nil
	}
	return internIndex(IndexFun{Kind: IndexExpr, Expr: expr.Subst(f.Expr, vars)}), nil
}
