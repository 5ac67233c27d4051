package modelgen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/warning"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/models"
)

// planned is a measurement set of the model file with its reason.
type planned struct {
	models.Measurement
	why     string
	subject *subject // of a script's kernel
}

// selected is the set of measurement kernels that have all the tags.
func selected(why string, tags []string) planned {
	return planned{Measurement: models.Measurement{Tags: tags, Match: models.Superset}, why: why}
}

// isolate returns the kernels with the accesses of one pattern alone, and those with all accesses of a kernel, where patterns that
// caches serve may slow each other down; traffic to memory simply adds up. Plain is the pattern of the store that keeps loads alive.
func isolate(subjects []*subject, patterns []*Pattern, plain *Pattern, opt Options) ([]planned, []string) {
	var out []planned
	var notes []string
	add := func(s *subject, keep []string, why string) {
		set := s.removed(s.withData(keep))
		if slices.ContainsFunc(out, func(p planned) bool { return p.subject == s && slices.Equal(p.RemoveWork.Keep, set.RemoveWork.Keep) }) {
			return
		}
		// Work that cannot be removed is found here, not when the model file is read.
		if _, err := removeWork(s.Variant.Kernel, set.RemoveWork); err != nil {
			notes = append(notes, warning.NotMeasured.About(why, "%v", err))
			return
		}
		out = append(out, planned{set, why, s})
	}
	for _, p := range patterns {
		u := slices.MaxFunc(p.Uses, func(a, b Use) int { return cmp.Compare(a.Share, b.Share) })
		add(u.subject, u.Tags[:1], fmt.Sprintf("%s of %s alone", u.Tags[0], u.Kernel))
		if len(u.Tags) > 1 {
			add(u.subject, u.Tags, fmt.Sprintf("all accesses of %s like it", u.Kernel))
		}
	}
	for _, s := range subjects {
		shared := 0
		for _, p := range patterns {
			if p.Cached && s.makes(p) {
				shared++
			}
		}
		enough := shared > 1
		if waits(subjects, opt) { // the loads of one iteration are in flight together
			made := slices.DeleteFunc(slices.Clone(patterns), func(p *Pattern) bool { return !s.makes(p) })
			enough = len(made) > 1 && slices.ContainsFunc(made, func(p *Pattern) bool { return p.Direction == features.Load })
		}
		switch {
		case opt.Isolated, !enough, s.loadsAndStores(patterns, plain) && !waits(subjects, opt):
		case !s.worksOnChip():
			notes = append(notes, warning.NotMeasured.About(s.Variant.Name, "does nothing but access global memory; its accesses together would be the kernel itself"))
		default:
			add(s, nil, fmt.Sprintf("all accesses of %s together, without its work", s.Variant.Name))
		}
	}
	return out, notes
}

// withData adds to the tags of accesses to keep those of the loads that their places and conditions depend on.
func (s *subject) withData(keep []string) []string {
	possible := func(keep []string) bool {
		_, err := removeWork(s.Variant.Kernel, &models.WorkRemoval{Keep: keep})
		return err == nil
	}
	if len(keep) == 0 || possible(keep) {
		return keep
	}
	all := slices.Clone(keep)
	for _, stmt := range s.ir.Statements {
		reads := s.ir.Reads(stmt)
		for _, p := range stmt.Predicates {
			reads = append(reads, s.ir.Reads(&kernel.Stmt{RHS: p})...)
		}
		for _, a := range reads {
			if s.ir.SpaceOf(a.Array) == kernel.Global {
				all = addOnce(all, a.TagOrImplicit(false))
			}
		}
	}
	for _, tag := range slices.Clone(all) {
		less := slices.DeleteFunc(slices.Clone(all), func(o string) bool { return o == tag })
		if !slices.Contains(keep, tag) && possible(less) {
			all = less
		}
	}
	return all
}

// makes reports that the kernel has accesses of the pattern.
func (s *subject) makes(p *Pattern) bool {
	return slices.ContainsFunc(p.Uses, func(u Use) bool { return u.subject == s })
}

// loadsAndStores reports that the kernel with all accesses is nearly the kernel with its loads and the store that keeps them alive: its
// accesses are of two patterns, one of them that store's, with about one such store per work-item.
func (s *subject) loadsAndStores(patterns []*Pattern, plain *Pattern) bool {
	others, stores := 0, 0.0
	for _, p := range patterns {
		for _, u := range p.Uses {
			if u.subject != s {
				continue
			}
			if p != plain {
				others++
				continue
			}
			for _, m := range u.records {
				n, err := s.count(m, s.largest)
				if err != nil {
					return false
				}
				stores += n
			}
		}
	}
	groups, err := s.groups(s.largest)
	each := stores / (groups * float64(s.items))
	return err == nil && others == 1 && each > 0.7 && each < 1.3
}

// removed is the measurement of a subject with some of its accesses.
func (s *subject) removed(keep []string) models.Measurement {
	return models.Measurement{
		Script: s.Script, Kernel: s.Variant.Name, Sizes: s.sizes,
		RemoveWork: &models.WorkRemoval{Keep: keep, Accumulators: s.accumulators(keep)},
	}
}

