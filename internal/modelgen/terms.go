package modelgen

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// term is a parameter of the model with the features whose cost it is.
type term struct {
	param    string
	features []string // their sum
	factor   string   // a feature of the model's own that multiplies the sum, "" for none
	unit     string
	part     part
	pattern  *Pattern // whose cost it is, nil for none
	loop     string   // whose iterations wait for it, of the part latency
	misses   bool     // each miss is exposed in every iteration
	why      string
	optional bool // left out if the measurements could not distinguish it from the others
}

// part is the term of the model file that a cost belongs to: the part of the device that does the work.
type part string

// The parts. Caches and local memory share the path of loads.
const (
	overhead   part = "overhead"
	groups     part = "groups"
	memory     part = "memory"
	loads      part = "loads"
	arithmetic part = "arithmetic"
	latency    part = "latency"
)

// partOf is the part that a pattern's cost belongs to.
func partOf(p *Pattern) part {
	if p.Cached {
		return loads
	}
	return memory
}

// ownFeature is a feature that the model file defines.
type ownFeature struct{ name, expression, why string }

// The names of the model's own features.
const (
	fillFeature  = "f_fill"
	bytesFeature = "f_footprint_bytes"
	farFeature   = "f_beyond_cache"
	turnsFeature = "f_turns_"

	touchesFeature = "f_touches_memory"
)

// stream is the pattern of measurement kernels that access neighbouring elements, each once: those of the overlap experiment, and the
// store that keeps loads alive if the subjects have no such store.
type stream struct {
	dtype    expr.DType
	separate bool // loads and stores have costs of their own
}

// destination is the tag of the store that RemoveWork adds where no other store is left.
var destination = expr.ImplicitTag("read_tgt_dest", true)

// streamLoads and streamStores are the tags of the measurement kernels gmem_pattern and overlap_ratio.
var (
	streamLoads  = []string{"in0LD", "in1LD", "in2LD"}
	streamStores = []string{"resultST"}
)

// content holds the parts of the model file.
type content struct {
	own    []ownFeature
	terms  []term
	stream *stream
	notes  []string
	// cache is the size of the device's cache. fitsCache: there are footprints below and around this size, which determine
	// from where on accesses miss the cache.
	cache     int64
	fitsCache bool
	// together: some kernel's patterns are measured together as well as alone.
	together bool
	wait     *waiting // nil where no kernel is too small for the device
}

// compose writes a term for each cost.
func compose(subjects []*subject, major, small []*Pattern, ops []operation, local []localClass, opt Options) *content {
	c := &content{}
	all := slices.Concat(major, small)
	c.terms = append(c.terms,
		term{param: "p_launch", features: []string{"f_sync_kernel_launch"}, unit: "s per launch", part: overhead, why: "of a launch"},
		term{
			param: "p_latency", features: []string{touchesFeature}, unit: "s per launch", part: overhead, optional: true,
			why: "of a launch that accesses global memory: extra first-access latency",
		},
		term{param: "p_group", features: []string{"f_thread_groups"}, unit: "s per group", part: groups, why: "of starting a work-group"})
	c.own = append(c.own, ownFeature{touchesFeature, "min(1, f_mem_access_global)", "1 for a kernel that accesses global memory"})
	c.shareDestination(subjects, major, opt)
	far := c.cacheMatters(subjects, major, opt)
	for _, p := range major {
		ids := p.features(all)
		if plainStore(p) && c.plain() == nil && (c.stream == nil || !c.stream.separate) {
			ids = append(ids, "f_mem_access_tag:"+destination)
		}
		unit, factor := fmt.Sprintf("s per %d B", p.DType.Size()), ""
		if p.LStrides.Along(0) == "0" { // limited by the rate of the multiprocessor's own cache
			unit, factor = "s per access of a sub-group", c.fill(opt)
		}
		c.terms = append(c.terms, term{pattern: p, param: "p_" + p.Name, features: ids, factor: factor, unit: unit, part: partOf(p), why: "of " + p.describe()})
		beyond := func(param string, of []string, unit string) {
			if far[p] {
				c.terms = append(c.terms, term{
					pattern: p, param: param + "_far", features: of, factor: farFeature, unit: unit, part: partOf(p), optional: true,
					why: "more where what the kernel touches exceeds the cache",
				})
			}
		}
		// Optional terms are left out from the last on.
		if turns := p.turns(all, opt); turns != "" && !waits(subjects, opt) {
			c.own = append(c.own, ownFeature{turnsFeature + p.Name, turns, "such accesses that a work-item makes one after the other"})
			wait := term{
				pattern: p, param: "p_" + p.Name + "_wait", features: []string{turnsFeature + p.Name}, unit: "s per access in turn", part: partOf(p), optional: true,
				why: "of waiting, where there are too few work-groups to hide it",
			}
			c.terms = append(c.terms, wait)
			beyond(wait.param, wait.features, wait.unit)
		}
		beyond("p_"+p.Name, ids, unit)
	}
	if waits(subjects, opt) {
		c.addWaiting(subjects, major, all, far, ops, opt)
	}
	c.addStream()
	if opt.overlaps() && !slices.ContainsFunc(local, func(l localClass) bool { return l.dtype == expr.Float32 && l.measure == 1 }) {
		local = append(slices.Clone(local), localClass{dtype: expr.Float32, strides: []int64{1}, measure: 1})
	}
	c.addOnChip(subjects, ops, local, opt)
	return c
}

