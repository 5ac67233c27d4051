package expr

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Binding strengths of the instruction syntax, weakest first. The parser and the printer share them.
const (
	precCond = iota
	precOr
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precSum
	precProduct
	precUnary
	precPower
	precAtom
)

// operator is how an OpKind is written. A chain is one n-ary node (a + b + c); otherwise operators of the same strength
// group to the left.
type operator struct {
	prec  int
	chain bool
}

var binaryOps = map[OpKind]operator{
	Or:       {precOr, true},
	And:      {precAnd, true},
	Eq:       {precCompare, false},
	Ne:       {precCompare, false},
	Lt:       {precCompare, false},
	Le:       {precCompare, false},
	Gt:       {precCompare, false},
	Ge:       {precCompare, false},
	BitOr:    {precBitOr, true},
	BitXor:   {precBitXor, true},
	BitAnd:   {precBitAnd, true},
	Shl:      {precShift, false},
	Shr:      {precShift, false},
	Add:      {precSum, true},
	Sub:      {precSum, false},
	Mul:      {precProduct, true},
	Div:      {precProduct, false},
	FloorDiv: {precProduct, false},
	Mod:      {precProduct, false},
	Pow:      {precPower, false},
}

// Operators lists the operators between operands, those that bind weakest first.
func Operators() []OpKind {
	return slices.SortedFunc(maps.Keys(binaryOps), func(a, b OpKind) int {
		return cmp.Or(binaryOps[a].prec-binaryOps[b].prec, strings.Compare(string(a), string(b)))
	})
}

// IsComparison reports whether the operator compares: its result is bool whatever it compares.
func (k OpKind) IsComparison() bool { return binaryOps[k].prec == precCompare }

func (e Int) String() string     { return text(e) }
func (e Float) String() string   { return text(e) }
func (e Var) String() string     { return e.Name }
func (e *Access) String() string { return text(e) }
func (e *Op) String() string     { return text(e) }
func (e *Call) String() string   { return text(e) }
func (e *Cond) String() string   { return text(e) }
func (e *Cast) String() string   { return text(e) }
func (e *Reduce) String() string { return text(e) }

func text(e Expr) string {
	var b strings.Builder
	write(&b, e, precCond)
	return b.String()
}

// strength is that of the outermost operator of e as printed.
func strength(e Expr) int {
	switch x := e.(type) {
	case Int:
		if x.Value < 0 {
			return precUnary
		}
	case Float:
		if strings.HasPrefix(x.Text, "-") {
			return precUnary
		}
	case *Op:
		switch x.Kind {
		case Neg, BitNot:
			return precUnary
		case Not:
			return precNot
		case Min, Max:
			return precAtom
		}
		return binaryOps[x.Kind].prec
	case *Cond:
		return precCond
	}
	return precAtom
}

// write prints e, in parentheses if it binds more weakly than min.
func write(b *strings.Builder, e Expr, min int) {
	if strength(e) < min {
		b.WriteByte('(')
		write(b, e, precCond)
		b.WriteByte(')')
		return
	}
	switch x := e.(type) {
	case Int:
		b.WriteString(strconv.FormatInt(x.Value, 10))
	case Float:
		b.WriteString(x.Text)
	case Var:
		b.WriteString(x.Name)
	case *Access:
		b.WriteString(x.Array)
		if x.Tag != "" {
			b.WriteString("$" + x.Tag)
		}
		if len(x.Index) > 0 {
			b.WriteByte('[')
			writeList(b, x.Index)
			if x.Lanes > 0 {
				b.WriteString("; " + strconv.FormatInt(x.Lanes, 10))
			}
			if x.As != "" {
				b.WriteString("; " + string(x.As))
			}
			b.WriteByte(']')
		}
	case *Op:
		writeOp(b, x)
	case *Call:
		writeCall(b, x.Func, x.Args...)
	case *Cond:
		write(b, x.Then, precOr)
		b.WriteString(" if ")
		write(b, x.If, precOr)
		b.WriteString(" else ")
		write(b, x.Else, precCond)
	case *Cast:
		b.WriteString("cast(" + string(x.DType) + ", ")
		write(b, x.Arg, precCond)
		b.WriteByte(')')
	case *Reduce:
		b.WriteString(x.Kind + "(")
		if len(x.Inames) == 1 {
			b.WriteString(x.Inames[0])
		} else {
			b.WriteString("(" + strings.Join(x.Inames, ", ") + ")")
		}
		b.WriteString(", ")
		writeList(b, Children(x))
		b.WriteByte(')')
	default:
		b.WriteString("<nil>")
	}
}

func writeOp(b *strings.Builder, x *Op) {
	switch x.Kind {
	case Min:
		writeCall(b, "minimum", x.Args...)
		return
	case Max:
		writeCall(b, "maximum", x.Args...)
		return
	case Neg, BitNot:
		sign := "-"
		if x.Kind == BitNot {
			sign = "~"
		}
		b.WriteString(sign)
		// A literal after a minus sign would be read as a negative literal.
		if strength(x.Args[0]) == precAtom && isLiteral(x.Args[0]) {
			b.WriteByte('(')
			write(b, x.Args[0], precCond)
			b.WriteByte(')')
			return
		}
		write(b, x.Args[0], precUnary)
		return
	case Not:
		b.WriteString("not ")
		write(b, x.Args[0], precNot)
		return
	}
	op := binaryOps[x.Kind]
	for i, a := range x.Args {
		min := op.prec + 1
		switch {
		case i == 0 && x.Kind == Pow:
			// the base of a power binds tighter; its exponent may be a power again, as ** groups to the right
		case i == 1 && x.Kind == Pow:
			min = precUnary
		case i == 0 && !op.chain && x.Kind != Pow && op.prec != precCompare:
			min = op.prec
		case i == 0 && op.chain:
			// a - b + c is a sum whose first operand is a difference
			if first, ok := a.(*Op); ok && first.Kind != x.Kind {
				min = op.prec
			}
		}
		if i > 0 {
			if x.Kind == Pow {
				b.WriteString("**")
			} else if op.prec == precProduct && x.Kind != FloorDiv && x.Kind != Mod {
				b.WriteString(string(x.Kind))
			} else {
				b.WriteString(" " + string(x.Kind) + " ")
			}
		}
		write(b, a, min)
	}
}

func isLiteral(e Expr) bool {
	switch e.(type) {
	case Int, Float:
		return true
	}
	return false
}

func writeCall(b *strings.Builder, name string, args ...Expr) {
	b.WriteString(name + "(")
	writeList(b, args)
	b.WriteByte(')')
}

// writeList writes expressions with commas between them.
func writeList(b *strings.Builder, list []Expr) {
	for i, e := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, e, precCond)
	}
}
