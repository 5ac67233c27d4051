package offload

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// errGroup is wrapped where one work-group cannot do what several launches do.
var errGroup = errors.New("a work-group cannot run it")

// inOneGroup makes a kernel of one work-group: its work-items share one loop of each band of parallel loops, and of each reduction that no such loop is around; where no loop is long enough for
// all of them, two loops of each band. What depends on each other is between barriers.
func (c *compiler) inOneGroup(plain *kernel.Kernel, n *scop.Nest, bands [][]string) (*kernel.Kernel, error) {
	loops, wide := 0, int64(0)
	for _, band := range bands {
		band = slices.DeleteFunc(slices.Clone(band), func(p string) bool { return !plain.IsIname(p) })
		if loops = max(loops, len(band)); len(band) > 0 {
			wide = max(wide, c.extentOf(plain, fastest(n, band)))
		}
	}
	if loops > 1 && wide < groupWide {
		if k, err := c.sharedInside(n, nil, bands); err == nil && runs(k, c.on()) == nil {
			return k, nil
		}
	}
	m := c.ask(Form{Kernel: plain.Name, Group: true}, n.Statements)
	return shareAll(plain, n, nil, bands, m.Block[0], c.on())
}

// shareAll has the work-items of a group share a loop of each band of parallel loops, and reductions that no such loop is around, in iterations of the loops of work-groups.
func shareAll(plain *kernel.Kernel, n *scop.Nest, groups []level, bands [][]string, items int64, on *machine.Machine) (*kernel.Kernel, error) {
	parallel := slices.Concat(bands...)
	around := slices.Clone(parallel)
	for i, g := range groups {
		plain.Tags[g.name] = kernel.Tag{Kind: kernel.GroupAxis, Axis: i}
		around = append(around, g.name)
	}
	k := reductions(plain, around)
	if err := runs(k, on); err != nil {
		k = plain
	}
	var shared []string
	for _, band := range bands {
		band = slices.DeleteFunc(slices.Clone(band), func(p string) bool { return !plain.IsIname(p) })
		if len(band) > 0 {
			shared = append(shared, fastest(n, band))
		}
	}
	for _, s := range k.Statements {
		list := slices.DeleteFunc(s.ReductionInames(), func(r string) bool { // a loop around other statements stays one
			return slices.Contains(shared, r) || slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool { return slices.Contains(s.Inames, r) })
		})
		if len(list) > 0 && !slices.ContainsFunc(s.Inames, func(i string) bool { return slices.Contains(parallel, i) }) {
			shared = append(shared, fastest(n, list))
		}
	}
	var err error
	for _, p := range shared {
		if k, err = transform.SplitIname(k, p, items, transform.Split{Outer: p + "_part", Inner: p + "_item", InnerTag: "l.0"}); err != nil {
			return nil, err
		}
	}
	if err := runs(k, on); err != nil {
		return nil, fmt.Errorf("%w: %w", errGroup, err)
	}
	return k, nil
}

// groupWide is how long a loop is that gives most work-items of a lone work-group something to do: half of them.
const groupWide = 256

// each makes a launch whose work-groups each make an iteration of the outermost loops: their work-items share the parallel loops inside, and barriers stand where launches would end.
// Where the kernel cannot be made, the loops of the host do it.
func (c *compiler) each(x *schedule.Launch, host []level) []Step {
	list := schedule.Statements(x)
	band := x.Body.(*schedule.Band)
	name := c.next()
	where := throw.Get(values(list, host))
	groups := throw.Get(c.groupsOf(list, host, band.Loops))
	n, bands := throw.Get2(c.nestOf(&schedule.Launch{Body: band.Body, Host: x.Host}, host, groups, values, name))
	var k *kernel.Kernel
	var err error
	switch {
	case len(bands) > 0 && schedule.HasSums(band.Body):
		form := Form{Kernel: name, Each: true, Sums: Terms, Parallel: 1, Groups: 1}
		plain := throw.Get(n.Kernel())
		for _, i := range plain.Inames() {
			if extent := c.extentOf(plain, i); slices.ContainsFunc(groups, func(g level) bool { return g.name == i }) {
				form.Groups *= extent
			} else {
				form.Extent[0] = max(form.Extent[0], extent)
			}
		}
		k, err = shareAll(plain, n, groups, bands, c.ask(form, n.Statements).Block[0], c.on())
	case len(bands) > 0:
		k, err = c.sharedInside(n, groups, bands)
	default:
		k, err = c.sumsInside(band, host, name)
	}
	if err == nil {
		err = runs(k, c.on())
	}
	if err == nil {
		k, err = c.onGrid(k)
	}
	if err != nil {
		panic(throw.Errorf("%w: %w", errGroup, err))
	}
	c.program.Kernels = append(c.program.Kernels, k)
	return []Step{&Launch{k, where}}
}