// addTerm adds a term, or the features of a term whose parameter the model already has.
func (c *content) addTerm(t term) {
	if i := slices.IndexFunc(c.terms, func(o term) bool { return o.param == t.param }); i >= 0 {
		c.terms[i].features = append(c.terms[i].features, t.features...)
		return
	}
	c.terms = append(c.terms, t)
}

// describe describes the accesses of a pattern in words.
func (p *Pattern) describe() string {
	var kernels, tags []string
	for _, u := range p.Uses {
		kernels = append(kernels, u.Kernel)
		tags = addOnce(tags, u.Tags...)
	}
	return fmt.Sprintf("a %s %s by %s in %s", p.DType, p.Direction, strings.Join(tags, ", "), strings.Join(kernels, ", "))
}

// shareDestination decides whether the store that RemoveWork adds matters, and which pattern has its cost.
func (c *content) shareDestination(subjects []*subject, major []*Pattern, opt Options) {
	matters := slices.ContainsFunc(major, func(p *Pattern) bool { return p.Direction == features.Load && p.Uses[0].perItem() < 1/minor })
	separate := matters && !slices.ContainsFunc(major, plainStore)
	if opt.overlaps() || separate {
		c.stream = &stream{dtype: expr.Float32, separate: separate}
		if !slices.ContainsFunc(subjects, func(s *subject) bool { return slices.Contains(s.dtypes(), expr.Float32) }) && !opt.overlaps() {
			c.stream.dtype = expr.Float64
		}
	}
}

// perItem is the least number of such accesses of a work-item at the sizes asked for, weighted by their cost.
func (u Use) perItem() float64 {
	least := -1.0
	for _, at := range u.subject.Sizes {
		groups, err := u.subject.groups(at)
		if err != nil || groups == 0 {
			continue
		}
		sum, err := u.subject.weighted(u.records, at)
		if err != nil {
			continue
		}
		if n := sum / groups / float64(u.subject.items); least < 0 || n < least {
			least = n
		}
	}
	return least
}

// plainStore reports a store of neighbouring elements, each once, as RemoveWork adds one.
func plainStore(p *Pattern) bool {
	return p.Direction == features.Store && p.LStrides.Along(0) == "1" && !p.Reuse && p.DType.IsFloat()
}

// plain is the pattern that shares its cost with the store that RemoveWork adds, nil for none.
func (c *content) plain() *Pattern {
	for _, t := range c.terms {
		if t.pattern != nil && slices.Contains(t.features, "f_mem_access_tag:"+destination) {
			return t.pattern
		}
	}
	return nil
}

