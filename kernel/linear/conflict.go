package linear

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// clash says why two statements need a barrier between them: the accesses, by address space.
type clash map[kernel.Space]string

// arraySet is a set of arrays in shared memory, as bits. All arrays from the 64th on share one bit.
type arraySet uint64

// mark finds the arrays on which statements may clash: those that a statement writes.
func (b *builder) mark() {
	number := map[*kernel.Array]arraySet{}
	for _, s := range b.stmts {
		for _, a := range s.shared {
			if a.write && number[a.array] == 0 {
				number[a.array] = 1 << min(len(number), 63)
				b.spaces[a.array.Space] |= number[a.array]
			}
		}
	}
	for _, s := range b.stmts {
		for _, a := range s.shared {
			if a.write {
				s.puts |= number[a.array]
			} else {
				s.gets |= number[a.array]
			}
		}
	}
}

// mayClash reports whether the statements have an array in common that one of them writes.
func (s *stmt) mayClash(t *stmt) bool {
	return s.puts&(t.gets|t.puts)|s.gets&t.puts != 0
}

// needsOrder reports whether it matters which of two accesses comes first if they are to one element: one writes, and they are not both parts
// of atomic updates of one class.
func (x access) needsOrder(y access) bool {
	return x.array == y.array && (x.write || y.write) && (x.atomic == "" || x.atomic != y.atomic)
}

// question is the key under which conflict remembers an answer: two statements, the number of loops open around both, and
// whether the next loop is carried.
type question struct {
	s, t, depth int
	carried     bool
}

// conflict decides whether an instance of s and a later one of t, run by different work-items of one group, can touch
// the same element of local or global memory, one of them writing. In the loops of common both are at the same
// iteration, in the loop carried ("" for none) s is at an earlier one; other loops are free. The decision is exact for
// affine indices; an index that is not affine can be anything.
func (b *builder) conflict(s, t *stmt, common []string, carried string) clash {
	if !s.mayClash(t) {
		return nil
	}
	q := question{s.index, t.index, len(common), carried != ""}
	if c, ok := b.memo[q]; ok {
		return c
	}
	var c clash
	for _, x := range s.shared {
		for _, y := range t.shared {
			if !x.needsOrder(y) || c[x.array.Space] != "" || s.Unsynced(t.Stmt, x.array.Space) {
				continue
			}
			if b.disjoint(s, t, x, y, common, "lid", "lid") {
				continue
			}
			cs := b.instances(s, t, x, y, "lid")
			if s == t && x.write && y.write {
				// That a statement writes different elements often holds whatever the iterations: then it is asked once.
				if distinct, err := b.always(s.index, cs); err != nil {
					panic(throw.Of(err))
				} else if distinct {
					continue
				}
			}
			cs = slices.Clip(cs)
			for _, l := range common {
				cs = append(cs, polycount.EQ(polycount.Name(l), polycount.Name(l+second)))
			}
			if carried != "" {
				cs = append(cs, polycount.GE(polycount.Name(carried+second), polycount.Name(carried).AddInt(1)))
			}
			meet, err := b.meet(cs, "lid")
			if err != nil {
				panic(throw.Errorf("%s between %s and %s: %w", x.array.Name, s.ID, t.ID, err))
			}
			if meet {
				if c == nil {
					c = clash{}
				}
				c[x.array.Space] = describe(s, t, x, y)
			}
		}
	}
	b.memo[q] = c
	return c
}

// always decides whether different work-items write different elements by a statement, of which cs are pairs of instances
// for one element, in any two iterations.
func (b *builder) always(stmt int, cs []polycount.Constraint) (bool, error) {
	if distinct, known := b.distinct[stmt]; known {
		return distinct, nil
	}
	meet, err := b.meet(cs, "lid")
	b.distinct[stmt] = !meet
	return !meet, err
}

func describe(s, t *stmt, x, y access) string {
	verb := map[bool]string{false: "read", true: "written"}
	return fmt.Sprintf("%s: %s by %s, %s by %s", x.array.Name, verb[x.write], s.ID, verb[y.write], t.ID)
}

const second = "'" // marks the names of the second instance

// laterPoints are the points of a statement as the second instance: with names of its own.
type laterPoints struct {
	prime map[string]polycount.Affine
	cs    []polycount.Constraint
}

type laterKey struct {
	stmt      int
	differing string
}

