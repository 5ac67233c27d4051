package deps

import (
	"maps"

	"gpuperf/polycount"
	"gpuperf/scop"
)

// statement is a statement whose iterators increase with time.
type statement struct {
	of       *scop.Statement
	index    int
	dims     []string
	domain   *polycount.Set
	accesses []access
}

// access is an access of it; where is the part of the domain at which it is made.
type access struct {
	number int // among those of the statement
	array  *scop.Array
	write  bool
	index  []polycount.Affine
	where  *polycount.Set
	// accumulates: the operator of the accumulation that the access belongs to, "" for none.
	accumulates string
}

// forward negates the iterators of decreasing loops. Accesses that occur several times are one.
func forward(s *scop.Statement) (*statement, error) {
	f := &statement{of: s, dims: s.Iterators}
	by := f.negated("")
	var err error
	if f.domain, err = scop.Substitute(s.Domain, by); err != nil {
		return nil, err
	}
	op := accumulation(s)
	for i, a := range s.Accesses {
		x := access{number: i, array: a.Array, write: a.Write, where: f.domain}
		for _, e := range a.Index {
			x.index = append(x.index, e.Subst(by))
		}
		if a.Where != nil {
			if x.where, err = scop.Substitute(a.Where, by); err != nil {
				return nil, err
			}
		}
		if op != "" && isStore(s, a) {
			x.accumulates = op
		}
		if !f.has(x) {
			f.accesses = append(f.accesses, x)
		}
	}
	return f, nil
}

// negated replaces the iterators of decreasing loops, with what is appended to their names, by their negation.
func (f *statement) negated(suffix string) map[string]polycount.Affine {
	by := map[string]polycount.Affine{}
	for i, l := range f.of.Loops {
		if l.Step < 0 {
			by[f.dims[i]+suffix] = polycount.Name(f.dims[i] + suffix).Neg()
		}
	}
	return by
}

func (f *statement) has(x access) bool {
	for _, a := range f.accesses {
		same := a.array == x.array && a.write == x.write && a.where == x.where && a.accumulates == x.accumulates
		for i := range a.index {
			same = same && a.index[i].Equal(x.index[i])
		}
		if same {
			return true
		}
	}
	return false
}

// backward gives pairs of points the iterators of the text.
func backward(pairs *polycount.Set, from, to *statement) (*polycount.Set, error) {
	by := from.negated("")
	maps.Copy(by, to.negated("'"))
	return scop.Substitute(pairs, by)
}

// primed are the iterators as those of a target.
func (f *statement) primed() []string { return suffixed(f.dims, "'") }

func suffixed(names []string, suffix string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n + suffix
	}
	return out
}

// renamed is a set over the iterators of the statement with a suffix to their names.
func (f *statement) renamed(s *polycount.Set, suffix string) (*polycount.Set, error) {
	var err error
	for i := len(f.dims) - 1; i >= 0 && err == nil; i-- {
		s, err = s.Rename(f.dims[i], f.dims[i]+suffix)
	}
	return s, err
}

// common is the number of loops that two statements share.
func (f *statement) common(g *statement) int {
	n := 0
	for n < min(len(f.of.Loops), len(g.of.Loops)) && f.of.Loops[n] == g.of.Loops[n] {
		n++
	}
	return n
}

// precedes reports that f comes before g in the text of the innermost body that has both.
func (f *statement) precedes(g *statement) bool {
	return f != g && f.place(f.common(g)) < g.place(f.common(g))
}

// place is the position in the body inside of so many loops.
func (f *statement) place(depth int) int64 { return f.of.Order[2*depth].Constant() }
