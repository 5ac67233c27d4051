package features

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

var barrierNames = map[kernel.Space]string{kernel.Local: "barrier_local", kernel.Global: "barrier_global"}

const kernelLaunch = "kernel_launch"

// countSync counts the launch, which is one, and the barriers.
func (c *counter) countSync() ([]Record, []failure) {
	records := []Record{{Key: Sync{kernelLaunch}, Count: polycount.Constant(1)}}
	if c.opt.Least {
		return records, nil
	}
	sums, err := c.barriers()
	if err != nil {
		err = fmt.Errorf("barriers are not counted: %w", err)
		return records, []failure{{Sync{barrierNames[kernel.Local]}, err}, {Sync{barrierNames[kernel.Global]}, err}}
	}
	for _, space := range []kernel.Space{kernel.Global, kernel.Local} {
		if sum := sums[space]; sum != nil && !sum.IsZero() {
			records = append(records, Record{Key: Sync{barrierNames[space]}, Count: sum})
		}
	}
	return records, nil
}

// barriers counts the barriers by memory space (Stevens and Klöckner, section 5, at the end): for one work-item, all iterations of the loops
// around each that any work-group makes.
func (c *counter) barriers() (map[kernel.Space]*polycount.Poly, error) {
	list, err := c.meetings()
	if err != nil {
		return nil, err
	}
	sums := map[kernel.Space]*polycount.Poly{}
	for _, m := range list {
		n, err := c.count(m.iterations)
		if err != nil {
			return nil, err
		}
		if sum := sums[m.space]; sum != nil {
			if n, err = sum.Add(n); err != nil {
				return nil, err
			}
		}
		sums[m.space] = n
	}
	for space, sum := range sums {
		if sums[space], err = c.gist(sum); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// meeting is a barrier with the iterations of the loops around it in which work-groups meet there.
type meeting struct {
	space      kernel.Space
	iterations *polycount.Set
}

// ErrApart: no work-group meets at all barriers that are counted.
var ErrApart = errors.New("work-groups meet at different barriers: the count has those that any of them meets at, which is more than each does")

// meetings are those of the text where barriers are explicit, else of the linearized program, which has those that accesses need. A kernel with a
// race does not run; its barriers are those that order the accesses that can be ordered.
func (c *counter) meetings() (out []meeting, err error) {
	if c.k.ExplicitBarriers {
		return c.written()
	}
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	if program.race != nil {
		c.warnings = append(c.warnings, program.race)
	}
	var list []linear.Sync
	if list, err = program.nest.Barriers(); err != nil {
		return nil, err
	}
	for _, b := range list {
		out = append(out, meeting{b.Space, b.Domain})
	}
	return out, nil
}

func (c *counter) written() (out []meeting, err error) {
	var all []*polycount.Set
	for _, s := range c.k.Statements {
		if s.Kind != kernel.LocalBarrier {
			continue
		}
		points, loops, err := c.reached(s)
		if err != nil {
			return nil, err
		}
		at, err := points.Project(loops...)
		if err != nil {
			return nil, err
		}
		out, all = append(out, meeting{s.Orders(), at}), append(all, points)
	}
	apart, err := c.apart(out, all)
	if err == nil && apart {
		c.warnings = append(c.warnings, ErrApart)
	}
	return out, err
}

// axisNames are those of work-groups along each axis, which no iname has.
var axisNames = [3]string{"_group0", "_group1", "_group2"}

// reached are the work-groups, along axisNames, and the iterations of loops in which they meet at a barrier. Its conditions are those of whole
// groups, so that one side of a branch runs.
func (c *counter) reached(s *kernel.Stmt) (points *polycount.Set, loops []string, err error) {
	at := scope{stmt: s}
	for _, p := range s.Predicates {
		if c.k.IsAffineCondition(p) {
			at.conds = append(at.conds, p)
		}
	}
	if points, err = c.pointsOf(at); err != nil {
		return nil, nil, err
	}
	var axes []string
	for _, name := range s.Inames {
		switch tag := c.k.Tags[name]; tag.Kind {
		case kernel.GroupAxis:
			axes = append(axes, axisNames[tag.Axis])
			points, err = points.Rename(name, axisNames[tag.Axis])
		case kernel.LocalAxis:
			points, err = points.ProjectOut(name)
		default:
			loops = append(loops, name)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(axes)
	points, err = points.Project(slices.Concat(axes, loops)...)
	return points, loops, err
}

// apart reports that at some sizes no work-group meets at all barriers that groups meet at, given the points of each.
func (c *counter) apart(list []meeting, points []*polycount.Set) (bool, error) {
	if !slices.ContainsFunc(points, func(p *polycount.Set) bool { return len(p.Dims()) > 0 }) {
		return false, nil
	}
	var some, full *polycount.Set // work-groups that meet at any, and at all
	for _, p := range points {
		groups, err := p.Project(axesOf(p)...)
		if err == nil && some != nil {
			groups, err = some.Union(groups)
		}
		if err != nil {
			return false, err
		}
		some = groups
	}
	full = some
	for i, p := range points {
		whole, err := full.Product(list[i].iterations)
		if err == nil {
			whole, err = whole.Subtract(p)
		}
		if err == nil {
			whole, err = whole.Project(axesOf(p)...)
		}
		if err == nil {
			full, err = full.Subtract(whole)
		}
		if err != nil {
			return false, err
		}
	}
	some, err := some.Project()
	if err == nil {
		full, err = full.Project()
	}
	if err == nil {
		some, err = some.Subtract(full)
	}
	if err != nil {
		return false, err
	}
	none, err := some.IsEmpty()
	return !none, err
}

func axesOf(s *polycount.Set) []string {
	return slices.DeleteFunc(s.Dims(), func(name string) bool { return !slices.Contains(axisNames[:], name) })
}
