package launch

import (
	"fmt"
	"maps"
	"math"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// staticOracle derives features from a run of the program: what every work-item touches, statement after statement.
func staticOracle(n *linear.Nest, sizes map[string]int64, subgroup int64) (map[string]float64, error) {
	buffers := map[string]*interp.Buffer{}
	for _, a := range n.Kernel.Args {
		if _, isSize := sizes[a.Name]; isSize {
			continue
		}
		count := int64(1)
		if !a.IsValue {
			var err error
			if count, err = a.Elements(sizes); err != nil {
				return nil, err
			}
		}
		b := interp.NewBuffer(a.DType, int(count))
		for i := range int(count) {
			b.Set(i, 1)
		}
		buffers[a.Name] = b
	}
	type unit struct {
		run, warp  int64
		access     expr.Expr
		occurrence int
		at         int64
	}
	type warp struct {
		run, warp  int64
		access     expr.Expr
		occurrence int
	}
	seen := map[warp]map[int64]bool{} // elements by access of a sub-group
	lines, sectors := [2]map[unit]bool{{}, {}}, map[unit]bool{}
	times := map[[2]any]int{}
	info := map[warp]interp.Touch{}
	words := map[warp]map[int64]bool{}
	counts := map[string]float64{}
	last := int64(-1)
	bytes := 0.0
	report, err := interp.RunWith(n, sizes, buffers, interp.Options{Visit: func(at interp.Touch) {
		if at.Run != last {
			clear(times)
			last = at.Run
		}
		id := [2]any{at.Item, at.Access}
		times[id]++
		rw, name := 0, "loads"
		if at.Write {
			rw, name = 1, "stores"
		}
		array := n.Kernel.Array(at.Array)
		size := array.DType.Size()
		counts[string(array.Space)+"_"+name]++
		w := warp{at.Run, at.Group<<20 + at.Item/subgroup, at.Access, times[id]}
		if seen[w] == nil {
			seen[w], words[w] = map[int64]bool{}, map[int64]bool{}
		}
		seen[w][at.Element], info[w] = true, at
		from, to := at.Element*size, (at.Element+1)*size-1
		if array.Space != kernel.Global {
			for b := from / 4; b <= to/4; b++ {
				words[w][b] = true
			}
			return
		}
		for b := from / 32; b <= to/32; b++ {
			lines[rw][unit{w.run, w.warp, w.access, w.occurrence, b / 4}] = true
			sectors[unit{w.run, w.warp, w.access, w.occurrence, b}] = true
		}
		bytes += float64(size)
	}})
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	items := 1.0
	groups := 1.0
	for axis := range 3 {
		items *= float64(n.Local[axis] * report.Groups[axis])
		groups *= float64(report.Groups[axis])
		out[fmt.Sprintf("global_size_%d", axis)] = float64(n.Local[axis] * report.Groups[axis])
		out[fmt.Sprintf("local_size_%d", axis)] = float64(n.Local[axis])
	}
	out["barriers"] = float64(report.Barriers) / groups
	for _, name := range []string{"global_loads", "global_stores", "local_loads", "local_stores"} {
		out[name] = counts[name] / items
	}
	var warps, perRW [2]float64
	sectorsOf := map[warp]int64{}
	for u := range sectors {
		sectorsOf[warp{u.run, u.warp, u.access, u.occurrence}]++
	}
	var uniform, coalesced, cycles, localWarps float64
	for w, elements := range seen {
		array := n.Kernel.Array(info[w].Array)
		if array.Space == kernel.Local {
			localWarps++
			perBank := map[int64]int{}
			most := 0
			for word := range words[w] {
				perBank[word%32]++
				most = max(most, perBank[word%32])
			}
			cycles += float64(most)
			continue
		}
		rw := 0
		if info[w].Write {
			rw = 1
		}
		warps[rw]++
		switch {
		case len(elements) == 1:
			uniform++
		case 2*array.DType.Size()*int64(len(elements)) >= 32*sectorsOf[w]:
			coalesced++
		}
	}
	div := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	perRW[0], perRW[1] = float64(len(lines[0])), float64(len(lines[1]))
	out["cache_lines"] = div(perRW[0]+perRW[1], warps[0]+warps[1])
	out["cache_lines_load"], out["cache_lines_store"] = div(perRW[0], warps[0]), div(perRW[1], warps[1])
	out["sectors"] = div(float64(len(sectors)), warps[0]+warps[1])
	out["sectors_item"] = float64(len(sectors)) / items
	out["sector_use"] = div(bytes, 32*float64(len(sectors)))
	out["uniform"], out["coalesced"] = div(uniform, warps[0]+warps[1]), div(coalesced, warps[0]+warps[1])
	out["bank_cycles"] = div(cycles, localWarps)
	runs := 0.0
	for _, c := range report.Runs {
		runs += float64(c)
	}
	out["statements"] = runs / items
	walkScalars(n, sizes, report.Groups, out)
	out["ifs"] /= items
	out["loop_bodies"] /= items
	return out, nil
}

// walkScalars runs loops and guards for each work-item by itself and counts iterations and tests.
func walkScalars(n *linear.Nest, sizes map[string]int64, groups [3]int64, out map[string]float64) {
	at := map[string]int64{}
	maps.Copy(at, sizes)
	eval := func(a polycount.Affine) int64 {
		v, err := a.Eval(at)
		if err != nil {
			panic(err)
		}
		return v
	}
	unrolled := map[string]bool{}
	var walk func(nodes []linear.Node)
	walk = func(nodes []linear.Node) {
		for _, node := range nodes {
			switch x := node.(type) {
			case *linear.Guard:
				holds, tested := true, len(x.Predicates) > 0
				for _, c := range x.Conds {
					v := eval(c.Affine)
					holds = holds && (v == 0 || v > 0 && !c.Equality)
					for _, name := range c.Affine.Names() {
						tested = tested || !unrolled[name]
					}
				}
				if tested {
					out["ifs"]++
				}
				if holds {
					walk(x.Body)
				}
			case *linear.Loop:
				lo, hi := rangeOf(x, eval)
				unrolled[x.Iname] = x.Unroll
				for v := lo; v <= hi; v += max(x.Step, 1) {
					if !x.Unroll {
						out["loop_bodies"]++
					}
					at[x.Iname] = v
					walk(x.Body)
				}
				delete(at, x.Iname)
			}
		}
	}
	var axes func(axis int)
	axes = func(axis int) {
		if axis == 6 {
			walk(n.Body)
			return
		}
		count := n.Local[axis%3]
		name := linear.Axis(kernel.Tag{Kind: kernel.LocalAxis, Axis: axis % 3})
		if axis >= 3 {
			count = groups[axis%3]
			name = linear.Axis(kernel.Tag{Kind: kernel.GroupAxis, Axis: axis % 3})
		}
		for v := range count {
			at[name] = v
			for iname, axis := range n.Names {
				if axis == name {
					at[iname] = v
				}
			}
			axes(axis + 1)
		}
	}
	axes(0)
}

// compareStatic compares a vector with the oracle.
func compareStatic(n *linear.Nest, sizes map[string]int64, opt Options) error {
	v, err := vectorAt(n, sizes, opt)
	if err != nil {
		return err
	}
	if !v.Exact {
		return fmt.Errorf("at %v: not exact", sizes)
	}
	subgroup := int64(opt.SubgroupSize)
	if subgroup == 0 {
		subgroup = 32
	}
	want, err := staticOracle(n, sizes, subgroup)
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	for name, w := range want {
		got, ok := v.Value(name)
		if !ok {
			return fmt.Errorf("there is no feature %s", name)
		}
		if math.Abs(got-w) > 1e-9*max(1, math.Abs(w)) {
			return fmt.Errorf("at %v: %s is %v, the run gives %v", sizes, name, got, w)
		}
	}
	return nil
}

// rangeOf is the first and the last value of a loop.
func rangeOf(l *linear.Loop, eval func(polycount.Affine) int64) (lo, hi int64) {
	lo, hi = math.MinInt64, math.MaxInt64
	for _, b := range l.Lower {
		lo = max(lo, -intmath.FloorDiv(-eval(b.Num), b.Den))
	}
	for _, b := range l.Upper {
		hi = min(hi, intmath.FloorDiv(eval(b.Num), b.Den))
	}
	return lo, hi
}
