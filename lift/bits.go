package lift

import (
	"fmt"
	"math/big"

	"gpuperf/kernel/expr"
)

// Whole numbers of 32 and 64 bits keep their type while a definition is evaluated, as in OpenCL C: their bits depend on it, and unsigned
// ones wrap around at every step. Narrower ones are computed as int32.

// bitOps are the operators on bits, as of two's complement numbers of any length.
var bitOps = map[expr.OpKind]func(a, b *big.Int) *big.Int{
	expr.BitAnd: func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) },
	expr.BitOr:  func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) },
	expr.BitXor: func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) },
	expr.Shl:    func(a, b *big.Int) *big.Int { return new(big.Int).Lsh(a, uint(b.Uint64())) },
	expr.Shr:    func(a, b *big.Int) *big.Int { return new(big.Int).Rsh(a, uint(b.Uint64())) },
}

// typed is the number as one of a type.
func (x Num) typed(d expr.DType) Num {
	if x.of = d; d.IsInteger() && d.Size() < expr.Int32.Size() {
		x.of = expr.Int32
	}
	return x
}

// integer is the number if it is a whole one, of any length.
func (x Num) integer() (*big.Int, bool) {
	if x.Rat == nil {
		n, ok := x.Int()
		return big.NewInt(n), ok
	}
	return x.Rat.Num(), x.Rat.IsInt()
}

// commonType is that of two numbers, of which literals of whole numbers take the type of the other; "" for two of these.
func commonType(a, b Num) expr.DType {
	switch {
	case a.of == "":
		return b.of
	case b.of == "":
		return a.of
	}
	return expr.Promote(a.of, b.of)
}

// typeOfTwo is the type of what an operator of arithmetic gives.
func typeOfTwo(op expr.OpKind, a, b Num) expr.DType {
	d := commonType(a, b)
	if op == expr.Div && !d.IsFloat() {
		return expr.Float64
	}
	return d
}

// typeOfCall is the type of what a function gives: that of its arguments, if these are whole and so is the result.
func typeOfCall(result Num, args []Num) expr.DType {
	var all Num
	for _, a := range args {
		all.of = commonType(all, a)
	}
	if _, whole := result.integer(); whole && (all.of == "" || all.of.IsInteger()) {
		return all.of
	}
	return expr.Float64
}

// bitwise applies an operator on bits. A shift has the type of what is shifted.
func bitwise(op expr.OpKind, a, b Num) (Num, error) {
	x, first := a.integer()
	y, second := b.integer()
	if !first || !second {
		return a, fmt.Errorf("operator %s works on whole numbers, not on %v and %v", op, a, b)
	}
	d := commonType(a, b)
	if op == expr.Shl || op == expr.Shr {
		d = a.of
	}
	if d == "" {
		d = expr.Int32
	}
	if most := int64(8*d.Size()) - 1; (op == expr.Shl || op == expr.Shr) && (!y.IsInt64() || y.Int64() < 0 || y.Int64() > most) {
		return a, fmt.Errorf("%v %s %v: a shift is by 0 to %d bits", a, op, b, most)
	}
	return Num{Rat: new(big.Rat).SetInt(wrap(bitOps[op](x, y), d)), of: d}, nil
}

// wraps gives a result of arithmetic its type, if it is whole, in which an unsigned one wraps around.
func (x Num) wraps(d expr.DType) Num {
	n, ok := x.integer()
	if ok && d.IsInteger() && !d.IsSigned() {
		x = Num{Rat: new(big.Rat).SetInt(wrap(n, d))}
	}
	return x.typed(d)
}
