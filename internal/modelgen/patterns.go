package modelgen

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Pattern is an access pattern of global memory, as the paper's features of data motion distinguish them (Stevens and Klöckner, section
// 6.1.1). Accesses of one pattern have the same cost in all kernels.
type Pattern struct {
	Name      string // of its parameter, without p_
	DType     expr.DType
	Direction features.Direction
	LStrides  features.Strides
	GStrides  features.Strides
	Reuse     bool // elements are accessed more than once (access-to-footprint ratio over 1)
	Cached    bool // loads of each element several times, so that most hit a cache
	Uses      []Use
}

// Use is a kernel's accesses of a pattern.
type Use struct {
	Kernel string   // the variant's name
	Tags   []string // of the accesses
	Share  float64  // of the kernel's traffic, the largest over the sizes asked for
	Moved  float64  // share of the kernel's estimated time for moving the elements once, the largest over the sizes asked for

	subject *subject
	records []features.Mem
}

// cached is the access-to-footprint ratio from which on most loads come from a cache.
const cached = 2

// A pattern that has less than both of these shares in all kernels has no cost of its own.
const (
	minor      = 0.02 // of the accesses
	minorMoved = 0.02 // of the time, for moving its elements once
)

// findPatterns groups the accesses of the subjects. Patterns that make up too little of all kernels at all sizes are returned
// as minor.
func findPatterns(subjects []*subject, device *facts.Device) (major, small []*Pattern, err error) {
	defer throw.Catch(&err)
	var all []*Pattern
	for _, s := range subjects {
		for _, m := range s.global() {
			p := &Pattern{DType: m.DType, Direction: m.Direction, LStrides: m.LStrides, GStrides: m.GStrides}
			if ratio, err := s.reused(m); err == nil {
				p.Reuse = ratio.Cmp(big.NewRat(1, 1)) > 0
				p.Cached = m.Direction == features.Load && ratio.Cmp(big.NewRat(cached, 1)) >= 0
			}
			if i := slices.IndexFunc(all, p.same); i >= 0 {
				p = all[i]
			} else {
				all = append(all, p)
			}
			if len(p.Uses) == 0 || p.Uses[len(p.Uses)-1].subject != s {
				p.Uses = append(p.Uses, Use{Kernel: s.Variant.Name, subject: s})
			}
			u := &p.Uses[len(p.Uses)-1]
			u.records = append(u.records, m)
			u.Tags = addOnce(u.Tags, m.Selector())
		}
	}
	for _, p := range all {
		matters := false
		for i := range p.Uses {
			u := &p.Uses[i]
			u.weigh(device)
			matters = matters || u.Share >= minor || u.Moved >= minorMoved
		}
		if matters {
			major = append(major, p)
		} else {
			small = append(small, p)
		}
	}
	name(major, all)
	name(small, all)
	return major, small, nil
}

// same reports that the accesses of two patterns have the same cost.
func (p *Pattern) same(o *Pattern) bool {
	return p.DType == o.DType && p.Direction == o.Direction && p.LStrides == o.LStrides && p.GStrides == o.GStrides && p.Reuse == o.Reuse
}

// weigh finds the share of the kernel that the use makes up.
func (u *Use) weigh(device *facts.Device) {
	for _, at := range u.subject.Sizes {
		sum := throw.Get(u.subject.weighted(u.records, at))
		total := throw.Get(u.subject.traffic(at))
		if total > 0 {
			u.Share = max(u.Share, sum/total)
		}
		bytes := u.bytes(at)
		seconds := throw.Get(Estimate(device, u.subject.at(at)))
		u.Moved = max(u.Moved, bytes/device.Typical().Value(facts.MemoryBandwidth)/seconds)
	}
}

// bytes is the size of the elements that the use touches.
func (u *Use) bytes(at map[string]int64) float64 {
	sum := 0.0
	var tags []string
	for _, m := range u.records {
		if tag := m.Selector(); !slices.Contains(tags, tag) {
			tags = append(tags, tag)
			n := u.subject.elements("f_mem_footprint_tag:"+tag, at, func(o features.Mem) bool { return o.Selector() == tag })
			sum = max(sum, n*float64(m.DType.Size()))
		}
	}
	return sum
}

