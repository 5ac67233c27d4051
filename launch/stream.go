package launch

import (
	"gpuperf/kernel"
	"gpuperf/memory"
	"gpuperf/samples"
)

// moved are the work-items of a mask, and how an address moves from one to the next.
type moved struct {
	mask *laneMask
	k    [lidVars]int64
}

// from is how far the address of each work-item of a mask is from the constant of the form.
func (w *walk) from(mask *laneMask, addr *form) []int64 {
	key := moved{mask, [lidVars]int64(addr.k[:lidVars])}
	list, ok := w.moved[key]
	if !ok {
		list = make([]int64, len(mask.lanes))
		for i, lane := range mask.lanes {
			for axis, at := range w.lanes[lane] {
				list[i] += addr.k[axis] * at
			}
		}
		w.moved[key] = list
	}
	return list
}

// stream collects the accesses of a walk, and what else of it package machine needs to know.
type stream struct {
	at       map[*access]*memory.Access
	observed *observed         // nil where nobody asks for it
	parts    *parts            // nil where nobody asks for them
	compiled *samples.Compiled // what the compiler made of the kernel; nil where that is not known
}

// launch is what a walk has collected.
func (s *stream) launch(r *result) *memory.Launch {
	p := r.p
	out := &memory.Launch{Groups: r.groups}
	index := map[int]int{}
	for i, a := range p.arrays {
		if a.Memory() == kernel.Global {
			index[i] = len(out.Arrays)
			out.Arrays = append(out.Arrays, memory.Array{Name: a.Name, Bytes: r.arrays[a.Name]})
		}
	}
	out.Body = s.memorySteps(p.body, index)
	loaded, stored := make([]bool, len(out.Arrays)), make([]bool, len(out.Arrays))
	memory.Each(out.Body, func(a *memory.Access) {
		loaded[a.Array], stored[a.Array] = loaded[a.Array] || !a.Store, stored[a.Array] || a.Store
	})
	for i := range out.Arrays {
		out.Arrays[i].Copied = loaded[i] && stored[i]
	}
	return out
}

// memorySteps are nodes with their accesses to global memory.
func (s *stream) memorySteps(list []node, index map[int]int) (out []memory.Step) {
	take := func(list []access) {
		for i := range list {
			if a := s.at[&list[i]]; a != nil {
				a.Array = index[list[i].array]
				out = append(out, a)
			}
		}
	}
	for _, n := range list {
		switch x := n.(type) {
		case *exec:
			take(x.accesses)
		case *guard:
			take(x.loads)
			out = append(out, s.memorySteps(x.body, index)...)
		case *loop:
			if body := s.memorySteps(x.body, index); len(body) > 0 {
				out = append(out, &memory.Loop{Body: body, Together: x.together()})
			}
		}
	}
	return out
}

// run are the values that one stands for, for which the part had its addresses.
func (s *standing) run(p *memory.Part, one memory.Run) memory.Run {
	all := s.all
	all.Stride = one.Stride
	back := (one.First - all.First) / all.Step * all.Stride
	p.From -= back
	return all
}

// add notes the executions of an access on a box: addr is the address of all work-items, or lanes has that of each.
func (s *stream) add(w *walk, a *access, st *state, u unitCount, addr *form, lanes []int64) {
	array := &w.p.arrays[a.array]
	if s == nil || array.Space != kernel.Global {
		return
	}
	to := s.at[a]
	if to == nil {
		to = &memory.Access{Store: a.write, Width: array.bytes * a.lanes}
		s.at[a] = to
	}
	if a.write {
		u = w.send(a, st, u, addr)
	}
	p := memory.Part{
		Times: float64(st.weight), Sectors: float64(u.sectors), Lines: float64(u.lines), Requests: float64(st.count() * int64(len(st.mask.warps))),
	}
	switch {
	case addr == nil:
		p.Lanes, p.Scattered = make([]int64, len(st.mask.lanes)), true
	case lanes != nil:
		p.Lanes = lanes
	default:
		p.From, p.Lanes = addr.c, w.from(st.mask, addr)
	}
	for v := lidVars; v < st.nv; v++ {
		r := memory.Run{Count: st.n[v]}
		r.First, r.Step = st.env[v].c, max(st.env[v].k[v], 1)
		if addr != nil {
			r.Stride = addr.k[v]
		}
		for _, one := range st.stands {
			if one.v == v {
				p.Times /= float64(one.all.Count)
				r = one.run(&p, r)
			}
		}
		if by := max(w.p.edit.Joined, 1) * max(w.p.edit.Wide, 1); v == lidVars {
			r.First, r.Step = r.First/by, max(r.Step/by, 1)
		}
		if v < axisVars {
			p.Groups[v-lidVars] = r
		} else {
			p.Loops = append(p.Loops, r)
		}
	}
	if n := len(to.Parts); n < w.p.opt.Boxes/crowded || !further(&to.Parts[n-1], &p) {
		to.Parts = append(to.Parts, p)
	}
}

// crowded is the part of the boxes, as so many parts of an access, beyond which parts that go on with the iterations of the one before are joined
// with it.
const crowded = 16

// further joins a part with the one after it, if that has further iterations of the same loops, by most of the same work-items, and
// takes them to be by all of these.
func further(p, next *memory.Part) bool {
	if p.Groups != next.Groups || p.Times != next.Times || len(p.Loops) != len(next.Loops) || len(p.Lanes) < len(next.Lanes) || 4*len(next.Lanes) < 3*len(p.Lanes) || p.Scattered != next.Scattered {
		return false
	}
	at := -1
	for i, r := range p.Loops {
		m := next.Loops[i]
		switch {
		case r == m:
		case at < 0 && m.First == r.First+r.Step*r.Count && m.Step == r.Step && m.Stride == r.Stride:
			at = i
		default:
			return false
		}
	}
	if at < 0 {
		return false
	}
	p.Loops[at].Count += next.Loops[at].Count
	p.Sectors, p.Lines, p.Requests = p.Sectors+next.Sectors, p.Lines+next.Lines, p.Requests+next.Requests
	return true
}
