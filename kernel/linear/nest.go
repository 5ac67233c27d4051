package linear

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

// New prepares and linearizes a kernel. Kernels that no program can be made of are errors that name the statements and
// the remedy: loops that would have to be entered twice, circular dependencies, dependencies between work-groups, loop
// bounds or extents that cannot be written down.
func New(k *kernel.Kernel) (*Nest, error) {
	n, unordered, err := Analyze(k)
	if err == nil {
		err = unordered
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Analyze is New for a kernel that is counted and not run: accesses to one element that nothing orders are told and do not
// stop it.
func Analyze(k *kernel.Kernel) (n *Nest, unordered, err error) {
	if k, err = transform.Prepare(k); err != nil {
		return nil, nil, err
	}
	b := newBuilder(k)
	for _, step := range []func() error{b.statements, b.extents, b.order, b.crossGroup, b.barriers, b.program} {
		err := step()
		if err != nil {
			err = fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		switch race := (*unorderedError)(nil); {
		case errors.As(err, &race):
			unordered = err
		case err != nil && unordered != nil:
			return nil, nil, unordered // what the step could not do may follow from it
		case err != nil:
			return nil, nil, err
		}
	}
	return b.nest, unordered, nil
}

func newBuilder(k *kernel.Kernel) *builder {
	return &builder{
		k: k, nest: &Nest{Kernel: k, Names: map[string]string{}, axes: map[string]polycount.Affine{}},
		memo: map[question]clash{}, spaces: map[kernel.Space]arraySet{}, later: map[laterKey]*laterPoints{}, guards: map[guardKey][]cond{}, distinct: map[int]bool{}, runs: map[string]bool{},
	}
}

// builder carries a kernel through the steps of New.
type builder struct {
	k     *kernel.Kernel
	nest  *Nest
	stmts []*stmt
	loops []string // sequential inames in the order of the domains
	dims  []string // of the context: the axes in use
	root  *block
	// What is asked repeatedly; domains and contexts are immutable and told by their pointers.
	memo   map[question]clash
	spaces map[kernel.Space]arraySet // the arrays of a space that statements may clash on
	later  map[laterKey]*laterPoints
	guards map[guardKey][]cond
	// distinct statements write different elements by different work-items, in any iterations.
	distinct map[int]bool
	runs     map[string]bool // loops by their inames, see surelyRuns
}

// stmt is a statement with what linearization asks of it.
type stmt struct {
	*kernel.Stmt
	index int
	loops []string          // sequential inames
	axes  map[string]string // axis name to iname
	// domain has the loops and axis names as dimensions, and one member; statements of the same inames share it.
	domain *polycount.Set
	need   []polycount.Constraint // those of domain
	points []polycount.Constraint // those of its instances, see builder.points
	// accesses to local and global memory, and the names of private variables.
	shared   []access
	privates []access
	// gets and puts are the arrays of shared that it reads and writes, so far as some statement writes them.
	gets, puts arraySet
	// pinned axes are those on which only work-item or group 0 runs the statement: it writes memory that others
	// share, and none of its inames is on that axis.
	pinned []string
}

// access is a read or write of a variable.
type access struct {
	array *kernel.Array
	index []expr.Expr
	lanes int64 // elements from the index on, along the last axis; 0 for one
	write bool
	// atomic is the class of an atomic update that the access is part of; "" for others.
	atomic expr.OpKind
	// forms are the indices over loops, axis names and parameters, made when asked for; nil where not affine.
	forms *[]*polycount.Affine
}

func (b *builder) statements() error {
	for _, iname := range b.k.Inames() {
		switch t := b.k.Tags[iname]; t.Kind {
		case kernel.GroupAxis, kernel.LocalAxis:
			b.nest.Names[iname], b.nest.axes[iname] = Axis(t), polycount.Name(Axis(t))
		case kernel.LocalAuto:
			return fmt.Errorf("iname %s is tagged l.auto and was given no axis", iname)
		default:
			b.loops = append(b.loops, iname)
		}
	}
	for i, s := range b.k.Statements {
		st := &stmt{Stmt: s, index: i, axes: map[string]string{}}
		for _, iname := range s.Inames {
			axis, ok := b.nest.Names[iname]
			if !ok {
				continue
			}
			if other, twice := st.axes[axis]; twice {
				return fmt.Errorf("statement %s has two inames, %s and %s, on axis %s: they cannot take values of their own; tag one otherwise",
					s.ID, other, iname, axis)
			}
			st.axes[axis] = iname
		}
		for _, iname := range b.loops {
			if slices.Contains(s.Inames, iname) {
				st.loops = append(st.loops, iname)
			}
		}
		if err := b.domain(st); err != nil {
			return fmt.Errorf("statement %s: %w", s.ID, err)
		}
		if err := b.accesses(st); err != nil {
			return fmt.Errorf("statement %s: %w", s.ID, err)
		}
		b.stmts = append(b.stmts, st)
	}
	b.mark()
	return nil
}

func (b *builder) domain(s *stmt) error {
	for _, o := range b.stmts {
		if slices.Equal(o.Inames, s.Inames) {
			s.domain, s.need = o.domain, o.need
			return nil
		}
	}
	d, err := b.k.DomainOf(s.Inames)
	if err != nil {
		return err
	}
	for _, iname := range s.Inames {
		if axis, ok := b.nest.Names[iname]; ok {
			if d, err = d.Rename(iname, axis); err != nil {
				return err
			}
		}
	}
	if d, err = joined(d); err != nil {
		return err
	}
	s.domain = d
	s.need, _ = d.Constraints()
	if len(d.Disjuncts()) > 1 {
		return fmt.Errorf("its domain %s is a union, for which there is no single guard: split the statement", d)
	}
	return nil
}

// joined merges the parts of a set, which are often those of one by how many iterations a loop that it leaves out has.
func joined(d *polycount.Set) (*polycount.Set, error) {
	if len(d.Disjuncts()) < 2 {
		return d, nil
	}
	return d.Coalesce()
}

func (b *builder) accesses(s *stmt) error {
	update := s.Update()
	add := func(list []*expr.Access, write bool) error {
		for _, a := range list {
			array := b.k.Array(a.Array)
			if array == nil {
				return fmt.Errorf("unknown variable %s", a.Array)
			}
			acc := access{array: array, index: a.Index, lanes: a.Lanes, write: write}
			if a.As != "" {
				acc.lanes = array.Span(a)
			}
			if update != nil && a.Array == s.Target() { // which it accesses nowhere else
				acc.atomic = update.Class()
			}
			switch {
			case array.IsValue && !write:
			case array.IsValue:
				return fmt.Errorf("it assigns to %s, an argument passed by value", a.Array)
			case array.Space == kernel.Local || array.Space == kernel.Global:
				acc.forms = new([]*polycount.Affine)
				s.shared = append(s.shared, acc)
			case array.Space == kernel.Private:
				s.privates = append(s.privates, acc)
			default:
				return fmt.Errorf("variable %s has no address space", a.Array)
			}
		}
		return nil
	}
	if err := add(b.k.Reads(s.Stmt), false); err != nil {
		return err
	}
	return add(b.k.Writes(s.Stmt), true)
}

// writesShared reports whether s writes memory of the space.
func (s *stmt) writesShared(space kernel.Space) bool {
	return slices.ContainsFunc(s.shared, func(a access) bool { return a.write && a.array.Space == space })
}

// extents finds the work-group's size and the number of groups, and which statements are pinned to item 0 of an axis.
func (b *builder) extents() (err error) {
	defer throw.Catch(&err)
	n := b.nest
	size, notConstant := b.k.LocalSize()
	n.Local = size
	var dims []string
	var cs []polycount.Constraint
	for axis := range 3 {
		name := Axis(kernel.Tag{Kind: kernel.LocalAxis, Axis: axis})
		n.Local[axis] = max(n.Local[axis], 1)
		if !b.uses(name) {
			continue
		}
		dims = append(dims, name)
		if notConstant != nil {
			n.Local[axis] = 0
			cs = append(cs, polycount.GE(polycount.Name(name), polycount.Int(0)))
		} else {
			cs = append(cs, kernel.Within(name, 0, n.Local[axis]-1)...)
		}
	}
	for axis := range 3 {
		name := Axis(kernel.Tag{Kind: kernel.GroupAxis, Axis: axis})
		if !b.uses(name) {
			n.Groups[axis] = []polycount.Bound{{Num: polycount.Int(0), Den: 1}}
			continue
		}
		upper := b.groups(name)
		n.Groups[axis] = upper
		dims = append(dims, name)
		cs = append(cs, polycount.GE(polycount.Name(name), polycount.Int(0)))
		for _, u := range upper {
			cs = append(cs, kernel.AtMost(name, u))
		}
	}
	b.dims = dims
	n.Context = polycount.NewSet(nil, dims, cs...)
	if b.k.Assumptions != nil {
		n.Context = throw.Get(n.Context.IntersectParams(b.k.Assumptions))
	}
	for _, s := range b.stmts {
		for _, axis := range dims {
			local := strings.HasPrefix(axis, "lid")
			_, has := s.axes[axis]
			if !has && (s.writesShared(kernel.Global) || local && s.writesShared(kernel.Local)) {
				s.pinned = append(s.pinned, axis)
			}
		}
	}
	return nil
}

func (b *builder) uses(axis string) bool {
	return slices.ContainsFunc(b.stmts, func(s *stmt) bool { _, ok := s.axes[axis]; return ok })
}

// groups are the upper bounds of a group axis that hold for all statements on it.
func (b *builder) groups(axis string) []polycount.Bound {
	var parts []*polycount.Set
	var users []string
	var seen []*polycount.Set
	for _, s := range b.stmts {
		if _, ok := s.axes[axis]; !ok {
			continue
		}
		users = append(users, s.ID)
		if slices.Contains(seen, s.domain) {
			continue
		}
		seen = append(seen, s.domain)
		if lo, hi, ok := s.interval(axis); ok && lo >= 0 {
			parts = append(parts, polycount.NewSet(nil, []string{axis}, kernel.Within(axis, lo, hi)...))
			continue
		}
		p := throw.Get(s.domain.Project(axis))
		if ok, err := p.Implies(polycount.GE(polycount.Name(axis), polycount.Int(0))); err != nil || !ok {
			panic(throw.Errorf("iname %s on %s starts below 0: shift it (%s)", s.axes[axis], axis, p))
		}
		ds := throw.Get(kernel.Inhabited(p))
		parts = append(parts, ds...)
	}
	if len(parts) == 0 { // the assumptions leave no point
		return []polycount.Bound{{Num: polycount.Int(-1), Den: 1}}
	}
	_, upper := throw.Get2(kernel.CommonBounds(distinct(parts), axis))
	upper = slices.DeleteFunc(upper, func(u polycount.Bound) bool { return slices.ContainsFunc(u.Num.Names(), b.k.IsTemp) })
	if b.k.Assumptions != nil {
		upper = divisible(b.k.Assumptions, upper, false)
	}
	if len(upper) == 0 {
		panic(throw.Errorf("no number of groups along %s covers the statements %s: their extents cannot be compared", axis, strings.Join(users, ", ")))
	}
	return upper
}