// addStream adds the costs of the accesses of gmem_pattern and overlap_ratio.
func (c *content) addStream() {
	if c.stream == nil {
		return
	}
	named := func(tags []string) (out []string) {
		return lists.Map(tags, func(t string) string { return "f_mem_access_tag:" + t })
	}
	unit := fmt.Sprintf("s per %d B", c.stream.dtype.Size())
	if !c.stream.separate {
		c.terms = append(c.terms, term{
			param: "p_stream", features: named([]string{streamLoads[0], streamStores[0]}), unit: unit, part: memory,
			why: "of accesses to neighbouring elements, each once, in measurement kernels",
		})
		return
	}
	c.terms = append(c.terms,
		term{param: "p_stream_load", features: named(streamLoads), unit: unit, part: memory, why: "of loads of neighbouring elements in measurement kernels"},
		term{
			param: "p_stream_store", features: named(append(slices.Clone(streamStores), destination)), unit: unit, part: memory,
			why: "of their stores, and of the store that keeps the loads alive where a kernel's other work is removed",
		})
}

// cacheMatters finds the patterns whose cost may depend on whether the arrays fit the cache: some sizes fit and some do not.
func (c *content) cacheMatters(subjects []*subject, major []*Pattern, opt Options) map[*Pattern]bool {
	if slices.ContainsFunc(subjects, func(s *subject) bool { return s.irregular }) {
		return nil // the model's features would need their footprints
	}
	out := map[*Pattern]bool{}
	cache := opt.Device.Value(facts.L2Bytes)
	if cache == 0 {
		return out
	}
	spans := map[*subject]bool{}
	types := map[expr.DType]bool{}
	for _, s := range subjects {
		least, most := throw.Get2(extremes(slices.Concat(s.Sizes, s.sizes), s.bytes))
		spans[s] = least.value < 3*cache && most.value > cache/2
		for _, t := range s.dtypes() {
			types[t] = true
		}
	}
	for _, p := range major {
		for _, u := range p.Uses {
			large := u.large()
			out[p] = out[p] || spans[u.subject] && large
		}
	}
	if !slices.ContainsFunc(major, func(p *Pattern) bool { return out[p] }) {
		return nil
	}
	var sum []string
	for _, t := range []expr.DType{expr.Float16, expr.Float32, expr.Float64, expr.Int8, expr.Int16, expr.Int32, expr.Int64} {
		if types[t] {
			sum = append(sum, fmt.Sprintf("%d * f_mem_footprint_global_%s", t.Size(), t))
		}
	}
	c.own = append(c.own,
		ownFeature{bytesFeature, strings.Join(sum, " + "), "what a kernel touches of global memory"},
		ownFeature{
			farFeature, fmt.Sprintf("min(1, max(0, %s / %d - 1))", bytesFeature, opt.Device.Int(facts.L2Bytes)/2),
			fmt.Sprintf("from 0 where half of the cache of %d bytes holds it, to 1 where the whole does not", opt.Device.Int(facts.L2Bytes)),
		})
	c.cache = opt.Device.Int(facts.L2Bytes)
	for _, s := range subjects {
		fits := s.bothSides(cache)
		c.fitsCache = c.fitsCache || fits
	}
	return out
}

// bothSides reports whether some size that is measured fits the cache well, and several are about as large as it.
func (s *subject) bothSides(cache float64) bool {
	inside, edge := false, 0
	for _, at := range s.sizes {
		b := throw.Get(s.bytes(at))
		inside = inside || b < cache/2
		if b > cache/2 && b < 2*cache {
			edge++
		}
	}
	return inside && edge > 1
}

// large reports that the pattern's elements are more than a twentieth of what the kernel touches.
func (u Use) large() bool {
	total := throw.Get(u.subject.bytes(u.subject.largest))
	own := u.bytes(u.subject.largest)
	return own > total/20
}