func (b *builder) laterPoints(t *stmt, differing string) *laterPoints {
	key := laterKey{t.index, differing}
	if p, ok := b.later[key]; ok {
		return p
	}
	p := &laterPoints{prime: map[string]polycount.Affine{}}
	for _, l := range t.loops {
		p.prime[l] = polycount.Name(l + second)
	}
	for _, d := range b.dims {
		if strings.Contains(differing, d[:3]) {
			p.prime[d] = polycount.Name(d + second)
		}
	}
	for _, bound := range b.k.Bounds(t.Inames) { // what memory held then
		p.prime[bound] = polycount.Name(bound + second)
	}
	for _, c := range b.instanceConstraints(t) {
		p.cs = append(p.cs, polycount.Constraint{Affine: c.Affine.Subst(p.prime), Equality: c.Equality})
	}
	b.later[key] = p
	return p
}

// instances are the constraints of pairs of instances of s and t that touch the same element by the accesses x and y.
// Axes of the kinds in differing ("lid", "lid gid") have names of their own in the second instance, others are shared.
func (b *builder) instances(s, t *stmt, x, y access, differing string) []polycount.Constraint {
	later := b.laterPoints(t, differing)
	cs := slices.Concat(b.instanceConstraints(s), later.cs)
	forms, others := b.forms(x), b.forms(y)
	if len(forms) != len(others) {
		return cs
	}
	for i := range forms {
		if forms[i] == nil || others[i] == nil {
			continue
		}
		p, q := *forms[i], others[i].Subst(later.prime)
		if i == len(x.index)-1 && max(x.lanes, y.lanes) > 0 { // the runs of elements overlap
			cs = append(cs, polycount.GE(p.AddInt(max(x.lanes, 1)-1), q), polycount.GE(q.AddInt(max(y.lanes, 1)-1), p))
			continue
		}
		cs = append(cs, polycount.EQ(p, q))
	}
	return cs
}

// forms returns the indices of an access as affine expressions over loops, axis names and parameters; nil where an index is
// not affine. With strides of the user's own, different indices can be one element: then it is the one index of flat.
func (b *builder) forms(x access) []*polycount.Affine {
	if len(*x.forms) == 0 {
		for _, e := range x.index {
			var form *polycount.Affine
			if a, err := expr.ToAffine(e, b.nest.isIndex); err == nil {
				a = b.nest.Affine(a)
				form = &a
			}
			*x.forms = append(*x.forms, form)
		}
		if slices.ContainsFunc(x.array.Axes, func(a kernel.Axis) bool { return a.Stride != nil }) {
			*x.forms = []*polycount.Affine{flat(x, *x.forms)}
		}
	}
	return *x.forms
}

// flat is the place in memory of an access to one element; nil where it is not affine.
func flat(x access, forms []*polycount.Affine) *polycount.Affine {
	strides, err := x.array.Strides()
	if err != nil || x.lanes > 0 {
		return nil
	}
	var sum polycount.Affine
	for i, form := range forms {
		stride, constant := strides[i].(expr.Int)
		if !constant || form == nil {
			return nil
		}
		sum = sum.AddScaled(stride.Value, *form)
	}
	return &sum
}

// instanceConstraints are the constraints of a statement's instances: its domain, the extents of the axes, where it is pinned, and its predicates as far as
// they compare affine expressions.
func (b *builder) instanceConstraints(s *stmt) []polycount.Constraint {
	if s.points == nil {
		cs, _ := b.nest.Context.Constraints()
		s.points = slices.Concat(cs, s.need, s.zeros())
		for _, p := range s.Predicates {
			s.points = append(s.points, b.comparisons(p)...)
		}
	}
	return s.points
}

// comparisons are the constraints that hold where a condition does.
func (b *builder) comparisons(condition expr.Expr) (list []polycount.Constraint) {
	op, ok := condition.(*expr.Op)
	if !ok {
		return nil
	}
	if op.Kind == expr.And {
		for _, arg := range op.Args {
			list = append(list, b.comparisons(arg)...)
		}
		return list
	}
	if len(op.Args) != 2 {
		return nil
	}
	var sides [2]polycount.Affine
	for i, arg := range op.Args {
		a, err := expr.ToAffine(arg, b.nest.isIndex)
		if err != nil {
			return nil
		}
		sides[i] = b.nest.Affine(a)
	}
	if c, ok := kernel.Comparison(op.Kind, sides[0], sides[1]); ok {
		list = append(list, c)
	}
	return list
}

// workOfMeeting is how much work a question about two instances may take, a fifth of a second; those of the examples take 30,000 units at most.
const workOfMeeting = 4_000_000