// sumsInside makes the kernel of a band whose work-items share nothing but sums.
func (c *compiler) sumsInside(band *schedule.Band, host []level, name string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	n, parallel := throw.Get2(c.nestOf(&schedule.Launch{Body: band}, host, nil, values, name))
	k := throw.Get(n.Kernel())
	k = throw.Get(c.mapped(k, n, slices.Concat(parallel...), false))[0]
	if f := c.program.asked[len(c.program.asked)-1].form; f.Sums == None {
		return nil, errors.New("work-items share no sums")
	}
	return k, nil
}

// groupsOf are the loops of work-groups, numbered from 0, in those of the host.
func (c *compiler) groupsOf(list []*scop.Statement, host []level, loops []schedule.Loop) (_ []level, err error) {
	defer throw.Catch(&err)
	context, levels := throw.Get(within(c.nest.Context, list, host)), slices.Clip(host)
	for _, l := range loops {
		levels = append(levels, level{name: c.fresh(plain(l, "group")), loop: l})
		last := len(levels) - 1
		levels[last] = throw.Get(fromZero(list, levels, context))
		context = throw.Get(context.AddDims(levels[last].name).Constrain(polycount.GE(polycount.Name(levels[last].name), polycount.Int(0))))
		levels[last].values = throw.Get(values(list, levels))
	}
	return levels[len(host):], nil
}

// sharedInside makes the kernel of a nest whose outermost loops are those of work-groups.
func (c *compiler) sharedInside(n *scop.Nest, groups []level, bands [][]string) (*kernel.Kernel, error) {
	plain, err := n.Kernel()
	if err != nil {
		return nil, err
	}
	k, bands := withoutLaunches(plain, n, bands)
	form := Form{Kernel: n.Name, Each: true, Groups: 1}
	for _, g := range groups {
		form.Groups *= c.extentOf(k, g.name)
	}
	for _, band := range bands {
		for axis, p := range axes(n, band) {
			if axis < len(form.Extent) {
				form.Parallel = max(form.Parallel, axis+1)
				form.Extent[axis] = max(form.Extent[axis], c.extentOf(k, p))
			}
		}
	}
	m := c.ask(form, n.Statements)
	for i, g := range groups {
		k.Tags[g.name] = kernel.Tag{Kind: kernel.GroupAxis, Axis: i}
	}
	return shareBands(k, n, bands, m.Block)
}

// extentOf is about how many values a loop of a kernel takes, half way through those of the host.
func (c *compiler) extentOf(k *kernel.Kernel, iname string) int64 {
	set, err := k.DomainOf([]string{iname})
	if err != nil {
		return typicalSize
	}
	return extent(c.during(set, stages), iname)
}

// withoutLaunches is the kernel of a nest whose work-groups make what launches would, with sums in registers and barriers; and the parallel loops of each band that it has.
func withoutLaunches(plain *kernel.Kernel, n *scop.Nest, bands [][]string) (*kernel.Kernel, [][]string) {
	plain.ExplicitBarriers = true
	parallel := slices.Concat(bands...)
	var together []string // loops that all work-items of a group make
	for _, l := range n.Loops {
		if !slices.ContainsFunc(append(slices.Clip(l.Outer), l), func(l *scop.Loop) bool { return slices.Contains(parallel, l.Name) }) {
			together = append(together, l.Name)
		}
	}
	k := reductions(plain, slices.Concat(parallel, together))
	if !ordered(k) {
		k = plain
	}
	k = withBarriers(k, together, parallel)
	var left [][]string
	for _, band := range bands {
		if band = slices.DeleteFunc(slices.Clone(band), func(p string) bool { return !k.IsIname(p) }); len(band) > 0 {
			left = append(left, band)
		}
	}
	return k, left
}

// shareBands puts the parallel loops of each band on axes of work-items.
func shareBands(k *kernel.Kernel, n *scop.Nest, bands [][]string, block []int64) (*kernel.Kernel, error) {
	var err error
	for _, band := range bands {
		for axis, p := range axes(n, band) {
			if axis == len(block) {
				break
			}
			if k, err = transform.SplitIname(k, p, block[axis], transform.Split{Outer: p + "_part", Inner: p + "_item", InnerTag: fmt.Sprintf("l.%d", axis)}); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// termsOfItem are those of a sum that a work-item of several adds up at least: fewer groups are there at once then, whose data the first cache holds when they read it again.
const termsOfItem = 16

// eachOf is the mapping of a launch whose work-groups make iterations: as many work-items as leave a device full of work-groups, as wide as the loops along the first axis. More of them would
// wait for each other more often, with less to do.
func eachOf(f Form) Mapping {
	const most = 256 // that hide latencies where a group is alone on its multiprocessor
	items := int64(leastItems)
	for items < most && (2*items*f.Groups <= f.on().Full || f.Sums != None && termsOfItem*items < f.Extent[0]) {
		items *= 2
	}
	wide, widest := int64(8), items
	if f.Groups == 1 && f.Parallel > 1 { // the steps of a lone work-group leave less and less along both loops
		widest = 16
	}
	for wide < min(f.Extent[0], widest) {
		wide *= 2
	}
	high := int64(1)
	for f.Parallel > 1 && high < f.Extent[1] && wide*high < items {
		high *= 2
	}
	return Mapping{Block: []int64{wide, high}, Share: 1}
}
