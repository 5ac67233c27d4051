package memory

import (
	"container/list"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/intmath"
)

// lru is a cache that is simulated: fully associative, it drops what was used longest ago.
type lru struct {
	line, fetch, lines int64
	order              *list.List
	at                 map[int64]*list.Element // by line
	misses             int64
}

// resident is a line in the cache, with the parts of it that were fetched.
type resident struct {
	line int64
	has  map[int64]bool
}

func newLRU(bytes, line, fetch int64) *lru {
	return &lru{line: line, fetch: fetch, lines: bytes / line, order: list.New(), at: map[int64]*list.Element{}}
}

func (c *lru) touch(address int64) {
	line, part := intmath.FloorDiv(address, c.line), intmath.FloorDiv(address, c.fetch)
	e := c.at[line]
	if e == nil {
		if int64(c.order.Len()) == c.lines {
			last := c.order.Back()
			delete(c.at, last.Value.(resident).line)
			c.order.Remove(last)
		}
		e = c.order.PushFront(resident{line, map[int64]bool{}})
		c.at[line] = e
	}
	c.order.MoveToFront(e)
	if has := e.Value.(resident).has; !has[part] {
		has[part] = true
		c.misses++
	}
}

// run runs work-groups, so many at once, which are equally far at any time.
func (l *Launch) run(groups [][3]int64, atOnce int, touch func(a *Access, address int64)) {
	const apart = 1 << 32 // arrays
	var steps func(list []Step, wave [][3]int64, trips []int64)
	steps = func(list []Step, wave [][3]int64, trips []int64) {
		for _, s := range list {
			switch x := s.(type) {
			case *Access:
				for _, g := range wave {
					for i := range x.Parts {
						p := &x.Parts[i]
						shift, in := int64(x.Array)*apart, true
						for d, r := range slices.Concat(p.Groups[:], p.Loops) {
							at := int64(0)
							if d < 3 {
								at = g[d]
							} else {
								at = trips[d-3]
							}
							t := (at - r.First) / max(r.Step, 1)
							in = in && at >= r.First && (at-r.First)%max(r.Step, 1) == 0 && t < r.Count
							shift += t * r.Stride
						}
						for _, lane := range p.Lanes {
							if in {
								touch(x, lane+shift)
							}
						}
					}
				}
			case *Loop:
				first, last := int64(math.MaxInt64), int64(math.MinInt64)
				Each(x.Body, func(a *Access) {
					for i := range a.Parts {
						r := a.Parts[i].Loops[len(trips)]
						first, last = min(first, r.First), max(last, r.First+(r.Count-1)*max(r.Step, 1))
					}
				})
				for t := first; t <= last; t++ {
					steps(x.Body, wave, append(trips[:len(trips):len(trips)], t))
				}
			}
		}
	}
	for len(groups) > 0 {
		n := min(atOnce, len(groups))
		steps(l.Body, groups[:n], nil)
		groups = groups[n:]
	}
}

// all lists the work-groups in order.
func (l *Launch) all() (out [][3]int64) {
	for z := range l.Groups[2] {
		for y := range l.Groups[1] {
			for x := range l.Groups[0] {
				out = append(out, [3]int64{x, y, z})
			}
		}
	}
	return out
}

// lanes are the addresses of a work-group of x by y work-items, whose neighbours are so many bytes apart.
func lanes(x, y, right, down int64) (out []int64) {
	for j := range y {
		for i := range x {
			out = append(out, i*right+j*down)
		}
	}
	return out
}

// runs are groups or iterations from 0 on.
func run(count, stride int64) Run { return Run{Step: 1, Count: count, Stride: stride} }

// access makes an access to 4-byte elements of array i, with a part for each list of lanes.
func access(i int, store bool, gx, gy Run, loops []Run, lanes ...[]int64) *Access {
	a := &Access{Array: i, Store: store, Width: 4}
	for _, l := range lanes {
		a.Parts = append(a.Parts, Part{Lanes: l, Groups: [3]Run{gx, gy, run(1, 0)}, Loops: loops, Times: 1})
	}
	return a
}