// turns is the number of the pattern's accesses that a work-item makes one after the other, as an expression; "" if the number is the
// same at all sizes, or if the device is full at all sizes asked for, so that other work-items hide their latency.
func (p *Pattern) turns(all []*Pattern, opt Options) string {
	var sum []string
	for _, u := range p.Uses {
		s := u.subject
		if !s.idle(opt) {
			continue
		}
		var loops []string
		in := map[string][]string{}
		for _, m := range u.records {
			if !s.varies(m) {
				continue
			}
			loop := s.loopOf(m)
			loops = addOnce(loops, loop)
			in[loop] = addOnce(in[loop], p.perItem(s, m, all))
		}
		for _, loop := range loops {
			sum = addOnce(sum, largest(in[loop]))
		}
	}
	switch len(sum) {
	case 0:
		return ""
	case 1:
		return sum[0] + " / f_thread_groups"
	}
	return "(" + strings.Join(sum, " + ") + ") / f_thread_groups"
}

// perItem is the number of accesses of a record, times the work-groups, that a work-item makes, as an expression.
func (p *Pattern) perItem(s *subject, m features.Mem, all []*Pattern) string {
	each := s.items
	if m.Granularity == features.SubGroup {
		each = max(1, (s.items+s.lanes-1)/s.lanes)
	}
	return fmt.Sprintf("f_mem_access_%s / %g", p.selector(m.Selector(), all), float64(each))
}

// largest is the expression of the largest of some expressions.
func largest(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "max(" + strings.Join(list, ", ") + ")"
}

// idle reports that at some size asked for the work-items do not fill the device.
func (s *subject) idle(opt Options) bool {
	for _, at := range s.Sizes {
		if groups, err := s.groups(at); err == nil && groups*float64(s.items) < opt.Device.Typical().Value(facts.Multiprocessors)*opt.Device.Typical().Value(facts.Items) {
			return true
		}
	}
	return false
}

// varies reports that a work-item makes more of these accesses at some sizes than at others.
func (s *subject) varies(m features.Mem) bool {
	first := -1.0
	for _, at := range s.sizes {
		n, err1 := s.count(m, at)
		groups, err2 := s.groups(at)
		if err1 != nil || err2 != nil || groups == 0 {
			continue
		}
		each := n / groups
		if first < 0 {
			first = each
		} else if each != first {
			return true
		}
	}
	return false
}

// fill defines the feature of load imbalance between multiprocessors, and returns its name, "" where their number is not known.
func (c *content) fill(opt Options) string {
	u := opt.units()
	if u < 2 {
		return ""
	}
	if !slices.ContainsFunc(c.own, func(o ownFeature) bool { return o.name == fillFeature }) {
		c.own = append(c.own, ownFeature{
			fillFeature, fmt.Sprintf("ceil(f_thread_groups / %d) * %d / max(f_thread_groups, 1)", u, u),
			fmt.Sprintf("how much longer the multiprocessor with the most work-groups takes than if the %d had equal parts", u),
		})
	}
	return fillFeature
}

// addOnChip adds the costs of arithmetic, local memory and barriers.
func (c *content) addOnChip(subjects []*subject, ops []operation, local []localClass, opt Options) {
	factor := c.fill(opt)
	add := func(t term) {
		t.factor = factor
		c.addTerm(t)
	}
	for _, o := range ops {
		add(term{
			param: o.param, features: []string{o.feature}, unit: o.unit, part: arithmetic,
			why: fmt.Sprintf("of %s in %s", o.measuredOp(), o.dtype),
		})
	}
	for _, l := range local {
		add(term{
			param: l.param(), features: l.features(), unit: fmt.Sprintf("s per %d B per lane", l.dtype.Size()), part: loads,
			why: fmt.Sprintf("of an access to local memory, neighbours %d elements apart", l.measure),
		})
	}
	if barriers(subjects) {
		add(term{param: "p_barrier", features: []string{"f_sync_barrier_local * f_sub_groups"}, unit: "s per barrier of a sub-group", part: memory, why: "of a barrier"})
	}
}
