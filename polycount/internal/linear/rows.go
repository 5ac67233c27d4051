package linear

import (
	"slices"

	"gpuperf/polycount/internal/arith"
)

// Row is an affine form over columns: [constant, variables…, floors…].
type Row = []int64

func CloneRows(rows []Row) []Row {
	out := make([]Row, len(rows))
	total := 0
	for _, r := range rows {
		total += len(r)
	}
	flat := make([]int64, 0, total)
	for i, r := range rows {
		k := len(flat)
		flat = append(flat, r...)
		out[i] = flat[k:len(flat):len(flat)]
	}
	return out
}

// EqualPadded compares rows as if both ended in zeros.
func EqualPadded(a, b Row) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return IsZero(b[len(a):])
}

func IsZero(r Row) bool {
	for _, v := range r {
		if v != 0 {
			return false
		}
	}
	return true
}

func scaleRow(r Row, k int64) {
	for i := range r {
		r[i] = arith.Mul(r[i], k)
	}
}

func NegRow(r Row) Row {
	out := make(Row, len(r))
	for i, v := range r {
		out[i] = arith.Neg(v)
	}
	return out
}

// Negated is the row of ¬(r ≥ 0): −r − 1 ≥ 0.
func Negated(r Row) Row {
	out := NegRow(r)
	out[0] = arith.Sub(out[0], 1)
	return out
}

// CombineRows returns k·a + l·b for rows of one width.
func CombineRows(k int64, a Row, l int64, b Row) Row {
	out := make(Row, len(a))
	for i := range a {
		out[i] = arith.Add(arith.Mul(k, a[i]), arith.Mul(l, b[i]))
	}
	return out
}

// AddTimes adds k·from to r, which is at least as wide.
func AddTimes(r Row, k int64, from Row) {
	for j, v := range from {
		if v != 0 {
			r[j] = arith.Add(r[j], arith.Mul(k, v))
		}
	}
}

// Substitute puts the form by for column at in all rows, which are at least as wide as it.
func Substitute(at int, by Row, lists ...[]Row) {
	for _, rows := range lists {
		for _, r := range rows {
			if k := r[at]; k != 0 {
				r[at] = 0
				AddTimes(r, k, by)
			}
		}
	}
}

// SolvedFor is the form that column at, whose coefficient in e is ±1, has where e = 0.
func SolvedFor(at int, e Row) Row {
	by := slices.Clone(e)
	by[at] = 0
	if e[at] == 1 {
		by = NegRow(by)
	}
	return by
}

func Dot(a, b Row) int64 {
	var s int64
	for i, v := range a[:min(len(a), len(b))] {
		if v != 0 {
			s = arith.Add(s, arith.Mul(v, b[i]))
		}
	}
	return s
}

func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return slices.Compare(a[1:], b[1:]) })
}

// Plus is the row c + k·x of a given width, x being column at.
func Plus(width int, c, k int64, at int) Row {
	r := make(Row, width)
	r[0] = c
	r[at] += k
	return r
}

// IdentityRows are the forms of n variables.
func IdentityRows(n int) []Row {
	by := make([]Row, n)
	for i := range by {
		by[i] = Plus(i+2, 0, 1, i+1)
	}
	return by
}

// NormalizeRows divides rows by the gcd of their coefficients, rounding the constants of inequalities down. Of parallel
// inequalities it keeps the tightest; opposite ones that meet become an equality. It reports false if that proves that
// there is no integer solution. Rows are changed in place.
func NormalizeRows(eq, ge *[]Row) bool {
	return normalizeEqualities(eq) && normalizeInequalities(ge) && joinOpposite(eq, ge)
}

// mostCompared bounds the equalities with which another is compared.
const mostCompared = 64

// normalizeEqualities divides equalities by the gcd of their coefficients, and drops repetitions. It reports false at a contradiction.
func normalizeEqualities(eq *[]Row) bool {
	kept := (*eq)[:0]
	for _, r := range *eq {
		g := ContentOf(r)
		if g == 0 {
			if r[0] != 0 {
				return false
			}
			continue
		}
		if r[0]%g != 0 {
			return false
		}
		DivideRow(r, g)
		if len(kept) < mostCompared {
			if i := directions(nil).parallel(kept, 0, r, false); i >= 0 {
				if kept[i][0] != r[0] {
					return false
				}
				continue
			}
			if i := directions(nil).parallel(kept, 0, r, true); i >= 0 {
				if kept[i][0] != -r[0] {
					return false
				}
				continue
			}
		}
		kept = append(kept, r)
	}
	*eq = kept
	return true
}

