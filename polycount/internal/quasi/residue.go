package quasi

import (
	"math/big"
	"math/bits"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// Values modulo a prime: where they differ, the exact ones differ. That takes a twentieth of the time of exact values.

// prime is the Mersenne prime 2⁶¹ − 1.
const prime = 1<<61 - 1

// residue is an integer modulo prime.
type residue uint64

func residueOf(v int64) residue {
	if v %= prime; v < 0 {
		v += prime
	}
	return residue(v)
}

func (a residue) times(b residue) residue {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	r := lo&prime + (lo>>61 | hi<<3) // 2⁶¹ ≡ 1
	if r >= prime {
		r -= prime
	}
	return residue(r)
}

func (a residue) plus(b residue) residue {
	r := a + b
	if r >= prime {
		r -= prime
	}
	return r
}

// inverse is that of a ≢ 0: a to the power prime − 2 (Fermat).
func (a residue) inverse() residue {
	out := residue(1)
	for k := uint64(prime - 2); k > 0; k >>= 1 {
		if k&1 == 1 {
			out = out.times(a)
		}
		a = a.times(a)
	}
	return out
}

// quotient is the residue of a rational number; one with a denominator that prime divides gets 0.
func quotient(r arith.Rat) residue {
	switch {
	case r.B != nil:
		m := big.NewInt(prime)
		n := new(big.Int).Mod(r.B.Num(), m).Int64()
		d := new(big.Int).Mod(r.B.Denom(), m).Int64()
		return residue(n).times(residue(d).inverse())
	case r.D == 1:
		return residueOf(r.N)
	}
	return residueOf(r.N).times(residueOf(r.D).inverse())
}

// atomsAt are the residues of the columns of table at a point [1, variables…].
func atomsAt(table *linear.Conj, point linear.Row) []residue {
	full := table.WithFloors(point)
	out := make([]residue, len(full))
	for i, v := range full {
		out[i] = residueOf(v)
	}
	return out
}

// coefficients are the residues of those of p.
func (p Quasi) coefficients() []residue {
	out := make([]residue, len(p))
	for i, t := range p {
		out[i] = quotient(t.C)
	}
	return out
}

// residueAt is the residue of the value of p where its atoms have the given residues, by those of its coefficients.
func (p Quasi) residueAt(coefficients, atoms []residue) (sum residue) {
	for k, t := range p {
		x := coefficients[k]
		for i := 0; i < len(t.Factors); i += 2 {
			x = x.times(atoms[AtomAt(t.Factors, i)])
		}
		sum = sum.plus(x)
	}
	return sum
}