// name gives patterns the name of their first tag, with the kernel's where another pattern has that tag too.
func name(patterns, all []*Pattern) {
	taken := map[string]bool{}
	for _, p := range patterns {
		u := p.Uses[0]
		p.Name = u.Tags[0]
		if reserved(p.Name) {
			p.Name += "_access"
		}
		if ambiguous(p, u.Tags[0], all) {
			p.Name += "_" + word(u.Kernel)
		}
		for base, i := p.Name, 2; taken[p.Name]; i++ {
			p.Name = fmt.Sprintf("%s_%d", base, i)
		}
		taken[p.Name] = true
	}
}

// reserved reports that another cost could have the name.
func reserved(name string) bool {
	if slices.Contains([]string{"launch", "latency", "group", "stream", "local", "barrier", "mix", "norm", "edge", "hit", "window", "hide", "meet"}, name) {
		return true
	}
	for _, m := range measured {
		if name == strings.TrimPrefix(m.op, "func:") {
			return true
		}
	}
	return false
}

// word replaces what cannot be part of a parameter's name by "_".
func word(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, text)
}

// ambiguous reports that accesses of another pattern have the tag too.
func ambiguous(p *Pattern, tag string, all []*Pattern) bool {
	return slices.ContainsFunc(all, func(o *Pattern) bool {
		return o != p && slices.ContainsFunc(o.Uses, func(u Use) bool { return slices.Contains(u.Tags, tag) })
	})
}

// features lists the identifiers that together select the pattern's accesses in all kernels: by tag, and by strides where
// another pattern has the tag too.
func (p *Pattern) features(all []*Pattern) []string {
	var out []string
	for _, u := range p.Uses {
		for _, tag := range u.Tags {
			out = addOnce(out, "f_mem_access_"+p.selector(tag, all))
		}
	}
	return out
}

// selector is the part of an identifier after the class.
func (p *Pattern) selector(tag string, all []*Pattern) string {
	rivals := slices.DeleteFunc(slices.Clone(all), func(o *Pattern) bool {
		return o == p || !slices.ContainsFunc(o.Uses, func(u Use) bool { return slices.Contains(u.Tags, tag) })
	})
	out := "tag:" + tag
	for _, part := range []struct {
		differs func(o *Pattern) bool
		text    string
	}{
		{func(o *Pattern) bool { return o.DType != p.DType }, "_" + string(p.DType)},
		{func(o *Pattern) bool { return o.Direction != p.Direction }, "_" + string(p.Direction)},
		{func(o *Pattern) bool { return o.LStrides != p.LStrides }, "_lstrides:{" + constraints(p, rivals, lstrides) + "}"},
		{func(o *Pattern) bool { return o.GStrides != p.GStrides }, "_gstrides:{" + constraints(p, rivals, gstrides) + "}"},
		{func(o *Pattern) bool { return o.Reuse != p.Reuse }, map[bool]string{false: "_afr:<=1", true: "_afr:>1"}[p.Reuse]},
	} {
		if slices.ContainsFunc(rivals, part.differs) {
			out += part.text
			rivals = slices.DeleteFunc(rivals, part.differs)
		}
	}
	return out
}

func lstrides(p *Pattern) features.Strides { return p.LStrides }
func gstrides(p *Pattern) features.Strides { return p.GStrides }

// constraints writes strides of a pattern as in an identifier, along the axes in which others differ. A stride that is not constant is
// compared with no other.
func constraints(p *Pattern, others []*Pattern, strides func(*Pattern) features.Strides) string {
	var items []string
	for axis := range 3 {
		own, number, varies := strides(p).Along(axis), false, false
		for _, o := range others {
			other := strides(o).Along(axis)
			number = number || other != own && other != features.Varying
			varies = varies || other != own && other == features.Varying
		}
		if varies {
			items = append(items, fmt.Sprintf("%d:!%s", axis, features.Varying))
		}
		if number {
			items = append(items, fmt.Sprintf("%d:%s", axis, own))
		}
	}
	return strings.Join(items, ";")
}