// normalizeInequalities divides inequalities by the gcd of their coefficients, and keeps the tightest of parallel ones. It reports false where one
// holds nowhere.
func normalizeInequalities(ge *[]Row) bool {
	kept := (*ge)[:0]
	known := newDirections(len(*ge))
	for _, r := range *ge {
		g := ContentOf(r)
		if g == 0 {
			if r[0] < 0 {
				return false
			}
			continue
		}
		if g > 1 {
			for i := 1; i < len(r); i++ {
				r[i] /= g
			}
			r[0] = arith.FloorDiv(r[0], g)
		}
		if i := known.parallel(kept, 0, r, false); i >= 0 {
			kept[i][0] = min(kept[i][0], r[0])
			continue
		}
		known.add(len(kept), r)
		kept = append(kept, r)
	}
	*ge = kept
	return true
}

// joinOpposite makes an equality of two opposite inequalities that meet. It reports false where two exclude each other.
func joinOpposite(eq, ge *[]Row) bool {
	rows, joined := *ge, false
	known := newDirections(len(rows))
	for i, r := range rows {
		known.add(i, r)
	}
	for i, r := range rows {
		if r == nil {
			continue
		}
		j := known.parallel(rows, i+1, r, true)
		if j < 0 {
			continue
		}
		switch s := arith.Add(r[0], rows[j][0]); {
		case s < 0:
			return false
		case s == 0:
			*eq = append(*eq, r)
			rows[i], rows[j] = nil, nil
			joined = true
		}
	}
	if joined {
		*ge = slices.DeleteFunc(rows, func(r Row) bool { return r == nil })
	}
	return true
}

// directions finds rows by their coefficients, where there are many; nil looks at all of them.
type directions map[uint64][]int

// fewRows are found faster one by one.
const fewRows = 32

func newDirections(rows int) directions {
	if rows <= fewRows {
		return nil
	}
	return make(directions, rows)
}

// add notes that a row is the one of that index. Indices increase.
func (d directions) add(i int, r Row) {
	if d != nil {
		h := direction(r, 1)
		d[h] = append(d[h], i)
	}
}

// direction is a hash of the coefficients of a row times a sign.
func direction(r Row, sign int64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range r[1:] {
		h = (h ^ uint64(sign*v)) * 1099511628211
	}
	return h
}

// parallel is the first row from an index on that is parallel to r, or opposite with flip; −1 without one. Rows may be nil.
func (d directions) parallel(rows []Row, from int, r Row, flip bool) int {
	if d == nil {
		for i := from; i < len(rows); i++ {
			if rows[i] != nil && Parallel(rows[i], r, flip) {
				return i
			}
		}
		return -1
	}
	sign := int64(1)
	if flip {
		sign = -1
	}
	for _, i := range d[direction(r, sign)] {
		if i >= from && rows[i] != nil && Parallel(rows[i], r, flip) {
			return i
		}
	}
	return -1
}

func ContentOf(r Row) int64 {
	var g int64
	for _, v := range r[1:] {
		if v != 0 {
			if v == 1 || v == -1 {
				return 1
			}
			g = arith.Gcd(g, v)
		}
	}
	return g
}

func DivideRow(r Row, g int64) {
	if g > 1 {
		for i := range r {
			r[i] /= g
		}
	}
}

func Parallel(a, b Row, flip bool) bool {
	sgn := int64(1)
	if flip {
		sgn = -1
	}
	for i := len(a) - 1; i > 0; i-- {
		if a[i] != sgn*b[i] {
			return false
		}
	}
	return true
}

func UnitVectors(n int) []Row {
	out := make([]Row, n)
	for i := range out {
		out[i] = Plus(n, 0, 1, i)
	}
	return out
}

// addProduct is a + k·x; ok is false where it does not fit.
func addProduct(a, k, x int64) (v int64, ok bool) {
	p, ok := arith.MulOK(k, x)
	if !ok {
		return 0, false
	}
	return arith.AddOK(a, p)
}
