package launch

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/launch/machine"
)

// parts says which parts of a program do what, while it is walked: package machine matches them to the loops of machine code.
type parts struct {
	whole *part
	at    map[node]*part
	moved []int64 // so far, as that of amounts
}

// part is the whole program, or a loop or a guard of it, with what the walk counts there.
type part struct {
	loop   *loop // nil for others
	inner  []*part
	done   amounts
	trips  map[trips]int64 // of a loop: how often sub-groups make them
	tested int64           // sub-groups that get to a guard
	passed int64           // those of them of which some work-items pass it
}

// trips are iterations of a loop that a sub-group makes, after so many that it has made with further work-items.
type trips struct{ after, count int64 }

// amounts are what sub-groups do.
type amounts struct {
	issued   [issueKinds]int64
	barriers int64
	moved    []int64 // bytes that a work-item loads, then those that it stores, by arrays
}

// newParts makes a part for each loop and guard.
func (p *Program) newParts() *parts {
	all := &parts{at: map[node]*part{}, moved: make([]int64, 2*len(p.arrays))}
	all.whole = all.add(nil, p.body)
	all.whole.tested, all.whole.passed = 1, 1
	return all
}

func (all *parts) add(l *loop, body []node) *part {
	p := &part{loop: l, trips: map[trips]int64{}, done: amounts{moved: make([]int64, len(all.moved))}}
	for _, n := range body {
		switch x := n.(type) {
		case *guard:
			all.at[n] = all.add(nil, x.body)
		case *loop:
			all.at[n] = all.add(x, x.body)
		default:
			continue
		}
		p.inner = append(p.inner, all.at[n])
	}
	return p
}

// parts are those of the walk, nil where nobody asks for them.
func (w *walk) parts() *parts {
	if w.stream == nil {
		return nil
	}
	return w.stream.parts
}

// soFar is what the walk has counted.
func (w *walk) soFar() amounts {
	return amounts{w.issued, w.sum[warpBarriers], slices.Clone(w.parts().moved)}
}

// add adds n times what another did.
func (a *amounts) add(o *amounts, n int64) {
	a.barriers += n * o.barriers
	for i, x := range o.issued {
		a.issued[i] += n * x
	}
	for i, x := range o.moved {
		a.moved[i] += n * x
	}
}

// enterPart begins a loop or a guard; the function that it returns ends it.
func (w *walk) enterPart(n node) (leave func()) {
	if w.parts() == nil {
		return func() {}
	}
	p, before := w.parts().at[n], w.soFar()
	return func() {
		now := w.soFar()
		p.done.add(&now, 1)
		p.done.add(&before, -1)
	}
}

// iterates notes the iterations of a loop over a box.
func (w *walk) iterates(l *loop, st *state) {
	if n := st.n[l.slot]; w.parts() != nil && n > 0 {
		w.parts().at[l].trips[trips{int64(st.parts[l.slot]), n}] += st.count() * int64(len(st.mask.warps)) / n
	}
}

// passes notes the sub-groups that get to a guard, and of which some work-items pass it.
func (w *walk) passes(g *guard, st, inner *state) {
	if w.parts() != nil {
		p := w.parts().at[g]
		p.tested += st.count() * int64(len(st.mask.warps))
		p.passed += inner.count() * int64(len(inner.mask.warps))
	}
}

// moves notes n accesses by sub-groups, of so many bytes for a work-item.
func (w *walk) moves(array int, write bool, n, bytes int64) {
	if w.parts() == nil {
		return
	}
	if write {
		array += len(w.p.arrays)
	}
	w.parts().moved[array] += n * bytes
}

// shape is the launch, for its machine code.
func (r *result) shape() *machine.Kernel {
	k := &machine.Kernel{Subgroups: float64(r.numGroups() * r.subgroups())}
	k.Work, k.Loops = r.p.opened(r.stream.parts.whole, 1)
	return k
}

// opened is the work of a part, each instruction as often as if all sub-groups passed the guards on the way to it from the loop around it: so
// it stands in machine code. Beside it are the loops of the part.
func (p *Program) opened(x *part, times float64) (all machine.Work, loops []*machine.Loop) {
	own := p.workOf(&x.done)
	all = machine.Work{}
	for _, i := range x.inner {
		own = own.Plus(p.workOf(&i.done), -1)
		if i.loop == nil {
			work, further := p.opened(i, times*float64(max(i.tested, 1))/float64(max(i.passed, 1)))
			all, loops = all.Plus(work, 1), append(loops, further...)
			continue
		}
		l := &machine.Loop{Name: i.loop.iname, Fixed: i.loop.trips > 0}
		l.Work, l.Inner = p.opened(i, 1)
		for _, t := range slices.SortedFunc(maps.Keys(i.trips), func(a, b trips) int { return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.count, b.count)) }) {
			l.Trips = append(l.Trips, machine.Trips{After: t.after, Count: t.count, Times: float64(i.trips[t])})
		}
		all, loops = all.Plus(l.Work, 1), append(loops, l)
	}
	for key, n := range own {
		own[key] = max(n, 0) // below 0 where an inner part tells more kinds than the whole
	}
	return all.Plus(own, times), loops
}

// workOf is what was counted, in the units of machine code.
func (p *Program) workOf(a *amounts) machine.Work {
	w := machine.Work{}
	put := func(key machine.Key, n int64) {
		if n > 0 {
			w[key] += float64(n)
		}
	}
	for i, n := range a.moved {
		array, key := p.arrays[i%len(p.arrays)], machine.Key{Action: machine.Load}
		if i >= len(p.arrays) {
			key.Action = machine.Store
		}
		if key.Space = string(array.Space); array.Space == kernel.Global {
			key.Array = array.Name
		}
		put(key, n)
	}
	put(machine.Key{Space: machine.Barriers}, a.barriers)
	sum := func(kinds ...issue) (n int64) {
		return lists.Sum(kinds, func(k issue) int64 { return a.issued[k] })
	}
	special := sum(issueDivide, issueDivideDouble, issueRoot, issueRootDouble, issueFunction)
	put(machine.Key{Space: machine.Special}, special)
	if special+sum(issueFunctionDouble, issuePower, issuePeriodic, issueConvert, issueConvertDouble, issueDivideInteger) == 0 {
		put(machine.Key{Space: machine.Integers}, sum(issueInteger, issueProduct))
		put(machine.Key{Space: machine.Half}, a.issued[issueHalf])
		put(machine.Key{Space: machine.Single}, a.issued[issueSingle])
		put(machine.Key{Space: machine.Double}, a.issued[issueDouble])
	}
	return w
}
