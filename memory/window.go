package memory

import (
	"cmp"
	"slices"
)

// span is a range of groups or iterations, to excluded.
type span struct{ from, to int64 }

// window is a part of an execution: a box of work-groups, or those listed in the order in which they start, in consecutive iterations of the outermost loops. Loops inside
// of these run wholly.
type window struct {
	groups [3]span
	list   [][3]int64 // nil for a box
	trips  []span
}

// has is the number of listed groups that are of a part.
func (w *window) has(p *Part) (n int64) {
	first, last := [3]int64{}, [3]int64{}
	for axis, r := range p.Groups {
		first[axis], last[axis] = r.First, r.First+(r.Count-1)*max(r.Step, 1)
	}
	at, _ := slices.BinarySearchFunc(w.list, first, inOrder)
	for _, g := range w.list[at:] {
		if inOrder(g, last) > 0 {
			break
		}
		if p.has(g) {
			n++
		}
	}
	return n
}

// inOrder compares groups by their places in the order in which they start.
func inOrder(a, b [3]int64) int {
	for axis := 2; axis > 0; axis-- {
		if a[axis] != b[axis] {
			return cmp.Compare(a[axis], b[axis])
		}
	}
	return cmp.Compare(a[0], b[0])
}

// has reports whether the part takes place in a group.
func (p *Part) has(group [3]int64) bool {
	for axis, r := range p.Groups {
		d, step := group[axis]-r.First, max(r.Step, 1)
		if d < 0 || d > (r.Count-1)*step || step > 1 && d%step != 0 {
			return false
		}
	}
	return true
}

// weighted is a window, and how much it counts in an average.
type weighted struct {
	window
	weight float64
}

// mean is the average of f over windows.
func mean(list []weighted, f func(*window) float64) (sum float64) {
	for i := range list {
		sum += list[i].weight * f(&list[i].window)
	}
	return sum
}

// whole is the window of all work-groups.
func (l *Launch) whole() window {
	return window{groups: [3]span{{0, l.Groups[0]}, {0, l.Groups[1]}, {0, l.Groups[2]}}}
}

// consecutive are windows of n consecutive work-groups in the middle of the launch. Where that is no whole number of rows or planes, they
// are the next smaller and greater ones.
func (l *Launch) consecutive(n int64) []weighted {
	box := func(x, y, z int64) window {
		var w window
		for axis, k := range [3]int64{x, y, z} {
			from := (l.Groups[axis] - k) / 2
			w.groups[axis] = span{from, from + k}
		}
		return w
	}
	between := func(unit int64, f func(int64) window) []weighted {
		k, rest := n/unit, n%unit
		if rest == 0 {
			return []weighted{{f(k), 1}}
		}
		part := float64(rest) / float64(unit)
		return []weighted{{f(k), 1 - part}, {f(k + 1), part}}
	}
	row, plane := l.Groups[0], l.Groups[0]*l.Groups[1]
	switch {
	case n <= row:
		return []weighted{{box(n, 1, 1), 1}}
	case n <= plane:
		return between(row, func(k int64) window { return box(row, k, 1) })
	}
	return between(plane, func(k int64) window { return box(row, l.Groups[1], k) })
}

// dealt are windows of n work-groups that one multiprocessor gets one after the other, in the middle of the launch, where they are dealt
// to all in turn.
func (l *Launch) dealt(multiprocessors int64) func(n int64) []weighted {
	total := l.Groups[0] * l.Groups[1] * l.Groups[2]
	windows := map[int64][]weighted{}
	return func(n int64) []weighted {
		if w, ok := windows[n]; ok {
			return w
		}
		w := weighted{weight: 1}
		first := max(total/2-n/2*multiprocessors, (total/2)%multiprocessors)
		for i := range n {
			at := min(first+i*multiprocessors, total-1)
			w.list = append(w.list, [3]int64{at % l.Groups[0], at / l.Groups[0] % l.Groups[1], at / l.Groups[0] / l.Groups[1]})
		}
		windows[n] = []weighted{w}
		return windows[n]
	}
}
