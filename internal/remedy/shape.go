package remedy

import (
	"fmt"
	"math"

	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/kernel"
	"gpuperf/launch"
)

// where begins a candidate about the launch as a whole: at the access that most of the time goes with, or at the line that computes most.
func (x *study) where() (c candidate) {
	const little = 0.3 // of the time
	r, most := x.main(), int64(0)
	if r != nil {
		c.array, c.at, c.share = r.Array, r.At, r.Share
	}
	if r != nil && r.Share >= little {
		return c
	}
	for _, w := range x.Work {
		n := int64(0)
		for _, count := range w.Counts {
			n += count
		}
		if n > most {
			most, c = n, candidate{array: x.result(w.At, w.To), at: w.At}
		}
	}
	return c
}

func (x *study) multiprocessors() int64 { return x.Device.Int(facts.Multiprocessors) }

// sharesNothing reports that work-items of a group share nothing, so that groups may have any size.
func (x *study) sharesNothing() bool { return x.Shared == 0 && x.Barriers == 0 }

// subgroup is how many work-items one has.
const subgroup = launch.DefaultSubgroup

// divided are launches with smaller work-groups.
func (x *study) divided() (list []cure) {
	for by := int64(2); x.sharesNothing() && x.Items%by == 0 && x.Items/by >= subgroup; by *= 2 {
		if x.Items/by%subgroup == 0 {
			list = append(list, cure{edit: launch.Edit{Divided: by}, what: fmt.Sprintf("work-groups of %d work-items", x.Items/by)})
		}
	}
	return list
}

// fewGroups: the device has room for more work-groups at once than there are.
func fewGroups(x *study) []candidate {
	room := x.Resident * x.multiprocessors()
	if x.Groups >= room || room == 0 {
		return nil
	}
	c := x.where()
	c.defect = fmt.Sprintf("%s of %s, and the device has room for %d at once", thereAre(x.Groups, "work-group"), format.Count(int(x.Items), "work-item"), room)
	c.cures = x.divided()
	if by := (room + x.Groups - 1) / x.Groups; x.Iterations >= float64(by) {
		c.cures = append(c.cures, cure{edit: launch.Edit{Spread: by}, what: fmt.Sprintf("%d work-groups, each with a part of the iterations", by*x.Groups)})
	}
	c.remedy = "more work-groups: "
	return []candidate{c}
}

// thereAre is "there are 2 work-groups".
func thereAre(n int64, what string) string {
	if n == 1 {
		return "there is 1 " + what
	}
	return "there are " + format.Count(int(n), what)
}

// uneven: some work-groups have more to do than others, and the last ones to end have multiprocessors for themselves.
func uneven(x *study) []candidate {
	if x.Longest < much {
		return nil
	}
	c := x.where()
	c.cures = []cure{{edit: launch.Edit{Alike: true}}}
	c.defect = fmt.Sprintf("the largest of %d work-groups has %s times as much to do as they have in the mean, and others have ended when it ends", x.Groups, format.Factor(x.Longest))
	c.remedy = "begin with the largest, or give each work-group a large and a small part, such as rows i and n-1-i"
	return []candidate{c}
}

// smallGroups: work-groups that leave lanes empty, or multiprocessors, as these hold no more work-groups, or that take longer to start than to run.
func smallGroups(x *study) []candidate {
	if x.Items >= 8*subgroup || !x.sharesNothing() || x.Local[2] != 1 {
		return nil
	}
	c := x.where()
	c.defect = fmt.Sprintf("work-groups of %d work-items: a multiprocessor holds %d of them, %d work-items of %d", x.Items, x.Resident, x.Resident*x.Items, x.Device.Int(facts.Items))
	switch {
	case x.Resident*x.Items >= x.Device.Int(facts.Items):
		c.defect = fmt.Sprintf("%s of %d work-items are started one after the other, which takes longer than what they do", format.Rough(float64(x.Groups), "work-groups"), x.Items)
	case x.Items < subgroup:
		c.defect = fmt.Sprintf("work-groups of %d work-items leave %d of %d lanes of their sub-groups empty", x.Items, subgroup-x.Items, subgroup)
	}
	for _, items := range []int64{64, 128, 256, 512} {
		if by := items / x.Items; by > 1 {
			c.cures = append(c.cures, cure{edit: launch.Edit{Joined: by}, what: fmt.Sprintf("work-groups of %d work-items", by*x.Items)})
		}
	}
	c.remedy = "larger work-groups: "
	return []candidate{c}
}

// occupancy: local memory leaves room for few work-items. (That registers do is known of compiled kernels alone.)
func occupancy(x *study) []candidate {
	most := x.Device.Int(facts.Items)
	if x.Limits != "local memory" || x.Resident*x.Items*2 > most || x.Groups < x.Resident*x.multiprocessors() {
		return nil
	}
	c := x.where()
	if a := x.local(); a != nil {
		c.array = a.Name
		if r := x.largest(func(r *Row) bool { return r.Array == a.Name }); r != nil {
			c.at, c.share = r.At, r.Share
		}
	}
	c.defect = fmt.Sprintf("%d B of local memory for each work-group leave room for %d of them on a multiprocessor, %d work-items of %d", x.Shared, x.Resident, x.Resident*x.Items, most)
	c.remedy = "less local memory for each work-group, so that a multiprocessor holds "
	for n := 2 * x.Resident; n*x.Items <= most; n *= 2 {
		c.cures = append(c.cures, cure{edit: launch.Edit{Resident: n}, what: fmt.Sprintf("%d", n)})
	}
	return []candidate{c}
}

// local is the largest array in local memory.
func (x *study) local() (most *kernel.Array) {
	size := int64(-1)
	for _, a := range x.Kernel.Temps {
		if n, err := a.Elements(x.Sizes); err == nil && a.Space == kernel.Local && n*a.DType.Size() > size {
			most, size = a, n*a.DType.Size()
		}
	}
	return most
}

// lastWave: in the last of few waves most multiprocessors have nothing to do.
func lastWave(x *study) []candidate {
	if x.Waves <= 1 || math.Ceil(x.Waves)/x.Waves < Worth {
		return nil
	}
	c := x.where()
	last := x.Groups % (x.Resident * x.multiprocessors())
	c.defect = fmt.Sprintf("the device runs %d work-groups at once, so that %d remain for a last wave", x.Resident*x.multiprocessors(), last)
	c.remedy = "a number of work-groups that fills all waves, as by "
	c.cures = append(x.divided(), cure{edit: launch.Edit{Even: true}, what: "more or less work in each"})
	return []candidate{c}
}

// launchBound: the launch itself takes most of the time.
func launchBound(x *study) []candidate {
	const most = 0.5 // from which on the launch takes more than all else
	if x.Launch < most*x.seconds {
		return nil
	}
	c := x.where()
	c.share = x.Launch / x.seconds
	c.defect = "the launch itself takes most of the time"
	c.remedy = "do the work of several launches in one, or launch a graph of them"
	c.cures = []cure{{edit: launch.Edit{Unlaunched: true}}}
	return []candidate{c}
}
