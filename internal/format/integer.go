package format

import (
	"math/big"
	"regexp"
)

// multiples are the suffixes of ParseInteger: k, M, G and T are powers of 1000, Ki, Mi, Gi and Ti powers of 1024.
var multiples = map[string]int64{
	"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
}

var (
	powerForm  = regexp.MustCompile(`^(-?)(\d{1,19})\^(\d{1,2})$`)
	numberForm = regexp.MustCompile(`^(-?\d{1,19}(?:\.\d{1,19})?(?:[eE]\+?\d{1,2})?)([kMGT]?|[KMGT]i)$`)
)

// ParseInteger reads an integer as people write large ones: 4096, 64k, 1.5M, 16Mi, 2^20, 1e6. It is false for what is no integer
// of 64 bits.
func ParseInteger(text string) (int64, bool) {
	if m := powerForm.FindStringSubmatch(text); m != nil {
		base, _ := new(big.Int).SetString(m[2], 10)
		exponent, _ := new(big.Int).SetString(m[3], 10)
		value := base.Exp(base, exponent, nil)
		if m[1] != "" {
			value.Neg(value)
		}
		return value.Int64(), value.IsInt64()
	}
	m := numberForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	multiple, known := multiples[m[2]]
	value, ok := new(big.Rat).SetString(m[1])
	if !known || !ok {
		return 0, false
	}
	value.Mul(value, new(big.Rat).SetInt64(multiple))
	return value.Num().Int64(), value.IsInt() && value.Num().IsInt64()
}

// Integers says how ParseInteger takes integers, for the help of what takes them.
const Integers = "64k or 1.5M (k = 1000, M = 1000000, G, T), 16Ki or 1Mi (Ki = 1024, Mi = 1048576, Gi, Ti), 2^20 and 1e6"