// meet decides whether the constraints have a solution in which the two instances differ on an axis of the kind. Where that takes too much to find out, work-items of a group may.
func (b *builder) meet(cs []polycount.Constraint, kind string) (yes bool, err error) {
	all, err := polycount.NewSystem(cs...)
	if err != nil {
		return false, err
	}
	var budget *polycount.Budget
	for _, d := range b.k.Domains {
		budget = cmp.Or(budget, d.Budget())
	}
	all = all.Within(budget, workOfMeeting)
	defer func() {
		if kind == "lid" && errors.Is(err, polycount.ErrBudget) && !(budget != nil && budget.Exceeded()) {
			yes, err = true, nil
		}
	}()
	first := true
	for _, d := range b.dims {
		if d[:3] != kind {
			continue
		}
		x, y := polycount.Name(d), polycount.Name(d+second)
		for _, differ := range []polycount.Constraint{polycount.GE(y, x.AddInt(1)), polycount.GE(x, y.AddInt(1))} {
			if yes, err := all.Solvable(differ); err != nil || yes {
				return yes, err
			}
			if first { // perhaps they never touch the same element
				if yes, err := all.Solvable(); err != nil || !yes {
					return false, err
				}
				first = false
			}
		}
	}
	return false, nil
}

// unorderedError reports that different work-items access one element, one of them writing, and nothing orders the accesses.
type unorderedError struct{ msg string }

func (e *unorderedError) Error() string { return e.msg }

// crossGroup refuses kernels in which a work-group touches what another one writes, because nothing orders work-groups. It
// also refuses a statement that reads what other work-items write in the same statement, because no barrier fits in between.
// Where data decides whether a statement writes one element by several work-groups, by an index or a condition, it is noted
// for the interpreter to find out; where barriers are explicit, all is.
func (b *builder) crossGroup() (err error) {
	defer throw.Catch(&err)
	if b.k.ExplicitBarriers {
		return nil
	}
	for i, s := range b.stmts {
		for _, t := range b.stmts[i:] {
			for _, x := range s.shared {
				for _, y := range t.shared {
					if !x.needsOrder(y) || s.Unsynced(t.Stmt, x.array.Space) {
						continue
					}
					if s == t && x.write == y.write {
						b.writtenTwice(s, x)
						continue
					}
					b.unordered(s, t, x, y)
				}
			}
		}
	}
	return nil
}

// writtenTwice refuses a statement that writes one element by several work-groups.
func (b *builder) writtenTwice(s *stmt, x access) {
	if x.array.Space != kernel.Global || b.disjoint(s, s, x, x, nil, "gid", "lid gid") {
		return
	}
	cs := b.instances(s, s, x, x, "lid gid")
	meet, err := b.meet(cs, "gid")
	affine := !slices.Contains(b.forms(x), nil)
	switch {
	case err != nil || !meet:
	case !affine || len(s.Predicates) > 0:
		b.nest.Suspects = append(b.nest.Suspects, func(sizes map[string]int64) bool {
			at := slices.Clip(cs)
			for name, v := range sizes {
				at = append(at, polycount.EQ(polycount.Name(name), polycount.Int(v)))
			}
			meet, err := b.meet(at, "gid")
			return err == nil && meet && affine
		})
	default:
		err = &unorderedError{fmt.Sprintf("statement %s writes elements of %s by several work-groups, in no order: give each an element of its own", s.ID, x.array.Name)}
	}
	throw.If(err)
}

func (b *builder) unordered(s, t *stmt, x, y access) {
	if x.array.Space == kernel.Global && !b.disjoint(s, t, x, y, nil, "gid", "lid gid") {
		meet := throw.Get(b.meet(b.instances(s, t, x, y, "lid gid"), "gid"))
		if meet {
			panic(throw.Of(&unorderedError{describe(s, t, x, y) + ", in another work-group: nothing orders work-groups of one launch, so this needs two kernels"}))
		}
	}
	if s == t {
		cs := b.instances(s, t, x, y, "lid")
		for _, l := range s.loops {
			cs = append(cs, polycount.EQ(polycount.Name(l), polycount.Name(l+second)))
		}
		meet := throw.Get(b.meet(cs, "lid"))
		if meet {
			panic(throw.Of(&unorderedError{fmt.Sprintf("statement %s reads elements of %s that other work-items write by the same statement: read them into a temporary first",
				s.ID, x.array.Name)}))
		}
	}
}
