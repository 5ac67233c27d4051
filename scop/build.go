package scop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/inline"
	"gpuperf/internal/bounded"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Load reads a C file and returns the nest of each of its regions: those between #pragma scop and #pragma endscop, or without
// any the bodies of its functions. The path may end in "#name", for one region alone. Of several functions without pragmas,
// those that are no nests are left out, unless none is. Errors are *source.Error where they have a place.
func Load(ctx context.Context, path string, opt cfront.Options) (nests []*Nest, err error) {
	err = bounded.Do(ctx, limits, func(ctx context.Context, _ func() int) (err error) {
		nests, err = load(ctx, path, opt)
		return err
	})
	if bounded.Stopped(err) {
		err = fmt.Errorf("%s: finding its loop nests %w", path, err)
	}
	return nests, err
}

// limits of finding the nests of a file, so that a stranger's file is safe to open.
var limits = bounded.Limits{Time: bounded.Patience, Memory: 768 << 20}

func load(ctx context.Context, path string, opt cfront.Options) ([]*Nest, error) {
	path, only, one := source.CutName(path)
	f, err := cfront.Read(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(f.Functions, func(fn *cfront.Function) bool { return fn.Kernel }); i >= 0 {
		fn := f.Functions[i]
		return nil, f.Errorf(fn.Pos, "%s is a kernel function, and no loop nest", fn.Name).WithHint("perf count, show, predict and others take it: perf help c")
	}
	regions, err := f.Regions()
	if err != nil {
		return nil, err
	}
	if one {
		i := slices.IndexFunc(regions, func(r *cfront.Region) bool { return r.Name == only })
		if i < 0 {
			names := lists.Map(regions, func(r *cfront.Region) string { return r.Name })
			return nil, fmt.Errorf("%s has no region %q; it has %s", path, only, strings.Join(names, ", "))
		}
		regions = regions[i : i+1]
	}
	var nests []*Nest
	var first error
	for _, r := range regions {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n, err := Build(f, r)
		if err != nil && (one || r.Marked) {
			return nil, err
		}
		if err != nil && first == nil {
			first = err
		}
		if err == nil && (len(n.Statements) > 0 || r.Marked || one) {
			nests = append(nests, n)
		}
	}
	switch {
	case len(nests) > 0:
		return nests, nil
	case first != nil:
		return nil, first
	}
	return nil, fmt.Errorf("%s: no function of it assigns anything", path)
}

// Build makes the nest of a region. What is not static control is a *source.Error.
func Build(f *cfront.File, r *cfront.Region) (*Nest, error) {
	items := members(inline.Expanded(f, r.Items))
	n, err := build(f, r, items, nil)
	if err != nil {
		return nil, offer(f, r, items, err)
	}
	return n, nil
}

// build makes the nest of statements of a region, in which some arrays of one dimension have several of such strides.
func build(f *cfront.File, r *cfront.Region, items []cfront.Stmt, strides map[*cfront.Var][]*expr.Poly) (n *Nest, err error) {
	defer func() {
		if e := recover(); e != nil {
			fault, ok := e.(fault)
			if !ok {
				panic(e)
			}
			n, err = nil, fault.err
		}
	}()
	b := newBuilder(f, r, items)
	b.strides = strides
	b.list(items, scope{domain: polycount.NewSet(nil, nil)})
	if len(b.strides) == 0 {
		if found := b.folded(); len(found) > 0 {
			if n, err := build(f, r, items, found); err == nil {
				return n, nil
			}
		}
	}
	return b.finish(), nil
}

// fault is an error on its way out of the recursion.
type fault struct {
	err   error
	wraps bool // arithmetic without a sign would wrap around
}

func (b *builder) fail(at cfront.Expr, hint, format string, args ...any) {
	b.failAt(at.Place(), hint, format, args...)
}

func (b *builder) failAt(at cfront.Pos, hint, format string, args ...any) {
	e := b.file.Errorf(at, format, args...)
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	panic(fault{err: e})
}

// try makes errors of sets faults at a place.
func (b *builder) try(at cfront.Pos, err error) {
	if err != nil {
		panic(fault{err: b.file.Errorf(at, "this takes too much to analyse: %v", source.Message(err))})
	}
}

// builder makes a nest.
type builder struct {
	file   *cfront.File
	region *cfront.Region
	nest   *Nest
	uses   uses
	names  map[*cfront.Var]string
	taken  map[string]bool
	// reserved names are those of iterators. Loops that are not inside of one another may share them.
	reserved map[string]bool
	context  []polycount.Constraint // of the parameters
	head     bool                   // a part of the head of a loop is read
	later    []func()               // what is checked when all statements are read
	pointers []*cfront.Var
	arrays   map[*cfront.Var]*Array
	open     []*Loop                      // around the current statement
	iters    []string                     // their names in the nest
	at       []*cfront.Var                // their variables
	domain   *polycount.Set               // of the current statement or part of an expression
	narrow   bool                         // domain is less than that of the statement
	found    []Access                     // of the current statement
	calls    int                          // of functions around the current expression
	givens   map[string]string            // parameters that stand for expressions, by their text
	guards   []guard                      // conditions on data around the current statement
	depth    int                          // branches on data around it
	inner    map[*cfront.Var]int          // those around the declaration of a variable
	env      env                          // what is known of integers that the region assigns
	starts   map[*cfront.Var]string       // parameters that stand for their values before the region
	finally  map[string]bool              // parameters that values after the region have
	heads    map[string]bool              // names that stand for their values at the beginning of an iteration
	signless map[string]bool              // parameters that have no sign
	wholes   map[*cfront.Var]*cfront.Var  // arrays that variables are whose rows are pointers
	pointed  map[*cfront.Var]bool         // those
	written  *cfront.Var                  // stands for what has been written
	flats    map[*cfront.Var][]flatAccess // accesses to arrays of one dimension
	strides  map[*cfront.Var][]*expr.Poly // of arrays of one dimension that have several
	unseen   map[string]string            // functions without a body here, by their names and types
	probing  bool                         // nothing becomes a parameter
}

// scope is what is known of a statement in a list: where it runs, and its order so far.
type scope struct {
	domain *polycount.Set
	order  []polycount.Affine
}

func newBuilder(f *cfront.File, r *cfront.Region, items []cfront.Stmt) *builder {
	b := &builder{
		file: f, region: r, nest: &Nest{Name: r.Name, File: f.Name, First: r.First, Last: r.Last, Given: map[string]cfront.Expr{}},
		givens: map[string]string{}, inner: map[*cfront.Var]int{}, env: env{}, pointed: map[*cfront.Var]bool{}, wholes: map[*cfront.Var]*cfront.Var{}, unseen: map[string]string{}, flats: map[*cfront.Var][]flatAccess{}, starts: map[*cfront.Var]string{}, heads: map[string]bool{}, finally: map[string]bool{}, signless: map[string]bool{},
		names: map[*cfront.Var]string{}, taken: map[string]bool{}, reserved: map[string]bool{}, arrays: map[*cfront.Var]*Array{},
	}
	for _, w := range polycount.Words() {
		b.taken[w] = true
	}
	b.uses = usesOf(r, items)
	for v := range b.uses.iterators {
		if !b.taken[v.Name] && expr.IsName(v.Name) {
			b.taken[v.Name], b.reserved[v.Name] = true, true
		}
	}
	return b
}

// name is the name of a variable in the nest: that of the text, unless it is taken.
func (b *builder) name(v *cfront.Var) string {
	name, ok := b.names[v]
	if !ok {
		name = b.fresh(v.Name)
		b.names[v] = name
	}
	return name
}

func (b *builder) fresh(base string) string {
	name := kernel.Fresh(base, func(s string) bool { return b.taken[s] || !expr.IsName(s) })
	b.taken[name] = true
	return name
}

// list follows the statements of a body one after the other. It returns the number of places that they take in the order.
func (b *builder) list(items []cfront.Stmt, at scope) {
	place := int64(0)
	for _, s := range items {
		place = b.statement(s, at, place)
	}
}

// statement follows a statement that stands at a place of a body, and returns the next place.
func (b *builder) statement(s cfront.Stmt, at scope, place int64) int64 {
	switch x := s.(type) {
	case *cfront.Block:
		for _, inner := range x.Items {
			place = b.statement(inner, at, place)
		}
		return place
	case *cfront.For:
		if list := b.counted(x, at); list != nil {
			for _, inner := range list {
				place = b.statement(inner, at, place)
			}
			if h, ok := headOf(x); ok {
				b.env[h.iterator] = nil
			}
			return place
		}
		b.loop(x, scope{at.domain, appended(at.order, polycount.Int(place))})
		return place + 1
	case *cfront.While:
		for _, inner := range b.repeated(x) {
			place = b.statement(inner, at, place)
		}
		return place
	case *cfront.If:
		b.domain = at.domain
		var holds *polycount.Set
		if why := b.fault(func() { holds = b.condition(x.Cond) }); why != nil {
			return b.guarded(x, at, place)
		}
		then, err := at.domain.Intersect(holds)
		b.try(x.Pos, err)
		b.fork(x, holds, func() {
			place = b.statement(x.Then, scope{b.simple(x.Pos, then), at.order}, place)
		}, func() {
			if x.Else != nil {
				other, err := at.domain.Subtract(holds)
				b.try(x.Pos, err)
				place = b.statement(x.Else, scope{b.simple(x.Pos, other), at.order}, place)
			}
		})
		return place
	case *cfront.Do:
		if x.X == nil {
			return place
		}
		return b.effect(x, at, place)
	case *cfront.Declare:
		for _, v := range x.Vars {
			place = b.declare(v, x.Bare, at, place)
		}
		return place
	}
	b.failAt(s.Place(), "", "%s is not static control", foreignStatement(s))
	return place
}

func (b *builder) simple(at cfront.Pos, s *polycount.Set) *polycount.Set {
	if len(s.Disjuncts()) < 2 {
		return s
	}
	out, err := s.Coalesce()
	b.try(at, err)
	return out
}

func appended[T any](list []T, more ...T) []T { return append(list[:len(list):len(list)], more...) }

// declare enters a variable of the region; its value is a statement.
func (b *builder) declare(v *cfront.Var, bare bool, at scope, place int64) int64 {
	b.inner[v] = b.depth
	b.env[v] = nil
	if !bare && b.uses.iterators[v] && v.Init != nil { // what counts loops is no memory
		b.domain = at.domain
		b.env[v] = b.learned(v, v.Init)
		return place
	}
	if bare || b.uses.iterators[v] || v.Init == nil && !v.Listed || v.Class == cfront.Global {
		return place
	}
	if v.Listed || len(v.Dims) > 0 {
		b.failAt(v.Pos, "assign to its elements", "%s is declared with a list of values", v.Name)
	}
	return b.assign(v.Pos, cfront.Use(v), v.Init, at, place)
}

// effect follows an expression that is evaluated for its effect.
func (b *builder) effect(x *cfront.Do, at scope, place int64) int64 {
	if a, ok := x.X.(*cfront.Assign); ok {
		return b.assignment(a, at, place)
	}
	if c, ok := x.X.(*cfront.Call); ok && slices.Contains(outputs, c.Func) && b.file.Function(c.Func) == nil {
		return b.output(c, at, place)
	}
	for e := range cfront.All(x.X) {
		switch y := e.(type) {
		case *cfront.Call:
			if !b.pure(y) {
				b.fail(y, "give it a body, or a summary of its accesses (perf help c)", "the call of %s may have effects that are not seen here", y.Func)
			}
		case *cfront.Assign:
			b.fail(y, "make it a statement of its own", "an assignment inside of an expression")
		case *cfront.List, *cfront.Address, *cfront.Member, *cfront.Unknown:
			b.fail(y, "", "%s is not static control", foreign(y))
		}
	}
	return place
}

// assignment follows an assignment and those that its value is made of, a = b = c, innermost first. It returns the next place.
func (b *builder) assignment(a *cfront.Assign, at scope, place int64) int64 {
	value := a.Value
	if inner, ok := value.(*cfront.Assign); ok {
		place, value = b.chained(inner, at, place)
	}
	if a.Op != "" {
		value = cfront.Operation(a.Pos, a.Op, a.To, value)
	}
	return b.assign(a.Pos, a.To, value, at, place)
}

// chained follows an assignment whose value is used. That is what its target has then; elements of arrays are not loaded for it again.
func (b *builder) chained(a *cfront.Assign, at scope, place int64) (int64, cfront.Expr) {
	if a.After {
		b.fail(a, "make it a statement of its own", "an assignment inside of an expression")
	}
	if x, ok := a.To.(*cfront.Ref); ok {
		return b.assignment(a, at, place), x
	}
	value := a.Value
	if inner, ok := value.(*cfront.Assign); ok {
		place, value = b.chained(inner, at, place)
	}
	if a.Op != "" {
		value = cfront.Operation(a.Pos, a.Op, a.To, value)
	}
	v, use := cfront.Temporary("value", a.To)
	b.uses.written[v], b.inner[v] = true, b.depth
	place = b.assign(a.Pos, use, value, at, place)
	return b.assign(a.Pos, a.To, use, at, place), use
}

func (b *builder) assign(at cfront.Pos, to, value cfront.Expr, sc scope, place int64) int64 {
	if to.Type() == "" {
		b.failAt(at, "", "%s is neither a number nor an element of an array of numbers", describe(to))
	}
	b.domain = sc.domain
	var list []piece
	r, scalar := to.(*cfront.Ref)
	if scalar {
		if list = b.learned(r.Var, value); b.uses.iterators[r.Var] && !slices.Contains(b.at, r.Var) && list != nil {
			b.env[r.Var] = list // what counts loops is no memory
			return place
		}
	}
	s := &Statement{
		Name: fmt.Sprintf("S%d", len(b.nest.Statements)), Pos: at, Loops: slices.Clone(b.open), Iterators: slices.Clone(b.iters),
		Order: appended(sc.order, polycount.Int(place)),
	}
	b.found = nil
	read := func() expr.Expr {
		v := b.value(value)
		b.observed(value, to.Type(), false)
		return v
	}
	if s.Guarded = len(b.guards) > 0; s.Guarded {
		s.RHS = b.choose(to, read, value.Type())
	} else if len(list) == 1 && list[0].when == nil && cfront.Mentions(value, r.Var) {
		s.RHS = expr.FromAffine(b.use(list)[0].value)
	} else {
		s.RHS = read()
	}
	s.LHS = b.target(to)
	if scalar {
		b.env[r.Var] = list
	}
	s.Accesses = b.found
	s.Domain = sc.domain.Named(s.Name)
	b.nest.Statements = append(b.nest.Statements, s)
	return place + 1
}