func shifted(lanes []int64, by int64) (out []int64) {
	for _, x := range lanes {
		out = append(out, x+by)
	}
	return out
}

// programs are access patterns of kernels: n rows of n floats, in groups of 16×16 work-items unless noted.
func programs(n int64) map[string]*Launch {
	g, row := n/16, 4*n
	square := lanes(16, 16, 4, row)
	square2 := func(i int, store bool) *Access { return access(i, store, run(g, 64), run(g, 16*row), nil, square) }
	arrays := func(k int) (out []Array) {
		for range k {
			out = append(out, Array{Bytes: n * row})
		}
		return out
	}
	two := [3]int64{g, g, 1}
	var taps []Step
	for _, at := range []int64{-row, -4, 0, 4, row} {
		taps = append(taps, access(0, false, run(g, 64), run(g, 16*row), nil, shifted(square, at+row+4)))
	}
	return map[string]*Launch{
		"copy":     {Groups: two, Arrays: arrays(2), Body: []Step{square2(0, false), square2(1, true)}},
		"in place": {Groups: two, Arrays: arrays(1), Body: []Step{square2(0, false), square2(0, true)}},
		"transpose": {Groups: two, Arrays: arrays(2), Body: []Step{
			access(0, false, run(g, 16*row), run(g, 64), nil, lanes(16, 16, row, 4)), square2(1, true),
		}},
		"stencil": {Groups: two, Arrays: []Array{{Bytes: (n + 2) * row}, {Bytes: n * row}}, Body: append(taps, square2(1, true))},
		"product": {Groups: two, Arrays: arrays(3), Body: []Step{
			&Loop{Body: []Step{
				access(0, false, run(g, 0), run(g, 16*row), []Run{run(n, 4)}, lanes(16, 16, 0, row)),
				access(1, false, run(g, 64), run(g, 0), []Run{run(n, row)}, lanes(16, 16, 4, 0)),
			}},
			square2(2, true),
		}},
		"tiled product": {Groups: two, Arrays: arrays(3), Body: []Step{
			&Loop{Body: []Step{
				access(0, false, run(g, 0), run(g, 16*row), []Run{run(g, 64)}, square),
				access(1, false, run(g, 64), run(g, 0), []Run{run(g, 16*row)}, square),
			}},
			square2(2, true),
		}},
		"sums of rows": {Groups: [3]int64{n / 128, 1, 1}, Arrays: []Array{{Bytes: n * row}, {Bytes: row}}, Body: []Step{
			&Loop{Body: []Step{access(0, false, run(n/128, 128*row), run(1, 0), []Run{run(n, 4)}, lanes(128, 1, row, 0))}},
			access(1, true, run(n/128, 512), run(1, 0), nil, lanes(128, 1, 4, 0)),
		}},
		"sums of columns, twice": {Groups: [3]int64{n / 128, 1, 1}, Arrays: []Array{{Bytes: n * row}, {Bytes: row}}, Body: []Step{
			&Loop{Body: []Step{access(0, false, run(n/128, 512), run(1, 0), []Run{run(n, row)}, lanes(128, 1, 4, 0))}},
			&Loop{Body: []Step{access(0, false, run(n/128, 512), run(1, 0), []Run{run(n, row)}, lanes(128, 1, 4, 0))}},
			access(1, true, run(n/128, 512), run(1, 0), nil, lanes(128, 1, 4, 0)),
		}},
		"strides of three": {Groups: [3]int64{n * g / 16, 1, 1}, Arrays: []Array{{Bytes: 3 * n * row}, {Bytes: n * row}}, Body: []Step{
			access(0, false, run(n*g/16, 3*1024), run(1, 0), nil, lanes(256, 1, 12, 0)),
			access(1, true, run(n*g/16, 1024), run(1, 0), nil, lanes(256, 1, 4, 0)),
		}},
		"two parts": {Groups: [3]int64{n * g / 16, 1, 1}, Arrays: []Array{{Bytes: n*row + 64}, {Bytes: n * row}}, Body: []Step{
			&Loop{Body: []Step{&Access{Array: 0, Width: 4, Parts: []Part{
				{Lanes: lanes(256, 1, 4, 0), Groups: [3]Run{run(n*g/16, 1024), run(1, 0), run(1, 0)}, Loops: []Run{{Step: 1, Count: 1, Stride: 1024}}, Times: 1},
				{Lanes: shifted(lanes(16, 1, 4, 0), 1024), Groups: [3]Run{run(n*g/16, 1024), run(1, 0), run(1, 0)}, Loops: []Run{{First: 1, Step: 1, Count: 1, Stride: 1024}}, Times: 1},
			}}}},
			access(1, true, run(n*g/16, 1024), run(1, 0), nil, lanes(256, 1, 4, 0)),
		}},
	}
}

