package offload

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/scop/window"
)

// wavefront makes the launches of wavefronts of tiles: a loop of the host over the sum of the numbers of tiles along all loops, and a kernel whose work-groups have the numbers along all but
// the last one on their axes. In a tile, work-items share parallel loops, and barriers stand where launches would end.
type wavefront struct {
	c     *compiler
	x     *schedule.Launch
	m     Mapping
	name  string
	sum   string   // the loop of the host
	tiles []string // the number of a tile along each loop
	// low and high are bounds of each loop.
	low, high [][]polycount.Bound
	of        map[*scop.Statement]*scop.Statement // statements with the numbers of their tile as further iterators
}

// wavefronts makes the launches of wavefronts of tiles; nil where the kernel cannot be made.
func (c *compiler) wavefronts(x *schedule.Launch) (_ []Step, err error) {
	defer throw.Catch(&err)
	list := schedule.Statements(x)
	w := &wavefront{c: c, x: x, name: c.next(), sum: c.fresh("wave"), of: map[*scop.Statement]*scop.Statement{}}
	in := window.Of(list, x.Tiled, c.fresh)
	form := w.form(list, in)
	w.m = c.ask(form, list)
	if len(w.m.Side) == 0 {
		return nil, nil
	}
	for _, l := range x.Tiled {
		w.tiles = append(w.tiles, c.fresh("tile"))
		low, high, empty, err := schedule.Bounds(list, []schedule.Loop{l}, []string{"loop"})
		if err != nil || empty || len(low) == 0 || len(high) == 0 {
			return nil, err
		}
		w.low, w.high = append(w.low, low), append(w.high, high)
	}
	for _, s := range list {
		w.of[s] = w.tiled(s)
	}
	host := level{name: w.sum, loop: w.loop(func(int) bool { return true }), values: w.sums()}
	groups := throw.Get(w.groups())
	n, bands := throw.Get2(c.nestOf(&schedule.Launch{Body: schedule.Over(x.Body, w.of), Host: x.Host}, []level{host}, groups, w.inTile, w.name))
	k := throw.Get(n.Kernel())
	if form.Window.Reads > 0 {
		k = throw.Get(in.Kernel(k, w.grid()))
		throw.If(runs(k, c.on()))
	} else {
		k = w.kernel(k, n, bands)
	}
	c.program.Kernels = append(c.program.Kernels, k)
	return []Step{&Loop{w.sum, host.values, []Step{&Launch{k, host.values}}}}, nil
}

func (w *wavefront) tiled(s *scop.Statement) *scop.Statement {
	out := *s
	out.Iterators = slices.Concat(w.tiles, s.Iterators)
	var domain *polycount.Set
	for _, part := range s.Domain.Disjuncts() {
		list, _ := part.Constraints()
		for i, l := range w.x.Tiled {
			first := polycount.Name(w.tiles[i]).Scale(w.m.Side[i])
			list = append(list, polycount.GE(l.Of[s], first), polycount.GE(first.AddInt(w.m.Side[i]-1), l.Of[s]))
		}
		next := polycount.NewSet(nil, out.Iterators, list...)
		if domain == nil {
			domain = next
		} else if u, err := domain.Union(next); err == nil {
			domain = u
		}
	}
	out.Domain = domain.Named(s.Name)
	return &out
}

// loop is that over the sum of some numbers of tiles.
func (w *wavefront) loop(has func(int) bool) schedule.Loop {
	sum := polycount.Int(0)
	for i, t := range w.tiles {
		if has(i) {
			sum = sum.Add(polycount.Name(t))
		}
	}
	out := schedule.Loop{Of: map[*scop.Statement]polycount.Affine{}, Parallel: true}
	for _, s := range w.of {
		out.Of[s] = sum
	}
	return out
}

// sums are the values of the loop of the host.
func (w *wavefront) sums() *polycount.Set {
	least, most := polycount.Int(0), polycount.Int(0)
	for i := range w.tiles {
		least = least.Add(w.low[i][0].Num.FloorDiv(w.low[i][0].Den * w.m.Side[i]))
		most = most.Add(w.high[i][0].Num.FloorDiv(w.high[i][0].Den * w.m.Side[i]))
	}
	x := polycount.Name(w.sum)
	return polycount.NewSet(nil, []string{w.sum}, polycount.GE(x, least), polycount.GE(most, x))
}

// groups are the loops over the numbers of tiles of work-groups. That of the last loop is what the others leave of the sum.
func (w *wavefront) groups() (out []level, err error) {
	dims := []string{w.sum}
	last := len(w.tiles) - 1
	for i, t := range w.tiles[:last] {
		dims = append(slices.Clip(dims), t)
		list := w.within(i, polycount.Name(t))
		if i == last-1 {
			inhabited, err := w.inhabited()
			if err != nil {
				return nil, err
			}
			list = slices.Concat(list, w.within(last, w.number(last)), inhabited)
		}
		out = append(out, level{name: t, loop: w.loop(func(j int) bool { return j == i }), values: polycount.NewSet(nil, dims, list...)})
	}
	return out, nil
}

