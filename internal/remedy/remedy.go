// Package remedy says what of a kernel takes its time, line by line, and what would make it faster: the defect, the remedy, and the gain, which is what
// the model says of the launch as it would be with the remedy.
//
// A launch.Survey has what each line accesses and computes. A rule (rules.go) looks for a defect there; its cures are edits of the launch, or of the
// kernel, which are priced as the kernel itself is.
package remedy

import (
	"cmp"
	"errors"
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
	// Cured is the kernel with the remedy; nil where that is launched in another way, or has accesses that no kernel has.
	Cured *kernel.Kernel
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
	if err := x.together(); err != nil {
		return err
	}
	slices.SortStableFunc(x.rows, func(a, b Row) int { return cmp.Compare(b.Share, a.Share) })
	return nil
}

// together finds what goes with the loads of an array in several lines together, and with none of them alone, as others load the same: that is of the first one.
func (x *study) together() error {
	loads := func(r *Row) bool { return r.Space == kernel.Global && !r.Store && !r.Atomic }
	var known []string
	for i := range min(len(x.rows), mostSites) {
		r := &x.rows[i]
		if !loads(r) || slices.Contains(known, r.Array) {
			continue
		}
		known = append(known, r.Array)
		all := x.those(func(o *Row) bool { return loads(o) && o.Array == r.Array })
		if len(all) < 2 {
			continue
		}
		p, err := x.Program.With(nil, at(all, launch.Effect{Without: true}))
		if err != nil {
			return err
		}
		share, err := x.Share(p)
		if err != nil {
			return err
		}
		r.Share += max(0, share-sum(all))
	}
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
	// before is the launch that cures are compared with, where they take to be known what is not of the launch, such as how many work-items pass a guard.
	before *launch.Edit
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
			out.Seconds, out.Remedy, out.Cured = t, c.remedy+one.what, nil
			if len(one.edit.Access) == 0 && c.extra == 0 {
				out.Cured = one.kernel
			}
		}
	}
	if c.before != nil {
		p, err := x.Program.With(nil, *c.before)
		if err != nil {
			return out, err
		}
		before, err := x.Seconds(p)
		if err != nil {
			return out, err
		}
		out.Seconds *= x.seconds / min(before, x.seconds)
	}
	if out.Base = max(x.seconds, c.extra); out.Seconds > 0 {
		out.Gain = out.Base / out.Seconds
	}
	return out, nil
}
