package ckernel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// axis is one of the three axes of the launch. In expressions a work-item has the index item of its group, and this the index group.
type axis struct {
	local       int64
	groups      *expr.Poly
	item, group string // "" where the index is always 0
}

// size is an integer that the launch gives: an argument, or a name in the expressions of the launch.
type size struct {
	natural bool // it is assumed not to be negative
	dtype   expr.DType
}

// grid is the launch that a function is read for: its axes, what it gives as sizes, and the names that are in use.
type grid struct {
	terms
	opt       *Options
	taken     map[string]bool
	tried     map[string]int // numbers behind a name up to which all are taken
	names     map[*builderVar]string
	axes      [3]axis
	sizes     map[string]*size
	sizeOrder []string
	ownSizes  map[string]string // names in expressions of the launch
	assumed   *polycount.Set
	base      *polycount.Set // all work-items
	params    []*builderVar  // of the function, with the members of those that are records
	subgroup  *kernel.Subgroup
}

// index is a number from the name of an iname, 0 without one.
func index(iname string) *expr.Poly {
	if iname == "" {
		return constant(0)
	}
	return name(iname)
}

// globalID is the index of a work-item in the grid.
func (a *axis) globalID() *expr.Poly { return index(a.group).Scale(a.local).Add(index(a.item)) }

// globalSize is the number of work-items along the axis.
func (a *axis) globalSize() *expr.Poly { return a.groups.Scale(a.local) }

// maxLocal is more work-items than a work-group of any device has along an axis.
const maxLocal = 1 << 20

const productHint = "give the sizes numbers, as -p does, or the product a name of its own"

// launch enters the axes and the set of all work-items.
func (b *position) launch() {
	local := b.opt.Local
	if len(local) == 0 {
		local = b.fn.Group
	}
	switch {
	case len(local) == 0:
		b.failLaunch("say it with --local, as in --local 256", "the size of the work-group is not known")
	case len(local) > 3:
		b.failLaunch("a work-group has up to 3 axes", "a work-group of %d axes", len(local))
	case len(b.opt.Global) > 3 || len(b.opt.Groups) > 3:
		b.failLaunch("a launch has up to 3 axes", "a launch of more than 3 axes")
	case len(b.opt.Global) == 0 && len(b.opt.Groups) == 0:
		b.failLaunch("say it with --global, as in --global n", "the number of work-items is not known")
	}
	for d := range b.axes {
		a := &b.axes[d]
		a.local, a.groups = 1, constant(1)
		if d < len(local) {
			a.local = local[d]
		}
		if a.local < 1 || a.local > maxLocal {
			b.failLaunch("", "a work-group of %d work-items along axis %d", a.local, d)
		}
		switch {
		case d < len(b.opt.Groups):
			a.groups = b.launchSize(b.opt.Groups[d])
		case d < len(b.opt.Global):
			items, ok := b.affine(b.launchSize(b.opt.Global[d]))
			if !ok {
				b.failLaunch(productHint, "the number of work-items %s is no linear expression in sizes", b.opt.Global[d])
			}
			a.groups = b.fromAffine(items.AddInt(a.local - 1).FloorDiv(a.local))
		}
		if a.local > 1 {
			a.item = b.fresh(fmt.Sprintf("l%d", d))
			b.constrain(kernel.Within(a.item, 0, a.local-1)...)
		}
		n, ok := b.affine(a.groups)
		if !ok {
			b.failLaunch(productHint, "the number of work-groups along axis %d, %s, is no linear expression in sizes", d, a.groups)
		}
		if !n.IsConstant() || n.Constant() != 1 {
			a.group = b.fresh(fmt.Sprintf("g%d", d))
			g := polycount.Name(a.group)
			b.constrain(polycount.GE(g, polycount.Int(0)), polycount.GE(n, g.AddInt(1)))
		}
	}
}

// constrain narrows what is live.
func (b *position) constrain(cs ...polycount.Constraint) {
	var err error
	b.live.domain, err = b.live.domain.Constrain(cs...)
	b.try(err)
}

