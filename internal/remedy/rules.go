package remedy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/launch"
)

// rule is a kind of defect: find lists those of a launch, each with its cures.
type rule struct {
	name string
	find func(*study) []candidate
}

var rules = []rule{
	{"coalescing", coalescing},
	{"narrow accesses", narrow},
	{"bank conflicts", conflicts},
	{"constants", constants},
	{"atomic operations", atomics},
	{"arrays in private memory", spilled},
	{"divergence", divergence},
	{"a single work-item", single},
	{"float64", doubles},
	{"division", divisions},
	{"subscripts", subscripts},
	{"powers", powers},
	{"steady powers", steadyPowers},
	{"barriers", barriers},
	{"barriers", exchanges},
	{"fences", fences},
	{"repeated accesses", repeated},
	{"loads again", again},
	{"results of a work-item", results},
	{"memory in several passes", passes},
	{"loads in turn", inTurn},
	{"few work-groups", fewGroups},
	{"small work-groups", smallGroups},
	{"occupancy", occupancy},
	{"last wave", lastWave},
	{"uneven work-groups", uneven},
	{"launch", launchBound},
}

// much is from when on sectors or cycles are more than accesses need.
const much = 1.5

// Verb is load, store or update.
func Verb(s launch.Site) string {
	switch {
	case s.Atomic:
		return "update"
	case s.Store:
		return "store"
	}
	return "load"
}

