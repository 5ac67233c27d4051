package count

import (
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

const (
	mostBoxes  = 1 << 12 // up to which a group without parameters is counted box by box
	narrowings = 16      // rounds after which intervals may still not be as short as rows show
	farAway    = 1 << 40 // bounds of a variable before rows narrow them
)

// byBoxes counts a group without parameters. Rows that the intervals of their variables imply go; of variables that others tie together
// the one with the fewest values takes each of them in turn, until the rest fill boxes. It gives up where that takes too many boxes.
// Sets whose parameters are fixed often have one long variable and many short ones, for which cones take a hundred times the work.
func byBoxes(w *linear.Work, g *linear.Conj) (p *quasi.Piecewise, ok bool) {
	if g.N > 0 || len(g.Eq) > 0 {
		return nil, false
	}
	all := box{make([]interval, g.Width()), slices.Clone(g.Ge)}
	for at := 1; at < g.Width(); at++ {
		if !g.UsedInRows(at) {
			continue
		}
		if !g.Free(at) {
			return nil, false
		}
		all.of[at] = interval{-farAway, farAway}
	}
	b := &boxes{Work: w, left: mostBoxes}
	var n arith.Rat
	if err := throw.Try(func() { n, ok = b.count(all) }); err != nil || !ok {
		return nil, false
	}
	p = quasi.NewPiecewise(0)
	if n.Sign() != 0 {
		p.Pieces = []quasi.Piece{{Dom: &linear.Conj{}, Q: quasi.Constant(n)}}
	}
	return p, true
}

// boxes counts how many more may be visited.
type boxes struct {
	*linear.Work
	left int
}

// interval holds the values of a variable that are left.
type interval struct{ lo, hi int64 }

func (i interval) fixed() bool { return i.lo == i.hi }

// box has an interval for each column, and the rows that they do not imply. Rows are never changed.
type box struct {
	of   []interval
	rows []linear.Row
}

// count is the number of points of the box at which no row is negative; ok is false where it gives up.
func (b *boxes) count(x box) (n arith.Rat, ok bool) {
	b.left--
	b.Spend((len(x.rows) + 1) * len(x.of))
	if !x.narrow() {
		return arith.RatInt(0), true
	}
	n = arith.RatInt(1)
	tied := make([]bool, len(x.of))
	for len(x.rows) > 0 {
		part, columns := x.part()
		if len(columns) == 0 { // narrow has fixed them all since it looked at the row
			if lo, _ := part.span(part.rows[0]); lo < 0 {
				return arith.RatInt(0), true
			}
			continue
		}
		for _, at := range columns {
			tied[at] = true
		}
		sum, ok := b.values(part, columns)
		if !ok || sum.IsZero() {
			return sum, ok
		}
		n = n.Mul(sum)
	}
	for at, i := range x.of {
		if i.lo == -farAway || i.hi == farAway {
			return n, false
		}
		if !tied[at] {
			n = n.Mul(arith.RatInt(i.hi - i.lo + 1))
		}
	}
	return n, true
}

// values counts the points of columns that the rows tie together, value by value of the one with the fewest.
func (b *boxes) values(x box, columns []int) (sum arith.Rat, ok bool) {
	sum = arith.RatInt(0)
	least := slices.MinFunc(columns, func(i, j int) int { return int(x.of[i].hi - x.of[i].lo - x.of[j].hi + x.of[j].lo) })
	for v := x.of[least].lo; v <= x.of[least].hi; v++ {
		if b.left <= 0 {
			return sum, false
		}
		at := box{slices.Clone(x.of), x.rows}
		at.of[least] = interval{v, v}
		n, ok := b.count(at)
		if !ok {
			return sum, false
		}
		sum = sum.Add(n)
	}
	return sum, true
}

// narrow shortens the intervals as rows show, and drops rows that hold everywhere; it reports false where nothing is left.
func (x *box) narrow() bool {
	for range narrowings {
		narrowed := false
		var left []linear.Row
		for _, r := range x.rows {
			lo, hi := x.span(r)
			if hi < 0 {
				return false
			}
			if lo >= 0 {
				continue
			}
			left = append(left, r)
			for at := 1; at < len(r); at++ {
				i := &x.of[at]
				if r[at] == 0 || i.fixed() {
					continue
				}
				if r[at] > 0 { // the others contribute at most hi - r[at]*i.hi
					if v := i.hi - arith.FloorDiv(hi, r[at]); v > i.lo {
						i.lo, narrowed = v, true
					}
				} else if v := i.lo + arith.FloorDiv(hi, -r[at]); v < i.hi {
					i.hi, narrowed = v, true
				}
			}
		}
		x.rows = left
		if !narrowed {
			break
		}
	}
	return true
}

// span is the range of a row over the box.
func (x *box) span(r linear.Row) (lo, hi int64) {
	lo, hi = r[0], r[0]
	for at := 1; at < len(r); at++ {
		if r[at] == 0 {
			continue
		}
		first, last := arith.Mul(r[at], x.of[at].lo), arith.Mul(r[at], x.of[at].hi)
		lo, hi = arith.Add(lo, min(first, last)), arith.Add(hi, max(first, last))
	}
	return lo, hi
}

// part takes the first row and those connected with it out of x. columns are the variables in them that have several values, all others of
// the part have one.
func (x *box) part() (p box, columns []int) {
	in := make([]bool, len(x.of))
	connected := func(r linear.Row) bool {
		for at := 1; at < len(r); at++ {
			if r[at] != 0 && in[at] {
				return true
			}
		}
		return false
	}
	add := func(r linear.Row) {
		for at := 1; at < len(r); at++ {
			if r[at] != 0 && !in[at] && !x.of[at].fixed() {
				in[at], columns = true, append(columns, at)
			}
		}
		p.rows = append(p.rows, r)
	}
	add(x.rows[0])
	rest := x.rows[1:]
	for grown := true; grown; {
		var apart []linear.Row
		for _, r := range rest {
			if connected(r) {
				add(r)
			} else {
				apart = append(apart, r)
			}
		}
		grown, rest = len(apart) < len(rest), apart
	}
	x.rows = rest
	p.of = slices.Clone(x.of)
	for at, i := range p.of {
		if !in[at] {
			p.of[at] = interval{i.lo, i.lo}
		}
	}
	return p, columns
}
