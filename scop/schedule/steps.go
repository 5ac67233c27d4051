package schedule

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// mostParts is in how many parts a statement is cut for blocks.
const mostParts = 9

// block is what some steps of a loop of the host do, one after the other: a nest whose parameter is the number of the block. Statements are cut where a step of the block stops to wait for points of
// another one, or others stop to wait for its own.
type block struct {
	nest        *scop.Nest
	name        string // of the parameter
	steps       Loop
	size        int64
	parts       []*part
	dependences []*deps.Dependence // among the parts of one block
	turned      []turn
	known       map[ends]*polycount.Set // the pairs of points of dependences between parts; nil where there are none
}

// ends are a dependence and the parts that its points are in.
type ends struct {
	of       *deps.Dependence
	from, to *part
}

// turn are two parts of a statement that accumulates, of which the later one comes first in a block.
type turn struct{ later, earlier *scop.Statement }

// part are points of a statement in a block.
type part struct {
	of        *scop.Statement
	where     []polycount.Constraint
	statement *scop.Statement
	whole     *part // that it was cut from; nil for a statement
}

// blockOf makes the block of so many steps of a loop, with statements in parts if cut.
func blockOf(n *scop.Nest, all []*deps.Dependence, steps Loop, list []*scop.Statement, size int64, cut bool) (*block, error) {
	b := &block{steps: steps, size: size, known: map[ends]*polycount.Set{}}
	b.name = kernel.Fresh("block", func(name string) bool {
		return slices.Contains(n.Params, name) || n.Array(name) != nil || slices.ContainsFunc(n.Statements, func(s *scop.Statement) bool { return slices.Contains(s.Iterators, name) })
	})
	own := *n
	own.Params = append(slices.Clone(n.Params), b.name)
	b.nest = &own
	for _, s := range list {
		first := polycount.Name(b.name).Scale(size)
		b.parts = append(b.parts, &part{of: s, where: []polycount.Constraint{polycount.GE(steps.Of[s], first), polycount.GE(first.AddInt(size-1), steps.Of[s])}})
	}
	all = slices.DeleteFunc(slices.Clone(all), func(d *deps.Dependence) bool { return d.ValueBased || !d.Among(list) })
	for {
		if err := b.made(n); err != nil {
			return nil, err
		}
		if err := b.among(all); err != nil {
			return nil, err
		}
		if !cut {
			return b, nil
		}
		if more, err := b.cut(); err != nil {
			return nil, err
		} else if !more {
			if err := b.unite(all); err != nil {
				return nil, err
			}
			b.turn()
			return b, nil
		}
	}
}

// unite makes one statement of parts that do the same with other points, none of which depend on each other, where all of these are one set: as above and below the diagonal of what is left of a matrix.
func (b *block) unite(all []*deps.Dependence) error {
	for i, p := range b.parts {
		for _, q := range b.parts[:i] {
			if p.of == q.of || p.statement == q.statement || !same(p.of, q.of) || slices.ContainsFunc(b.dependences, func(d *deps.Dependence) bool {
				return d.From == p.statement && d.To == q.statement || d.From == q.statement && d.To == p.statement
			}) {
				continue
			}
			domain, err := q.statement.Domain.Union(p.statement.Domain.Named(q.statement.Name))
			if err != nil {
				return err
			}
			if domain, err = domain.Coalesce(); err != nil {
				return err
			}
			if len(domain.Disjuncts()) > 1 {
				continue
			}
			q.statement.Domain = domain.Named(q.statement.Name)
			if q.statement.Loops, err = loopsOf(q.of, q.statement.Domain); err != nil {
				return err
			}
			b.nest.Statements = slices.DeleteFunc(b.nest.Statements, func(s *scop.Statement) bool { return s == p.statement })
			p.statement = q.statement
			break
		}
	}
	b.nest.Loops = nil
	for _, s := range b.nest.Statements {
		b.nest.Loops = append(b.nest.Loops, s.Loops...)
	}
	return b.among(all)
}

