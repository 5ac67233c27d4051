package features

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
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
func (c *counter) barriers() (_ map[kernel.Space]*polycount.Poly, err error) {
	defer throw.Catch(&err)
	list := c.meetings()
	sums := map[kernel.Space]*polycount.Poly{}
	for _, m := range list {
		n := c.count(m.iterations)
		if sum := sums[m.space]; sum != nil {
			n = throw.Get(sum.Add(n))
		}
		sums[m.space] = n
	}
	for space, sum := range sums {
		sums[space] = c.gist(sum)
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
func (c *counter) meetings() (out []meeting) {
	if c.k.ExplicitBarriers {
		return c.written()
	}
	program := throw.Get(c.program())
	if program.race != nil {
		c.warnings = append(c.warnings, program.race)
	}
	for _, b := range throw.Get(program.nest.Barriers()) {
		out = append(out, meeting{b.Space, b.Domain})
	}
	return out
}

func (c *counter) written() (out []meeting) {
	var all []*polycount.Set
	for _, s := range c.k.Statements {
		if s.Kind != kernel.LocalBarrier {
			continue
		}
		points, loops := c.reached(s)
		at := throw.Get(points.Project(loops...))
		out, all = append(out, meeting{s.Orders(), at}), append(all, points)
	}
	apart := c.neverMeet(out, all)
	if apart {
		c.warnings = append(c.warnings, ErrApart)
	}
	return out
}

// axisNames are those of work-groups along each axis, which no iname has.
var axisNames = [3]string{"_group0", "_group1", "_group2"}

// reached are the work-groups, along axisNames, and the iterations of loops in which they meet at a barrier. Its conditions are those of whole
// groups, so that one side of a branch runs.
func (c *counter) reached(s *kernel.Stmt) (points *polycount.Set, loops []string) {
	at := scope{stmt: s}
	for _, p := range s.Predicates {
		if c.k.IsAffineCondition(p) {
			at.conds = append(at.conds, p)
		}
	}
	points = c.pointsOf(at)
	var axes []string
	for _, name := range s.Inames {
		switch tag := c.k.Tags[name]; tag.Kind {
		case kernel.GroupAxis:
			axes = append(axes, axisNames[tag.Axis])
			points = throw.Get(points.Rename(name, axisNames[tag.Axis]))
		case kernel.LocalAxis:
			points = throw.Get(points.ProjectOut(name))
		default:
			loops = append(loops, name)
		}
	}
	slices.Sort(axes)
	points = throw.Get(points.Project(slices.Concat(axes, loops)...))
	return points, loops
}

// neverMeet reports that at some sizes no work-group meets at all barriers that groups meet at, given the points of each.
func (c *counter) neverMeet(list []meeting, points []*polycount.Set) bool {
	if !slices.ContainsFunc(points, func(p *polycount.Set) bool { return len(p.Dims()) > 0 }) {
		return false
	}
	var some, full *polycount.Set // work-groups that meet at any, and at all
	for _, p := range points {
		groups := throw.Get(p.Project(axesOf(p)...))
		if some != nil {
			groups = throw.Get(some.Union(groups))
		}
		some = groups
	}
	full = some
	for i, p := range points {
		whole := throw.Get(full.Product(list[i].iterations))
		whole = throw.Get(whole.Subtract(p))
		whole = throw.Get(whole.Project(axesOf(p)...))
		full = throw.Get(full.Subtract(whole))
	}
	some = throw.Get(some.Project())
	full = throw.Get(full.Project())
	some = throw.Get(some.Subtract(full))
	none := throw.Get(some.IsEmpty())
	return !none
}

func axesOf(s *polycount.Set) []string {
	return slices.DeleteFunc(s.Dims(), func(name string) bool { return !slices.Contains(axisNames[:], name) })
}