// launchSize reads an expression in sizes, whose names are those of the text.
func (b *position) launchSize(text string) *expr.Poly {
	e, err := expr.Parse(text)
	if err != nil {
		b.failLaunch("", "%v", source.Message(err))
	}
	return b.launchNumber(text, expr.Rewrite(e, expr.Extremes))
}

func (b *position) launchNumber(text string, e expr.Expr) *expr.Poly {
	bad := func(what string) {
		b.failLaunch("sizes are sums, products and // of names and numbers", "%s: %s is no size", text, what)
	}
	switch x := e.(type) {
	case expr.Int:
		return constant(x.Value)
	case expr.Var:
		return b.sizeNamed(x.Name)
	case *expr.Op:
		var args []*expr.Poly
		for _, a := range x.Args {
			args = append(args, b.launchNumber(text, a))
		}
		p := args[0]
		for _, q := range args[1:] {
			switch x.Kind {
			case expr.Add:
				p = p.Add(q)
			case expr.Sub:
				p = minus(p, q)
			case expr.Mul:
				p = p.Mul(q)
			case expr.Min, expr.Max:
				p = b.extremeOf(x.Kind, p, q)
			case expr.FloorDiv, expr.Mod:
				a, ok := b.affine(p)
				d, number := q.Constant()
				if !ok || !number || d <= 0 {
					bad(e.String())
				}
				if x.Kind == expr.FloorDiv {
					p = b.fromAffine(a.FloorDiv(d))
				} else {
					p = b.fromAffine(a.Mod(d))
				}
			default:
				bad(e.String())
			}
		}
		if x.Kind == expr.Neg {
			return p.Scale(-1)
		}
		return p
	}
	bad(e.String())
	return nil
}

// sizeNamed is the size that has a name in the text: an argument, or a size of its own. A parameter that the launch gives a value leaves its
// name to the size: where n is passed n - 1, the size is n.
func (b *position) sizeNamed(text string) *expr.Poly {
	n := b.ownSizes[text]
	for _, p := range b.params {
		if p.Name == text && p.DType.IsInteger() && len(p.Dims) == 0 {
			if _, bound := b.opt.Bind[text]; !bound {
				return b.argument(p)
			}
			n = cmp.Or(n, b.name(p))
		}
	}
	if n == "" {
		n = b.fresh(text)
		b.ownSizes[text] = n
		b.sizeOrder = append(b.sizeOrder, n) // also one that is given is still asked for
	}
	if v, ok := b.opt.At[n]; ok {
		return constant(v)
	}
	if b.sizes[n] == nil {
		b.sizes[n] = &size{dtype: expr.Int32}
		if b.ownSizes[text] != n {
			b.ownSizes[text] = n
			b.sizeOrder = append(b.sizeOrder, n)
		}
	}
	return name(n)
}

// Sizes are the names of the sizes that a launch of a function takes, as far as options tell: integers that are passed by value, and what
// the launch is said in.
func Sizes(fn *cfront.Function, opt *Options) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, p := range flatParams(fn) {
		if _, bound := opt.Bind[p.Name]; !bound && p.DType.IsInteger() && len(p.Dims) == 0 {
			add(p.Name)
		}
	}
	for _, text := range slices.Concat(opt.Global, opt.Groups, slices.Sorted(maps.Values(opt.Bind))) {
		e, err := expr.Parse(text)
		if err != nil {
			continue
		}
		expr.FreeVars(e, add)
	}
	return names
}

// isLaunchSize reports that the work-items of the launch, or arguments, are given as expressions of a size of that name.
func (b *grid) isLaunchSize(name string) bool {
	texts := slices.Concat(b.opt.Global, b.opt.Groups, slices.Collect(maps.Values(b.opt.Bind)))
	return slices.ContainsFunc(texts, func(text string) bool {
		e, err := expr.Parse(text) // an error is told where the text is read
		return err == nil && expr.Mentions(e, name)
	})
}