// turn lets parts of a sum that wait for nothing in the block come before those that do: in what order it takes its terms makes no difference but for rounding.
func (b *block) turn() {
	waits := func(s *scop.Statement, on func(*scop.Statement) bool) bool {
		return slices.ContainsFunc(b.dependences, func(d *deps.Dependence) bool { return !d.Accumulation && d.To == s && on(d.From) })
	}
	any := func(*scop.Statement) bool { return true }
	for i, d := range b.dependences {
		from, to := d.From, d.To
		if from == to || !d.Accumulation || b.parts[b.partOf(from)].of != b.parts[b.partOf(to)].of || !waits(from, any) || waits(to, any) {
			continue
		}
		back := *d
		back.From, back.To, back.Map = to, from, d.Map.Reverse()
		b.dependences[i] = &back
		if t := (turn{from, to}); !slices.Contains(b.turned, t) {
			b.turned = append(b.turned, t)
		}
	}
}

// same reports that two statements assign the same in loops of the same names and directions.
func same(s, t *scop.Statement) bool {
	return slices.Equal(s.Iterators, t.Iterators) && s.LHS.String() == t.LHS.String() && s.RHS.String() == t.RHS.String() && len(s.Accesses) == len(t.Accesses) &&
		!slices.ContainsFunc(append(slices.Clone(s.Loops), t.Loops...), func(l *scop.Loop) bool { return l.Step < 0 }) &&
		!slices.ContainsFunc(append(slices.Clone(s.Accesses), t.Accesses...), func(a scop.Access) bool { return a.Where != nil })
}

// made makes the statements of the parts.
func (b *block) made(n *scop.Nest) error {
	b.nest.Statements, b.nest.Loops = nil, nil
	taken := map[string]bool{}
	for _, s := range n.Statements {
		taken[s.Name] = true
	}
	number := map[*scop.Statement]int{}
	for _, p := range b.parts {
		s := *p.of
		domain, err := s.Domain.Constrain(p.where...)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(b.parts, func(o *part) bool { return o != p && o.of == p.of }) {
			s.Name = kernel.Fresh(fmt.Sprintf("%s_%d", p.of.Name, number[p.of]), func(name string) bool { return taken[name] })
			number[p.of]++
			taken[s.Name] = true
		}
		s.Domain = domain.Named(s.Name)
		if s.Loops, err = loopsOf(p.of, s.Domain); err != nil {
			return err
		}
		b.nest.Loops = append(b.nest.Loops, s.Loops...)
		p.statement = &s
		b.nest.Statements = append(b.nest.Statements, p.statement)
	}
	return nil
}

// loopsOf are loops of the points of a part of a statement.
func loopsOf(s *scop.Statement, domain *polycount.Set) (loops []*scop.Loop, err error) {
	for i, l := range s.Loops {
		own := *l
		own.Outer = slices.Clone(loops)
		if own.Bounds, err = domain.Project(s.Iterators[:i+1]...); err != nil {
			return nil, err
		}
		loops = append(loops, &own)
	}
	return loops, nil
}

// among finds the dependences among the parts.
func (b *block) among(all []*deps.Dependence) error {
	b.dependences = nil
	for _, d := range all {
		for _, from := range b.parts {
			if from.of != d.From {
				continue
			}
			for _, to := range b.parts {
				if to.of != d.To {
					continue
				}
				both, err := b.pairs(ends{d, from, to})
				if err != nil {
					return err
				}
				if both != nil {
					b.dependences = append(b.dependences, between(d, from.statement, to.statement, both))
				}
			}
		}
	}
	return nil
}

// pairs are the points of a dependence in parts; nil where there are none. There are none in what a part was cut from, and where there are, it is among them.
func (b *block) pairs(e ends) (_ *polycount.Set, err error) {
	if known, is := b.known[e]; is {
		return known, nil
	}
	defer throw.Catch(&err)
	both, primed := pairsOf(e.of)
	for _, wider := range []ends{{e.of, e.from.whole, e.to.whole}, {e.of, e.from, e.to.whole}, {e.of, e.from.whole, e.to}} {
		if known, is := b.known[wider]; is {
			if both = known; known == nil {
				break
			}
		}
	}
	if both != nil {
		both = throw.Get(both.Constrain(append(slices.Clone(e.from.where), substituted(e.to.where, primed)...)...))
		if throw.Get(both.IsEmpty()) {
			both = nil
		}
	}
	b.known[e] = both
	return both, nil
}

