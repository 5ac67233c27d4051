// Package remedy says what of a kernel takes its time, line by line, and what would make it faster: the defect, the remedy, and the gain, which is what
// the model says of the launch as it would be with the remedy.
//
// A launch.Survey has what each line accesses and computes. A rule (rules.go) looks for a defect there; its cures are edits of the launch, or of the
// kernel, which are priced as the kernel itself is.
package remedy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/kernel"
	"gpuperf/launch"
)

// Subject is a launch that is looked at.
type Subject struct {
	Program *launch.Program // as compilers make it
	Kernel  *kernel.Kernel  // its kernel
	Sizes   map[string]int64
	Device  *facts.Device
	// Seconds prices a program, and Share is the part of the time that what it leaves out takes.
	Seconds func(*launch.Program) (float64, error)
	Share   func(*launch.Program) (float64, error)
	Launch  float64 // seconds that the launch itself takes
}

// Row is what takes time: accesses to an array in a line, with the part of the time that goes with them.
type Row struct {
	launch.Use
	Share float64
}

// Advice is a defect with its remedy.
type Advice struct {
	Rule    string       // that found it
	Array   string       // that has it, or that most of the time goes with
	At      kernel.Place // the line, the zero place where nobody knows it
	Share   float64      // of the time that goes with the array in the line, or with what is computed there; 0 where that is not known
	Defect  string
	Remedy  string
	Seconds float64 // with the remedy
	Base    float64 // without it, with what the model has no cost for
	Gain    float64 // Base by Seconds
}

// Study is what is found.
type Study struct {
	Seconds float64  // the time without remedies, as the model has it
	Rows    []Row    // the largest first
	Advice  []Advice // the largest gain first
}

// Worth is the least gain that is said.
const Worth = 1.05

// mostSites bounds the accesses whose part of the time is looked for, each by a walk of the launch.
const mostSites = 40

// study is what rules look at.
type study struct {
	*Subject
	*launch.Survey
	rows    []Row
	seconds float64
}

// Find looks at a launch. Where too little is known of the device for that, it finds nothing.
func Find(s *Subject) (*Study, error) {
	survey, err := s.Program.Survey(s.Sizes)
	if unknown := new(facts.Unknown); errors.As(err, &unknown) {
		return &Study{}, nil
	} else if err != nil {
		return nil, err
	}
	x := &study{Subject: s, Survey: survey}
	if x.seconds, err = s.Seconds(s.Program); err != nil {
		return nil, err
	}
	if err := x.share(); err != nil {
		return nil, err
	}
	out := &Study{Rows: x.rows, Seconds: x.seconds}
	for _, r := range rules {
		for _, c := range r.find(x) {
			a, err := x.try(r.name, c)
			if err != nil {
				return nil, err
			}
			if a.Gain >= Worth {
				out.Advice = append(out.Advice, a)
			}
		}
	}
	slices.SortStableFunc(out.Advice, func(a, b Advice) int { return cmp.Compare(b.Gain, a.Gain) })
	return out, nil
}

// share finds how much of the time goes with each access.
func (x *study) share() error {
	for i, u := range x.Uses {
		row := Row{Use: u}
		if i < mostSites && u.Space != kernel.Private {
			p, err := x.Program.With(nil, launch.Edit{Access: map[launch.Site]launch.Effect{u.Site: {Without: true}}})
			if err == nil {
				row.Share, err = x.Share(p)
			}
			if err != nil {
				return err
			}
		}
		x.rows = append(x.rows, row)
	}
	slices.SortStableFunc(x.rows, func(a, b Row) int { return cmp.Compare(b.Share, a.Share) })
	return nil
}

// main is the access that most of the time goes with; nil where the kernel has none.
func (x *study) main() *Row {
	if len(x.rows) == 0 {
		return nil
	}
	return &x.rows[0]
}

// cure is what a launch would be with a remedy.
type cure struct {
	kernel *kernel.Kernel // nil for the one that it has
	edit   launch.Edit
	what   string  // completes the remedy
	extra  float64 // seconds of what the model does not know, beside the rest
}

// candidate is a defect that a rule has found.
type candidate struct {
	array          string
	at             kernel.Place
	share          float64
	defect, remedy string
	cures          []cure
	extra          float64 // seconds that the defect takes beside what the model knows
}

// try prices the cures of a defect; the best of them is the remedy.
func (x *study) try(rule string, c candidate) (Advice, error) {
	out := Advice{Rule: rule, Array: c.array, At: c.at, Share: c.share, Defect: c.defect, Seconds: math.Inf(1)}
	for _, one := range c.cures {
		p, err := x.Program.With(one.kernel, one.edit)
		if err != nil {
			return out, err
		}
		t, err := x.Seconds(p)
		if refused := new(launch.Error); errors.As(err, &refused) { // the launch cannot be so
			continue
		} else if err != nil {
			return out, err
		}
		if t = max(t, one.extra); t < out.Seconds { // both go on at the same time
			out.Seconds, out.Remedy = t, c.remedy+one.what
		}
	}
	if out.Base = max(x.seconds, c.extra); out.Seconds > 0 {
		out.Gain = out.Base / out.Seconds
	}
	return out, nil
}

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
			most, c = n, candidate{array: w.To, at: w.At}
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
	c.defect = fmt.Sprintf("there are %d work-groups of %d work-items, and the device has room for %d at once", x.Groups, x.Items, room)
	c.cures = x.divided()
	if by := (room + x.Groups - 1) / x.Groups; x.Iterations >= float64(by) {
		c.cures = append(c.cures, cure{edit: launch.Edit{Spread: by}, what: fmt.Sprintf("%d work-groups, each with a part of the iterations", by*x.Groups)})
	}
	c.remedy = "more work-groups: "
	return []candidate{c}
}

// smallGroups: work-groups that leave lanes empty, or multiprocessors, as these hold no more work-groups.
func smallGroups(x *study) []candidate {
	if x.Items >= 4*subgroup || !x.sharesNothing() || x.Local[2] != 1 {
		return nil
	}
	c := x.where()
	c.defect = fmt.Sprintf("work-groups of %d work-items: a multiprocessor holds %d of them, %d work-items of %d", x.Items, x.Resident, x.Resident*x.Items, x.Device.Int(facts.Items))
	if x.Items < subgroup {
		c.defect = fmt.Sprintf("work-groups of %d work-items leave %d of %d lanes of their sub-groups empty", x.Items, subgroup-x.Items, subgroup)
	}
	for _, items := range []int64{64, 128, 256} {
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