// chains is the number of variables that sum up loads if each load is of one element for all work-items. Such a load takes as long as an
// addition, so with one variable the chain of additions would be measured. Other loads take far longer.
const chains = 4

func (s *subject) accumulators(keep []string) int {
	loads := false
	for _, m := range s.global() {
		if m.Direction != features.Load || len(keep) > 0 && !slices.Contains(keep, m.Selector()) {
			continue
		}
		loads = true
		if m.LStrides.Along(0) != "0" {
			return 1
		}
	}
	if loads {
		return chains
	}
	return 1
}

// worksOnChip reports that the kernel has arithmetic or accesses to local memory.
func (s *subject) worksOnChip() bool {
	return slices.ContainsFunc(s.stats.Records, func(r features.Record) bool {
		switch k := r.Key.(type) {
		case features.Op:
			return true
		case features.Mem:
			return k.Space == kernel.Local
		}
		return false
	})
}

// generated returns the measurement kernels of everything but the patterns.
func generated(subjects []*subject, ops []operation, local []localClass, opt Options, stream *stream) []planned {
	var out []planned
	add := func(why string, tags ...string) { out = append(out, selected(why, tags)) }
	sizes := usual
	if opt.small() {
		sizes = reduced
	}
	var items []int64
	most := 0.0
	for _, s := range subjects {
		items = addOnce(items, s.items)
		for _, at := range slices.Concat(s.Sizes, s.sizes) {
			if n, err := s.groups(at); err == nil {
				most = max(most, n)
			}
		}
	}
	slices.Sort(items)
	groups := sizes.launches
	for len(groups) > 3 && float64(groups[len(groups)-2]) > most {
		groups = groups[:len(groups)-1]
	}
	add("launches, and work-groups as large as the kernels'", "empty_kernel", "lsize_0:"+join(items), "num_groups:"+join(groups))
	var done []string
	for _, o := range ops {
		tags := o.tags(sizes)
		if key := fmt.Sprint(tags); !slices.Contains(done, key) {
			done = append(done, key)
			why := fmt.Sprintf("%s of %s", o.op, o.dtype)
			if o.like != "" {
				why = fmt.Sprintf("%s of %s, which stands for %s as well", o.like, o.dtype, o.op)
			}
			add(why, tags...)
		}
	}
	for _, c := range local {
		add(fmt.Sprintf("local memory, neighbours %d elements apart", c.measure),
			"lmem_pattern", "dtype:"+string(c.dtype), fmt.Sprintf("lid_stride_0:%d", c.measure), "nelements:"+join(sizes.elements), "m:"+join(sizes.moves))
	}
	if barriers(subjects) {
		add("barriers", "barrier_local", "nelements:"+join(sizes.elements), "m:"+join(sizes.barriers))
	}
	if stream != nil {
		arrays := []int64{1}
		if stream.separate {
			arrays = []int64{1, 3}
		}
		add("neighbouring elements, each once", "gmem_pattern", "dtype:"+string(stream.dtype), "n_in_arrays:"+join(arrays), "nelements:"+join(sizes.stream))
	}
	if opt.overlaps() {
		add("how far local and global memory hide each other (Stevens and Klöckner, section 7.4)",
			"overlap_ratio", "dtype:"+string(expr.Float32), "nelements:"+join(sizes.overlap), "m:"+join(sizes.ratios))
	}
	return out
}

// tags select the measurement kernels of an operation.
func (o operation) tags(sizes extents) []string {
	updates := sizes.updates
	if o.generator == "flops_div_pattern" || o.generator == "flops_func_pattern" || o.generator == "flops_pow_pattern" {
		updates = sizes.long
	}
	tags := []string{o.generator, "dtype:" + string(o.dtype), "nelements:" + join(sizes.elements), "m:" + join(updates)}
	if o.function != "" {
		tags = append(tags, "function:"+o.function)
	}
	return tags
}

// extents are the sizes of measurement kernels.
type extents struct {
	launches, elements, updates, long, moves, barriers, stream, overlap, ratios []int64
}

// usual are sizes for a large device, on which these kernels run for about a millisecond; reduced ones are for a device with few
// multiprocessors, such as a CPU.
var (
	usual = extents{
		launches: []int64{16, 1024, 16384, 65536, 262144, 1048576}, elements: []int64{524288, 1310720},
		updates: []int64{1024, 1408}, long: []int64{256, 352}, moves: []int64{4096, 7168}, barriers: []int64{4096, 7168},
		stream: []int64{33554432, 67108864}, overlap: []int64{67108864}, ratios: []int64{1, 4, 8, 12, 16, 24, 32, 64},
	}
	reduced = extents{
		launches: []int64{16, 256, 1024, 4096}, elements: []int64{32768, 65536},
		updates: []int64{64, 128}, long: []int64{16, 32}, moves: []int64{64, 128}, barriers: []int64{64, 128},
		stream: []int64{262144, 1048576}, overlap: []int64{524288}, ratios: []int64{1, 4, 16, 64},
	}
)

func join(values []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]")
}