// TestFootprint compares footprints of whole launches with the distinct units that they touch.
func TestFootprint(t *testing.T) {
	for _, n := range []int64{64, 128} {
		for name, l := range programs(n) {
			l.prepare()
			for _, unit := range []int64{WordBytes, SectorBytes, fetchBytes, LineBytes} {
				for _, which := range []direction{loads, stores, loads | stores} {
					touched := map[int64]bool{}
					l.run(l.all(), 1, func(a *Access, at int64) {
						if a.direction()&which != 0 {
							touched[intmath.FloorDiv(at, unit)] = true
						}
					})
					whole := window{groups: [3]span{{0, l.Groups[0]}, {0, l.Groups[1]}, {0, l.Groups[2]}}}
					if got, want := l.footprint(l.Body, &whole, which, unit), float64(len(touched)); math.Abs(got-want) > max(1, 0.005*want) {
						t.Errorf("%s of %d: %g units of %d bytes (%d), want %g", name, n, got, unit, which, want)
					}
				}
			}
		}
	}
}

// TestL2 compares misses with those of a simulated cache that holds what was used last, for caches that hold all, a little, or something
// between. Where one access of all groups at once hardly fits, the simulated cache loses what neighbours need, since it has all groups make an
// access before any makes the next.
func TestL2(t *testing.T) {
	cases, off := 0, 0
	for _, n := range []int64{128, 256} {
		for name, l := range programs(n) {
			if n == 256 && strings.Contains(name, "product") {
				continue // takes long
			}
			for _, bytes := range []int64{32 << 10, 128 << 10, 512 << 10, 4 << 20} {
				for _, atOnce := range []int{4, 32} {
					sim := newLRU(bytes, SectorBytes, SectorBytes)
					loaded := map[int64]bool{}
					misses := 0.0
					l.run(l.all(), atOnce, func(a *Access, at int64) {
						before := sim.misses
						sim.touch(at)
						if !a.Store {
							misses += float64(sim.misses - before)
							loaded[intmath.FloorDiv(at, SectorBytes)] = true
						}
					})
					l.prepare()
					c := cache{Launch: l, bytes: float64(bytes), line: SectorBytes, holds: loads | stores, asks: loads, fetch: SectorBytes}
					total := l.Groups[0] * l.Groups[1] * l.Groups[2]
					got := max(c.waves(total, min(int64(atOnce), total), l.consecutive), float64(len(loaded)))
					cases++
					switch e := math.Abs(got/misses - 1); {
					case e > 0.4:
						t.Errorf("%s of %d, %d KB, %d groups at once: %.0f misses, a simulated cache has %.0f (%.2f)", name, n, bytes>>10, atOnce, got, misses, got/misses)
					case e > 0.1:
						off++
					}
				}
			}
		}
	}
	if 20*off > cases {
		t.Errorf("%d of %d are off by more than 10 %%", off, cases)
	}
}
