package campaign

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuperf/samples"
)

// Remeasure says which samples are measured again although the journal has them. The zero value is none.
type Remeasure struct {
	All   bool
	Wider float64 // those whose interval of the median is wider than this part of it; 0 is none
	Tag   string  // those with this tag; "" is none
}

// ParseRemeasure reads "all", a share such as "5%", or a tag.
func ParseRemeasure(text string) (Remeasure, error) {
	share, isShare := strings.CutSuffix(strings.TrimSpace(strings.TrimPrefix(text, "noisier than")), "%")
	switch {
	case text == "" || text == "all":
		return Remeasure{All: text == "all"}, nil
	case !isShare:
		return Remeasure{Tag: text}, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return Remeasure{}, inputf("--remeasure %s: choose all, a tag such as n:1024, or the samples that are noisier than a share, such as 5%%", text)
	}
	return Remeasure{Wider: v / 100}, nil
}

// Chooses reports whether a sample is among those to measure again. A tag is one of a measurement kernel, the name of a generator, a
// script or a kernel, or a size such as n:1024.
func (m Remeasure) Chooses(r samples.Record) bool {
	if m.Wider > 0 {
		return r.Status == samples.OK && r.Summary != nil && r.Summary.Width() > m.Wider
	}
	name, value, _ := strings.Cut(m.Tag, ":")
	size, isSize := r.Kernel.Sizes[name]
	return m.All || m.Tag != "" && (slices.Contains(r.Tags, m.Tag) || m.Tag == r.Kernel.Source || m.Tag == r.Kernel.Variant ||
		isSize && value == strconv.FormatInt(size, 10))
}

// again reports whether a sample of the journal is to be measured again: once in a campaign.
func (c *Campaign) again(r samples.Record) bool {
	key := sampleKey(r)
	done, chosen := c.repeated[key]
	if !chosen {
		if chosen = c.options.Again.Chooses(r); chosen {
			c.Repeated++
		}
		if chosen = chosen || c.options.Retry && r.Status != samples.OK; chosen {
			c.repeated[key] = false
		}
	}
	return chosen && !done
}

// measured notes a new sample.
func (c *Campaign) measured(r samples.Record) {
	c.repeated[sampleKey(r)] = true
}

func sampleKey(r samples.Record) string { return r.Kernel.Key() + " " + string(r.Mode) }