// also names further accesses with the same defect.
func also(list []Row) string {
	var names []string
	for _, r := range list[1:] {
		if name := Named(r.Site); name != Named(list[0].Site) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; the same goes for " + format.First(names, 3)
}

// Named is an array with its line.
func Named(s launch.Site) string {
	if s.At.Line == 0 {
		return s.Array
	}
	return fmt.Sprintf("%s in line %d", s.Array, s.At.Line)
}

// coalescing: accesses to global memory that touch more sectors than their elements fill.
func coalescing(x *study) []candidate {
	list := x.those(func(r *Row) bool {
		return r.Space == kernel.Global && !r.Data && !r.Atomic && float64(r.Sectors) >= much*float64(r.Enough)
	})
	if len(list) == 0 {
		return nil
	}
	r := &list[0]
	apart, axis := x.stride(r)
	c := candidate{array: r.Array, at: r.At, share: r.Share, cures: []cure{{edit: at(list, launch.Effect{Beside: true})}}}
	c.defect = fmt.Sprintf("neighbours along axis %d of a work-group %s elements of %s that are %d B apart, so that %s are moved for %s%s",
		axis, Verb(r.Site), r.Array, apart, format.Rough(float64(r.Sectors)*launch.SectorBytes, "B"), format.Rough(float64(r.Items*r.Bytes), "B"), also(list))
	switch beside := slices.IndexFunc(r.Strides[:], func(s int64) bool { return s == r.Bytes || s == -r.Bytes }); {
	case beside >= 0 && x.Local[beside] > 1:
		c.remedy = fmt.Sprintf("swap axes %d and %d of the launch, or pass %s through a tile in local memory", axis, beside, r.Array)
	case r.Row >= subgroup && !r.Store:
		c.remedy = fmt.Sprintf("keep %s transposed, or let a sub-group go through each row of it together, its work-items along neighbouring elements, and join what they have", r.Array)
	case apart <= structure*r.Bytes && apart < 128*r.Bytes:
		c.remedy = fmt.Sprintf("keep what is accessed together side by side, as an array for each member of a structure, or give neighbours neighbouring elements of %s", r.Array)
	default:
		c.remedy = fmt.Sprintf("keep %s transposed, let axis %d go along it, or pass it through a tile in local memory", r.Array, axis)
	}
	return []candidate{c}
}

// narrow: work-items access less than a word of global memory each.
func narrow(x *study) []candidate {
	list := x.those(func(r *Row) bool {
		return r.Space == kernel.Global && !r.Atomic && r.Bytes < word && r.Strides[0] == r.Bytes
	})
	apart := x.those(func(r *Row) bool {
		return r.Space != kernel.Private && (r.Data || r.Strides[0] != 0 && r.Strides[0] != r.Bytes)
	})
	if len(list) == 0 || len(apart) > 0 || !x.sharesNothing() {
		return nil
	}
	r := &list[0]
	c := candidate{
		array: r.Array, at: r.At, share: r.Share, remedy: "let a work-item have ",
		defect: fmt.Sprintf("work-items %s %d B of %s each, where they could have 4 and more at once%s", Verb(r.Site), r.Bytes, r.Array, also(list)),
	}
	n := word / r.Bytes
	edit := launch.Edit{Wide: n, Access: map[launch.Site]launch.Effect{}}
	for _, o := range x.rows {
		if o.Strides[0] == o.Bytes && o.Bytes*n <= widest {
			edit.Access[o.Site] = launch.Effect{Wide: n}
		}
	}
	c.cures = []cure{{edit: edit, what: fmt.Sprintf("%d neighbouring elements, in a vector such as %s", n, map[int64]string{1: "uchar4", 2: "ushort2"}[r.Bytes])}}
	return []candidate{c}
}

// word is what a bank gives at once, and widest the most that a work-item has at once, in bytes.
const word, widest = 4, 16

// structure is the most elements that neighbours of structures are apart.
const structure = 32

// stride is how many bytes neighbours are apart, and along which axis.
func (x *study) stride(r *Row) (bytes int64, axis int) {
	for a, n := range x.Local {
		if n > 1 {
			return max(r.Strides[a], -r.Strides[a]), a
		}
	}
	return 0, 0
}

// conflicts: accesses to local memory that take the banks longer than their elements do.
func conflicts(x *study) []candidate {
	list := x.those(func(r *Row) bool {
		return r.Space == kernel.Local && !r.Data && float64(r.Cycles) >= much*float64(r.Fewest)
	})
	if len(list) == 0 {
		return nil
	}
	r := &list[0]
	apart, axis := x.stride(r)
	pad := "one element"
	if r.Bytes < word { // banks are as wide as a word
		pad = fmt.Sprintf("%d elements", word/r.Bytes)
	}
	return []candidate{{
		array: r.Array, at: r.At, share: r.Share, cures: []cure{{edit: at(list, launch.Effect{Beside: true})}},
		defect: fmt.Sprintf("neighbours along axis %d of a work-group %s elements of %s that are %d B apart: %.3g of them share a bank, and take turns%s",
			axis, Verb(r.Site), r.Array, apart, float64(r.Cycles)/float64(r.Fewest), also(list)),
		remedy: fmt.Sprintf("pad the rows of %s by %s, or let neighbours access neighbouring elements", r.Array, pad),
	}}
}

// constants: work-items of a sub-group ask constant memory for different elements, which it gives one after the other.
func constants(x *study) (out []candidate) {
	var arrays []string
	for _, r := range x.those(func(r *Row) bool { return r.Space == kernel.Constant && r.Cycles > r.Requests }) {
		if slices.Contains(arrays, r.Array) {
			continue
		}
		arrays = append(arrays, r.Array)
		guess := ""
		if r.Data {
			guess = ", if data make them any,"
		}
		global := x.Kernel.Clone()
		global.ChangeArray(r.Array, func(a *kernel.Array) { a.Constant = false })
		out = append(out, candidate{
			array: r.Array, at: r.At, share: r.Share, cures: []cure{{kernel: global}},
			defect: fmt.Sprintf("the work-items of a sub-group load %s different elements of %s at a time%s and constant memory gives one after the other",
				format.Times(float64(r.Cycles)/float64(r.Requests)), r.Array, cmp.Or(guess, ",")),
			remedy: fmt.Sprintf("keep %s in global memory, as a pointer to const, or copy it to local memory", r.Array),
		})
	}
	return out
}

// spilled: private arrays that registers cannot hold, as some index is no constant of the code.
func spilled(x *study) (out []candidate) {
	var arrays []string
	for _, r := range x.those(func(r *Row) bool { return r.Space == kernel.Private && r.Data }) {
		if slices.Contains(arrays, r.Array) {
			continue
		}
		arrays = append(arrays, r.Array)
		all := x.those(func(o *Row) bool { return o.Array == r.Array })
		p, err := x.Program.With(nil, at(all, launch.Effect{Spilled: true}))
		if err != nil {
			continue
		}
		slow, err := x.Subject.Seconds(p)
		if err != nil {
			continue
		}
		out = append(out, candidate{
			array: r.Array, at: r.At, extra: slow, cures: []cure{{}},
			defect: fmt.Sprintf("an index of %s is no constant of the code, so that the array is in memory and not in registers", r.Array),
			remedy: fmt.Sprintf("let loops over %s have constant bounds and be unrolled, or keep it in local memory with the work-item as its last index", r.Array),
		})
	}
	return out
}

// divergence: parts of sub-groups pass guards or stay in loops.
func divergence(x *study) []candidate {
	var worst *launch.Divergence
	waste := func(d *launch.Divergence) float64 { return float64(d.Times) * (1 - d.Lanes) }
	for i := range x.Divergences {
		if d := &x.Divergences[i]; worst == nil || waste(d) > waste(worst) {
			worst = d
		}
	}
	if worst == nil {
		return nil
	}
	c := candidate{array: x.result(worst.At, worst.To), at: worst.At, cures: []cure{{edit: launch.Edit{Together: true}}}}
	if worst.Data {
		c.before = &launch.Edit{Half: true}
		c.defect = "what this line runs under depends on data, so that most sub-groups go all ways"
		c.remedy = "sort the work by the way that it takes, so that sub-groups go one way (if half of it goes each way)"
	} else {
		c.defect = fmt.Sprintf("sub-groups that get here run this line with %.0f %% of their work-items, and other lines with others", 100*worst.Lanes)
		c.remedy = "let the condition, or the length of the loop, be the same for the work-items of a sub-group, as by the number of the sub-group in place of that of the work-item"
	}
	return []candidate{c}
}

// single: one work-item of a group does in loops what all could have a part of.
func single(x *study) []candidate {
	var most *launch.Divergence
	for i := range x.Divergences {
		if d := &x.Divergences[i]; d.Alone && (most == nil || d.Times > most.Times) {
			most = d
		}
	}
	if most == nil {
		return nil
	}
	return []candidate{{
		array: x.result(most.At, most.To), at: most.At, cures: []cure{{edit: launch.Edit{SharedOut: true}}},
		defect: fmt.Sprintf("one work-item of each group runs the loops here, and the other %d wait for it", x.Items-1),
		remedy: "let all of them run a part of the iterations, and join their results in a tree, in local memory or by shuffles, if these can be joined so, as sums and extremes can",
	}}
}

// repeated: a work-item accesses the same elements in iterations of a loop.
func repeated(x *study) []candidate {
	list := x.those(func(r *Row) bool {
		return r.Space == kernel.Global && !r.Data && !r.Atomic && float64(r.Requests) >= much*float64(r.Repeated)
	})
	if len(list) == 0 {
		return nil
	}
	r := &list[0]
	return []candidate{{
		array: r.Array, at: r.At, share: r.Share, cures: []cure{{edit: at(list, launch.Effect{Once: true})}},
		defect: fmt.Sprintf("a work-item %ss each element of %s %s times here%s", Verb(r.Site), r.Array, format.Times(float64(r.Requests)/float64(r.Repeated)), also(list)),
		remedy: "keep the element in a register while the loop runs, or let the loop that reuses it be the innermost one",
	}}
}

// results: work-items along an axis all load the same, which a work-item that computes several results would load once for them.
func results(x *study) []candidate {
	const large = 0.15 // share of the time from which on the loads matter
	list := x.those(func(r *Row) bool {
		return r.Space != kernel.Constant && !r.Store && !r.Data && !r.Atomic && r.Shared != ([3]bool{}) && float64(r.Repeated) >= manyResults*float64(x.Groups*x.subgroups())
	})
	if sum(list) < large {
		return nil
	}
	r := &list[0]
	c := candidate{
		array: r.Array, at: r.At, share: r.Share, defect: fmt.Sprintf("all work-items along an axis load the same elements of %s, each for one result%s", r.Array, also(list)),
		remedy: "let each work-item compute ",
	}
	for _, by := range []int64{2, 4} {
		var axes []int
		edit := launch.Edit{Access: map[launch.Site]launch.Effect{}}
		for axis, n := range x.Count {
			shared := lists.Where(list, func(o Row) bool { return o.Shared[axis] })
			if len(shared) == 0 || n%by != 0 {
				continue
			}
			axes = append(axes, axis)
			for _, o := range shared {
				e := edit.Access[o.Site]
				e.Fewer[axis] = by
				edit.Access[o.Site] = e
			}
		}
		if len(axes) == 0 {
			continue
		}
		one := cure{what: strings.Repeat(fmt.Sprintf("%d × ", by), len(axes)-1) + fmt.Sprintf("%d results, from elements that it keeps in registers", by)}
		var err error
		if one.kernel, err = several(x.Kernel, x.Sizes, axes, by); err != nil { // work-items fill tiles together, for one result of each
			one.kernel, one.edit = nil, edit
		}
		c.cures = append(c.cures, one)
	}
	return []candidate{c}
}

// manyResults are the loads of a work-item from which on keeping what it loads is worth while.
const manyResults = 16

// mostArrays are the arrays among which what is loaded is, about: a smaller one is not what DRAM gives again and again.
const mostArrays = 8

// passes: DRAM gives again what L2 does not hold any more.
func passes(x *study) []candidate {
	r := x.largest(func(r *Row) bool {
		return r.Space == kernel.Global && (!r.Store || r.Atomic) && mostArrays*float64(r.Extent) >= x.Loaded
	})
	if r == nil || x.Read < much*x.Loaded {
		return nil
	}
	remedy := fmt.Sprintf("let work-groups that run at the same time use the same part of %s, or go through it in blocks that L2 holds", r.Array)
	if r.Data {
		remedy = fmt.Sprintf("sort the work by the part of %s that it accesses, so that work-groups that run at the same time use the same part", r.Array)
	}
	return []candidate{{
		array: r.Array, at: r.At, share: r.Share, cures: []cure{{edit: launch.Edit{Fetched: true}}},
		defect: fmt.Sprintf("DRAM gives %s for the %s that are loaded: L2 does not hold them until they are used again", format.Rough(x.Read, "B"), format.Rough(x.Loaded, "B")),
		remedy: remedy,
	}}
}

// largest is the row with the largest share for which a condition holds.
func (x *study) largest(is func(*Row) bool) *Row {
	for i := range x.rows {
		if is(&x.rows[i]) {
			return &x.rows[i]
		}
	}
	return nil
}

// inTurn: loops that compilers do not unroll, in which a work-item waits for what it loads before it loads more.
func inTurn(x *study) []candidate {
	unrolled := x.Kernel.Clone()
	maps.DeleteFunc(unrolled.Tags, func(_ string, tag kernel.Tag) bool { return tag.Kind == kernel.Rolled })
	if len(unrolled.Tags) == len(x.Kernel.Tags) {
		return nil
	}
	c := x.where()
	c.cures = []cure{{kernel: unrolled}}
	c.defect = "compilers do not unroll the loop, as its counter changes in arithmetic without signs and may wrap around, or a pragma forbids it: a work-item waits for what it loads before it loads more"
	c.remedy = "let the counter and its step be integers with signs, as in const int step = blockDim.x before the loop"
	return []candidate{c}
}