// between is a dependence between other statements in the place of its own.
func between(d *deps.Dependence, from, to *scop.Statement, pairs *polycount.Set) *deps.Dependence {
	own := *d
	own.From, own.To = from, to
	own.Map = polycount.Relation(pairs, len(from.Iterators), from.Name, to.Name)
	return &own
}

// dependencesOf are the dependences of all blocks together, by what the statements of parts are then.
func (b *block) dependencesOf(all []*deps.Dependence, by map[*scop.Statement]*scop.Statement) (out []*deps.Dependence) {
	type end struct {
		statement *scop.Statement
		where     []polycount.Constraint
		part      *scop.Statement
	}
	ends := func(s *scop.Statement) (list []end) {
		for _, p := range b.parts {
			if p.of == s {
				list = append(list, end{by[p.statement], p.where, p.statement})
			}
		}
		if list == nil {
			list = []end{{statement: s}}
		}
		return list
	}
	for _, d := range all {
		pairs, primed := pairsOf(d)
		dims := pairs.Dims()
		primed[b.name] = polycount.Name(b.name + "'")
		for _, from := range ends(d.From) {
			for _, to := range ends(d.To) {
				var names []string
				if from.where != nil {
					names = append(names, b.name)
				}
				names = append(names, dims[:len(d.From.Iterators)]...)
				if to.where != nil {
					names = append(names, b.name+"'")
				}
				names = append(names, dims[len(d.From.Iterators):]...)
				for _, some := range pairs.Disjuncts() {
					list, _ := some.Constraints()
					list = slices.Concat(list, from.where, substituted(to.where, primed))
					if slices.Contains(b.turned, turn{from.part, to.part}) && d.Accumulation { // in one block the other way round
						list = append(list, polycount.GE(primed[b.name], polycount.Name(b.name).AddInt(1)))
					}
					out = append(out, between(d, from.statement, to.statement, polycount.NewSet(nil, names, list...).Within(pairs.Budget())))
				}
			}
		}
	}
	return out
}

func substituted(list []polycount.Constraint, by map[string]polycount.Affine) (out []polycount.Constraint) {
	for _, c := range list {
		out = append(out, polycount.Constraint{Affine: c.Affine.Subst(by), Equality: c.Equality})
	}
	return out
}

// cut cuts a part where those of its points end that depend on another part in the block, or on which that depends; false where no part needs that. Such ends are those of the steps of the block,
// or of the other part, said of the point at this end of a dependence.
func (b *block) cut() (bool, error) {
	for _, d := range b.dependences {
		if d.Accumulation {
			continue
		}
		end := [2]int{b.partOf(d.From), b.partOf(d.To)}
		pairs, primed := pairsOf(d)
		here, there, unprimed := pairs.Dims()[:len(d.From.Iterators)], pairs.Dims()[len(d.From.Iterators):], map[string]polycount.Affine{}
		for i, name := range there {
			unprimed[name] = polycount.Name(d.To.Iterators[i])
		}
		for _, some := range pairs.Disjuncts() {
			atFrom := told(substituted(b.parts[end[1]].where, primed), some, there)
			atTo := substituted(told(b.parts[end[0]].where, some, here), unprimed)
			for i, list := range [2][]polycount.Constraint{atFrom, atTo} {
				for _, c := range list {
					if is, err := b.ends(b.parts[end[i]], c); err != nil {
						return false, err
					} else if is && b.splits(end[i], c) {
						return true, nil
					}
				}
			}
		}
	}
	return false, nil
}

// told are constraints in other dimensions than some, as far as the equalities of a set give these.
func told(list []polycount.Constraint, set *polycount.Set, but []string) []polycount.Constraint {
	return slices.DeleteFunc(substituted(list, solved(set, but)), func(c polycount.Constraint) bool { return slices.ContainsFunc(but, c.Affine.Has) })
}