// argument is the value of an integer that is passed by value.
func (b *position) argument(p *builderVar) *expr.Poly {
	if text, bound := b.opt.Bind[p.Name]; bound {
		return b.launchSize(text)
	}
	n := b.name(p)
	if v, ok := b.opt.At[n]; ok {
		return constant(v)
	}
	if b.sizes[n] == nil {
		b.sizes[n] = &size{dtype: p.DType, natural: !p.DType.IsSigned()}
		if !p.DType.IsSigned() {
			b.constrain(polycount.GE(polycount.Name(n), polycount.Int(0)))
		}
	}
	return name(n)
}

// workItem is the value of a function of OpenCL C or of a variable of CUDA C that tells where a work-item is; ok is false for others.
func (b *grid) workItem(what string, d int64) (p *expr.Poly, ok bool) {
	if d < 0 || d > 2 {
		return nil, false
	}
	a := &b.axes[d]
	switch what {
	case "get_global_id":
		return a.globalID(), true
	case "get_local_id", "threadIdx":
		return index(a.item), true
	case "get_group_id", "blockIdx":
		return index(a.group), true
	case "get_local_size", "get_enqueued_local_size", "blockDim":
		return constant(a.local), true
	case "get_num_groups", "gridDim":
		return a.groups, true
	case "get_global_size":
		return a.globalSize(), true
	case "get_global_offset":
		return constant(0), true
	case "get_work_dim":
		return constant(3), true
	}
	return nil, false
}

// linearItem is the index of a work-item within its group, over all axes.
func (b *grid) linearItem() *expr.Poly {
	p, stride := constant(0), int64(1)
	for d := range b.axes {
		p = p.Add(index(b.axes[d].item).Scale(stride))
		stride *= b.axes[d].local
	}
	return p
}

// assumptions reads Options.Assume.
func (b *builder) assumptions() {
	for _, text := range b.opt.Assume {
		if rest, is := strings.CutPrefix(strings.TrimSpace(text), "trips("); is {
			b.assumeTrips(text, rest)
			continue
		}
		set, err := polycount.ParseConditions(text)
		if err != nil {
			b.failLaunch("an assumption is like n % 16 = 0, or trips(12) = nnz/n for the loop in line 12", "assumption %s: %s", text, source.Message(err))
		}
		if len(set.Disjuncts()) != 1 {
			b.failLaunch("assume conditions that hold together", "the assumption %s is a choice", text)
		}
		for _, p := range set.Params() {
			to := b.sizeNamed(p)
			if v, given := to.Constant(); given {
				set, err = set.Fix(map[string]int64{p: v})
				b.try(err)
			} else if name := to.Params()[0]; name != p {
				set, err = set.Rename(p, name)
				b.try(err)
			}
		}
		b.live.domain = b.both(b.live.domain, set)
		b.assumed = b.both(b.assumed, set)
	}
	if b.assumed != nil && b.isEmpty(b.assumed) {
		b.failLaunch("", "no sizes satisfy the assumptions %s", strings.Join(b.opt.Assume, ", "))
	}
}

// assumeTrips reads trips(LINE) = VALUE.
func (b *builder) assumeTrips(text, rest string) {
	var line int
	at, value, ok := strings.Cut(rest, ")")
	if _, err := fmt.Sscanf(at, "%d", &line); err != nil {
		ok = false
	}
	value, equals := strings.CutPrefix(strings.TrimSpace(value), "=")
	e, err := expr.Parse(value)
	if !ok || !equals || err != nil {
		b.failLaunch("write trips(12) = nnz/n for the loop in line 12", "the assumption %s is not understood", text)
	}
	e = expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if v, ok := e.(expr.Var); ok {
			return b.express(b.sizeNamed(v.Name))
		}
		return e
	})
	b.trips[line] = e
}

// unusedTrips refuses averages for lines without a loop that needs one.
func (b *builder) unusedTrips() {
	var lines []int
	for line := range b.trips {
		if !b.tripsUsed[line] {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		b.failLaunch("leave it out, or name the line of the loop", "trips(%d): no loop in that line has a number of iterations that depends on data", slices.Min(lines))
	}
}
