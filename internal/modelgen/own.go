package modelgen

import (
	"cmp"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/workload"
)

// Own lists what is measured of kernels to refine a general model for them: all accesses of a kernel together, without its other work, at
// sizes around those asked for. On kernels of many kinds each pattern of accesses alone added nothing to that. A kernel that does nothing but
// access global memory would be measured itself, so of it there is each pattern alone. Notes say what cannot be measured.
func Own(targets []Target, opt Options) (own []models.Measurement, notes []string, err error) {
	defer throw.Catch(&err)
	opt.Points = cmp.Or(opt.Points, ownPoints)
	for _, t := range targets {
		if t.Fixed {
			own, notes = append(own, t.whole(t.Sizes)), addOnce(notes, t.wholeNote(false))
			continue
		}
		s := throw.Get(examine(t, opt))
		if err := s.chooseSizes(opt, true); err != nil {
			return nil, nil, t.Variant.Error(err)
		}
		sets, more := s.own(opt)
		if len(sets) == 0 && len(t.Whole) > 0 {
			sizes := s.wholeSizes()
			sets, more = []models.Measurement{t.whole(sizes)}, append(more, t.wholeNote(len(sizes) > len(t.Sizes)))
		}
		own, notes = append(own, sets...), addOnce(notes, slices.Concat(s.notes, s.outside, more)...)
	}
	return own, notes, nil
}

// wholeSizes are those at which a kernel is measured as it runs: those that are given, or where that is one alone, the chosen ones around it that it runs at, too.
func (s *subject) wholeSizes() []map[string]int64 {
	if len(s.Sizes) > 1 || s.At == nil {
		return s.Sizes
	}
	sizes := slices.Clone(s.Sizes)
	for _, at := range s.sizes {
		if _, err := s.At(at); err == nil {
			sizes = append(sizes, at)
		}
	}
	return sizes
}

// whole is the kernel as it runs.
func (t Target) whole(sizes []map[string]int64) models.Measurement {
	return models.Measurement{Script: t.Script, Kernel: t.Variant.Name, Sizes: sizes}
}

func (t Target) wholeNote(around bool) string {
	text := "none of its work can be removed: it is measured as it is, at the sizes that are given"
	switch {
	case around:
		text += ", and at some around them"
	case len(t.Sizes) == 1:
		text += "; more of them tell more, as -p n=1M,4M,16M"
	}
	return warning.Estimated.About("kernel "+t.Variant.Name, "%s", text)
}

// CasesOf are the kernels of a measurement of a target.
func (t Target) CasesOf(m models.Measurement) ([]*workload.Case, error) {
	if m.RemoveWork != nil || len(t.Whole) == 0 {
		return Cases([]script.Variant{t.Variant}, m)
	}
	all := slices.Clone(t.Whole)
	for _, at := range m.Sizes[min(len(t.Whole), len(m.Sizes)):] {
		c, err := t.At(at)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// OwnSet is what Own lists, with estimated times and without a model.
func OwnSet(targets []Target, opt Options) (*Set, error) {
	set := &Set{}
	for _, t := range targets {
		own, notes, err := Own([]Target{t}, opt)
		if err != nil {
			return nil, err
		}
		set.Notes = append(set.Notes, notes...)
		for _, m := range own {
			cases, err := t.CasesOf(m)
			if err != nil {
				return nil, err
			}
			for _, c := range cases {
				seconds, err := Estimate(opt.Device, c)
				if err != nil {
					return nil, err
				}
				set.Planned = append(set.Planned, Planned{c, seconds})
			}
		}
	}
	return set, nil
}

// ownPoints is the number of sizes of each kernel: fewer than for a model of its own, since the general model says how times grow.
const ownPoints = 5

// telling is the least share of a kernel's traffic, by estimate, of a pattern that is measured alone.
const telling = 0.1

// own lists the measurements of one kernel.
func (s *subject) own(opt Options) (own []models.Measurement, notes []string) {
	major, _ := throw.Get2(findPatterns([]*subject{s}, opt.Device))
	add := func(keep []string) {
		set := s.removed(s.withData(keep))
		if slices.ContainsFunc(own, func(o models.Measurement) bool { return slices.Equal(o.RemoveWork.Keep, set.RemoveWork.Keep) }) {
			return
		}
		if _, err := removeWork(s.Variant.Kernel, set.RemoveWork); err != nil {
			notes = addOnce(notes, warning.NotMeasured.About("kernel "+s.Variant.Name, "%v", err))
			return
		}
		own = append(own, set)
	}
	if s.worksOnChip() && !opt.Isolated {
		add(nil)
		return own, notes
	}
	slices.SortStableFunc(major, func(a, b *Pattern) int { return -cmp.Compare(a.Uses[0].Share, b.Uses[0].Share) })
	for _, p := range major {
		if p.Uses[0].Share < telling {
			break
		}
		add(p.Uses[0].Tags)
	}
	return own, notes
}