func (b *block) partOf(s *scop.Statement) int {
	return slices.IndexFunc(b.parts, func(p *part) bool { return p.statement == s })
}

// solved are dimensions of a set as far as equalities give them by others.
func solved(set *polycount.Set, dims []string) map[string]polycount.Affine {
	out := map[string]polycount.Affine{}
	list, _ := set.Constraints()
	for _, c := range list {
		a := c.Affine.Subst(out)
		if !c.Equality || a.HasFloor() {
			continue
		}
		for _, name := range dims {
			k := a.Coeff(name)
			if k != 1 && k != -1 {
				continue
			}
			value := map[string]polycount.Affine{name: polycount.Name(name).AddScaled(-k, a)}
			for other, v := range out {
				out[other] = v.Subst(value)
			}
			out[name] = value[name]
			break
		}
	}
	return out
}

// ends reports that a bound does not hold of all points of a part, and is none of the steps.
func (b *block) ends(p *part, c polycount.Constraint) (bool, error) {
	row := Loop{Of: map[*scop.Statement]polycount.Affine{p.of: c.Affine}}.row(p.of)
	if rank([][]int64{b.steps.row(p.of), row}) < 2 {
		return false, nil
	}
	everywhere, err := p.statement.Domain.Implies(c)
	if everywhere || err != nil {
		return false, err
	}
	some, err := p.statement.Domain.Constrain(c)
	if err != nil {
		return false, err
	}
	none, err := some.IsEmpty()
	return !none, err
}

// splits splits a part, unless there are too many of its statement.
func (b *block) splits(i int, at polycount.Constraint) bool {
	p, n := b.parts[i], 0
	for _, o := range b.parts {
		if o.of == p.of {
			n++
		}
	}
	if n >= mostParts {
		return false
	}
	in := &part{of: p.of, where: append(slices.Clone(p.where), at), whole: p}
	out := &part{of: p.of, where: append(slices.Clone(p.where), polycount.GE(polycount.Int(-1), at.Affine)), whole: p}
	b.parts = slices.Replace(b.parts, i, i+1, in, out)
	return true
}

// unfolded is the nest with the loop over blocks around the parts, and a tree of the block as one of it.
func (b *block) unfolded(n *scop.Nest, tree Node) (_ *scop.Nest, _ Node, by map[*scop.Statement]*scop.Statement, err error) {
	out := *n
	out.Statements = nil
	var loop *scop.Loop
	by = map[*scop.Statement]*scop.Statement{}
	for _, s := range n.Statements {
		whole := true
		for _, p := range b.parts {
			if p.of != s {
				continue
			}
			whole = false
			if by[p.statement] != nil {
				continue
			}
			own := *p.statement
			own.Domain = p.statement.Domain.ToDims(b.name)
			own.Iterators = append([]string{b.name}, s.Iterators...)
			if own.Domain, err = own.Domain.Project(own.Iterators...); err != nil {
				return nil, nil, nil, err
			}
			own.Domain = own.Domain.Named(own.Name)
			if loop == nil {
				values, err := own.Domain.Project(b.name)
				if err != nil {
					return nil, nil, nil, err
				}
				loop = &scop.Loop{Iterator: b.name, Name: b.name, DType: s.Loops[0].DType, Pos: s.Pos, Step: 1, Bounds: values}
			}
			own.Loops = append([]*scop.Loop{loop}, s.Loops...)
			own.Order = append([]polycount.Affine{s.Order[0], polycount.Name(b.name)}, s.Order...)
			by[p.statement] = &own
			out.Statements = append(out.Statements, &own)
		}
		if whole {
			out.Statements = append(out.Statements, s)
		}
	}
	out.Loops = append([]*scop.Loop{loop}, n.Loops...)
	blocks := Loop{Of: map[*scop.Statement]polycount.Affine{}}
	for _, s := range by {
		blocks.Of[s] = polycount.Name(b.name)
	}
	return &out, &Band{[]Loop{blocks}, Over(tree, by)}, by, nil
}
