package deps

import (
	"cmp"
	"fmt"
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
)

// byValue adds for each read the last writes before it.
func (z *analyzer) byValue() error {
	for _, to := range z.statements {
		for _, b := range to.accesses {
			if !b.write && b.array.Written {
				if err := z.sources(to, b); err != nil {
					return fmt.Errorf("the last writers of %s at line %d: %w", b.array.Name, to.of.Pos.Line, err)
				}
			}
		}
	}
	return nil
}

// group are writes that come before a read in one way: within an iteration of the loops around it, or in an earlier one of a loop.
type group struct {
	carrier *scop.Loop
	writes  []write
}

type write struct {
	from  *statement
	a     access
	level level
}

// sources finds the last writes of what a read gets. Writes come in groups, of which each is later than the next: the more
// iterations of loops a write shares with the read, the later it is. The points of the read that a group gives values to
// are left out for the groups after it (Feautrier 1991, section 3; here by subtraction instead of a case distinction).
func (z *analyzer) sources(to *statement, b access) error {
	open, err := to.renamed(b.where, "'")
	if err != nil {
		return err
	}
	open = open.Named("")
	always := true
	for _, g := range z.groups(to, b) {
		last, err := z.lastOf(g, to, b, open)
		if err != nil {
			return err
		}
		for _, l := range last {
			always = false
			if g.carrier != nil {
				z.carried[g.carrier].value = true
			}
			pairs, err := l.pairs.Project(append(slices.Clone(l.from.dims), to.primed()...)...)
			if err == nil {
				err = z.add(key{Flow, true, l.from, to, b.array, g.carrier}, pairs, false)
			}
			if err != nil {
				return err
			}
			served, err := l.pairs.Project(to.primed()...)
			if err == nil {
				open, err = open.Subtract(served)
			}
			if err != nil {
				return err
			}
			open = tidy(open)
		}
		if len(last) > 0 {
			if empty, err := open.IsEmpty(); err != nil || empty {
				return err
			}
		}
	}
	if empty, err := open.IsEmpty(); err != nil || empty {
		return err
	}
	z.initial = append(z.initial, Initial{to.of, b.array, b.number, always})
	return nil
}

// groups lists the writes that may come before a read, the latest first.
func (z *analyzer) groups(to *statement, b access) (out []group) {
	var writes []write
	for _, from := range z.statements {
		for _, a := range from.accesses {
			if a.write && a.array == b.array {
				writes = append(writes, write{from: from, a: a})
			}
		}
	}
	for depth := len(to.dims); depth >= 0; depth-- {
		places := map[int64]*group{}
		for _, w := range writes {
			if w.from.common(to) == depth && w.from.precedes(to) {
				w.level = level{nil, equalTo(w.from, to, depth)}
				p := w.from.place(depth)
				if places[p] == nil {
					places[p] = &group{}
				}
				places[p].writes = append(places[p].writes, w)
			}
		}
		order := make([]int64, 0, len(places))
		for p := range places {
			order = append(order, p)
		}
		slices.SortFunc(order, func(a, b int64) int { return cmp.Compare(b, a) })
		for _, p := range order {
			out = append(out, *places[p])
		}
		if depth == 0 {
			break
		}
		g := group{carrier: to.of.Loops[depth-1]}
		for _, w := range writes {
			if w.from.common(to) >= depth {
				w.level = carriedBy(w.from, to, depth-1)
				g.writes = append(g.writes, w)
			}
		}
		if len(g.writes) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// lastWrite are the pairs of the last points of a statement that write what a read gets, and the points of the read.
type lastWrite struct {
	from  *statement
	pairs *polycount.Set // over the iterators of the read, then those of the write
}

// lastOf finds the last writes of a group at the points of the read that are still open.
func (z *analyzer) lastOf(g group, to *statement, b access, open *polycount.Set) ([]lastWrite, error) {
	var out []lastWrite
	for _, w := range g.writes {
		pairs, err := meeting(to, w.a, b)
		if err != nil {
			return nil, err
		}
		if pairs == nil {
			continue
		}
		if pairs, err = pairs.Constrain(w.level.before...); err != nil {
			return nil, err
		}
		dims := append(to.primed(), w.from.dims...)
		if pairs, err = polycount.Join(dims, pairs, open); err != nil {
			return nil, err
		}
		if empty, err := pairs.IsEmpty(); err != nil || empty {
			if err != nil {
				return nil, err
			}
			continue
		}
		if !determined(pairs, w.from.dims) {
			last, err := polycount.Relation(pairs, len(to.dims), "", "").Lexmax()
			if err != nil {
				return nil, err
			}
			pairs = last.Graph()
		}
		out = append(out, lastWrite{w.from, pairs})
	}
	if len(out) < 2 {
		return out, nil
	}
	return latest(out, to)
}

// determined reports that equalities give the dimensions as functions of the others, one after the other.
func determined(pairs *polycount.Set, dims []string) bool {
	list, exact := pairs.Constraints()
	if !exact {
		return len(dims) == 0
	}
	left := slices.Clone(dims)
	for known := true; known && len(left) > 0; {
		known = false
		for _, c := range list {
			unknown := slices.DeleteFunc(slices.Clone(left), func(d string) bool { return !c.Affine.Has(d) })
			if c.Equality && len(unknown) == 1 && !c.Affine.InFloor(unknown[0]) {
				left = slices.DeleteFunc(left, func(d string) bool { return d == unknown[0] })
				known = true
			}
		}
	}
	return len(left) == 0
}

// latest leaves of each write the points at which no other of the group is later.
func latest(all []lastWrite, to *statement) ([]lastWrite, error) {
	var out []lastWrite
	for i, x := range all {
		left := x.pairs
		for j, y := range all {
			if i == j {
				continue
			}
			beaten, err := laterThan(x, y, to)
			if err == nil && beaten != nil {
				left, err = left.Subtract(beaten)
			}
			if err != nil {
				return nil, err
			}
		}
		if empty, err := left.IsEmpty(); err != nil {
			return nil, err
		} else if !empty {
			out = append(out, lastWrite{x.from, left})
		}
	}
	return out, nil
}

// laterThan are the pairs of x whose point of the read has a later write by y; nil if there are none.
func laterThan(x, y lastWrite, to *statement) (*polycount.Set, error) {
	other, err := y.from.renamed(y.pairs, "''")
	if err != nil {
		return nil, err
	}
	dims := append(to.primed(), x.from.dims...)
	both, err := polycount.Join(append(slices.Clone(dims), suffixed(y.from.dims, "''")...), x.pairs, other)
	if err != nil {
		return nil, err
	}
	common := x.from.common(y.from)
	var beaten *polycount.Set
	for k := 0; k <= common; k++ {
		var cs []polycount.Constraint
		for i := range k {
			cs = append(cs, polycount.EQ(polycount.Name(x.from.dims[i]), polycount.Name(y.from.dims[i]+"''")))
		}
		switch {
		case k < common:
			cs = append(cs, polycount.GE(polycount.Name(y.from.dims[k]+"''"), polycount.Name(x.from.dims[k]).AddInt(1)))
		case !x.from.precedes(y.from):
			continue
		}
		part, err := both.Constrain(cs...)
		if err == nil {
			part, err = part.Project(dims...)
		}
		if err == nil && beaten != nil {
			part, err = beaten.Union(part)
		}
		if err != nil {
			return nil, err
		}
		beaten = part
	}
	return beaten, nil
}