// number is that of a tile along a loop, in a work-group.
func (w *wavefront) number(i int) polycount.Affine {
	last := len(w.tiles) - 1
	if i < last {
		return polycount.Name(w.tiles[i])
	}
	rest := polycount.Name(w.sum)
	for _, t := range w.tiles[:last] {
		rest = rest.Sub(polycount.Name(t))
	}
	return rest
}

// extreme is the least or greatest value of a sum of multiples of the loops in a tile.
func (w *wavefront) extreme(factors []int64, greatest bool) (sum polycount.Affine) {
	for i, f := range factors {
		sum = sum.AddScaled(f*w.m.Side[i], w.number(i))
		if f > 0 == greatest {
			sum = sum.AddInt(f * (w.m.Side[i] - 1))
		}
	}
	return sum
}

// inhabited are conditions for a tile to have points: what holds for the loops of all statements holds at a corner of the tile.
func (w *wavefront) inhabited() (list []polycount.Constraint, err error) {
	var names []string
	var sets []*polycount.Set
	for i := range w.x.Tiled {
		names = append(names, fmt.Sprint("loop_", i))
	}
	for s := range w.of {
		set, err := schedule.Values([]*scop.Statement{s}, w.x.Tiled, names)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		all, _ := set.Constraints()
		for _, c := range all {
			factors := make([]int64, len(names))
			rest := c.Affine
			for i, name := range names {
				factors[i] = rest.Coeff(name)
				rest = rest.AddScaled(-factors[i], polycount.Name(name))
			}
			everywhere := !c.Equality && !rest.HasFloor()
			for _, other := range sets {
				if everywhere {
					if everywhere, err = other.Implies(c); err != nil {
						return nil, err
					}
				}
			}
			if everywhere {
				list = append(list, polycount.GE(w.extreme(factors, true).Add(rest), polycount.Int(0)))
			}
		}
	}
	return list, nil
}

// inTile are about the values of a loop in a tile: if it is a sum of multiples of the loops of tiles, those between its values at corners.
func (w *wavefront) inTile(list []*scop.Statement, levels []level) (*polycount.Set, error) {
	l := levels[len(levels)-1]
	text := schedule.Loop{Of: map[*scop.Statement]polycount.Affine{}}
	for s, tiled := range w.of {
		if slices.Contains(list, tiled) {
			text.Of[s] = l.loop.Of[tiled]
		}
	}
	factors, rest, is := text.Factors(w.x.Tiled)
	if !is {
		return values(list, levels)
	}
	_, names := split(levels)
	x := polycount.Name(l.name)
	all := []polycount.Constraint{polycount.GE(x, w.extreme(factors, false).Add(rest)), polycount.GE(w.extreme(factors, true).Add(rest), x)}
	return polycount.NewSet(nil, names, all...), nil
}

// within are the conditions for tiles of a number to have points.
func (w *wavefront) within(i int, number polycount.Affine) (list []polycount.Constraint) {
	first := number.Scale(w.m.Side[i])
	for _, b := range w.low[i] {
		list = append(list, polycount.GE(first.AddInt(w.m.Side[i]-1).Scale(b.Den), b.Num))
	}
	for _, b := range w.high[i] {
		list = append(list, polycount.GE(b.Num, first.Scale(b.Den)))
	}
	return list
}

// grid are the tiles of a launch.
func (w *wavefront) grid() window.Grid {
	g := window.Grid{Side: w.m.Side, Groups: w.tiles[:len(w.tiles)-1]}
	for i := range w.tiles {
		g.Numbers = append(g.Numbers, w.number(i))
	}
	return g
}

// kernel makes the kernel of a tile for each work-group.
func (w *wavefront) kernel(plain *kernel.Kernel, n *scop.Nest, bands [][]string) *kernel.Kernel {
	k, bands := withoutLaunches(plain, n, bands)
	for i, t := range w.tiles[:len(w.tiles)-1] {
		k.Tags[t] = kernel.Tag{Kind: kernel.GroupAxis, Axis: i}
	}
	k = throw.Get(shareBands(k, n, bands, w.m.Block))
	throw.If(runs(k, w.c.on()))
	return k
}

// withBarriers puts a barrier behind each statement, in the loops that all work-items make together, unless the next one has the same loops: then what it needs is of its own work-item.
func withBarriers(k *kernel.Kernel, together, parallel []string) *kernel.Kernel {
	out := k.Clone()
	out.Statements = nil
	add := func(s kernel.Stmt) {
		if n := len(out.Statements); n > 0 {
			s.Deps = nameset.Add(s.Deps, out.Statements[n-1].ID)
		}
		out.Statements = append(out.Statements, &s)
	}
	for i, s := range k.Statements {
		add(*s)
		loops, own := intersection(s.Inames, together), intersection(s.Inames, parallel)
		if i+1 < len(k.Statements) {
			next := k.Statements[i+1].Inames
			if len(own) > 0 && slices.Equal(own, intersection(next, parallel)) && slices.Equal(loops, intersection(next, together)) {
				continue
			}
		}
		add(kernel.Stmt{ID: s.ID + "_done", Kind: kernel.LocalBarrier, Memory: kernel.Global, Inames: loops})
	}
	return out
}

// intersection is what is in both of two lists, in the order of the first.
func intersection(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}
