package lower

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// life is the range of statements of a kernel, by index, in which an array must keep its values.
type life struct{ first, last int }

// reuse lets local arrays of one type share memory if their lives do not overlap and no further barrier is needed, such as the
// alternating buffers of iterate. Barriers are derived from the accesses in any case.
func (c *lowering) reuse(k *kernel.Kernel) {
	lives, firstRead, order := localLives(k)
	if len(order) < 2 {
		return
	}
	starts := map[string]int{}
	for name, l := range lives {
		lives[name] = throughLoops(k, l)
		starts[name] = l.first
	}
	// free reports whether b can be reused for an array that lives at l: after the last use of b, another array was written and
	// then read, so no further barrier is needed.
	free := func(b *kernel.Array, l life) bool {
		return slices.ContainsFunc(order, func(x *kernel.Array) bool {
			at, read := firstRead[x.Name]
			return read && starts[x.Name] > lives[b.Name].last && at < l.first
		})
	}
	size := func(a *kernel.Array) int64 { return a.Shape[0].(expr.Int).Value }
	by := map[string]string{}
	var kept []*kernel.Array
	for _, a := range order {
		l := lives[a.Name]
		i := slices.IndexFunc(kept, func(b *kernel.Array) bool { return b.DType == a.DType && free(b, l) })
		if i < 0 {
			kept = append(kept, a)
			continue
		}
		into := *kept[i]
		if size(a) > size(&into) {
			into.Shape = a.Shape
		}
		kept[i] = &into
		by[a.Name] = into.Name
		lives[into.Name] = life{lives[into.Name].first, l.last}
	}
	if len(by) == 0 {
		return
	}
	merge(k, kept, by)
}

// localLives says of the arrays in local memory, by their names, from which statement to which they are used, and which reads them first. The order is that of their
// first uses.
func localLives(k *kernel.Kernel) (lives map[string]life, firstRead map[string]int, order []*kernel.Array) {
	lives = map[string]life{}
	firstRead = map[string]int{}
	for i, s := range k.Statements {
		for _, name := range append(mentioned(s.LHS), mentioned(s.RHS)...) {
			a := k.Array(name)
			if a == nil || a.Space != kernel.Local {
				continue
			}
			l, known := lives[name]
			if !known {
				l.first = i
				order = append(order, a)
			}
			l.last = i
			lives[name] = l
			if _, known := firstRead[name]; !known && slices.Contains(mentioned(s.RHS), name) {
				firstRead[name] = i
			}
		}
	}
	return lives, firstRead, order
}

// merge declares the kept arrays alone. The others are accessed no more: by has, by their names, the array that is used instead.
func merge(k *kernel.Kernel, kept []*kernel.Array, by map[string]string) {
	for i, a := range k.Temps {
		if j := slices.IndexFunc(kept, func(b *kernel.Array) bool { return b.Name == a.Name }); j >= 0 {
			k.Temps[i] = kept[j]
		}
	}
	k.Temps = slices.DeleteFunc(k.Temps, func(a *kernel.Array) bool { return by[a.Name] != "" })
	rename := func(e expr.Expr) expr.Expr {
		if a, ok := e.(*expr.Access); ok && by[a.Array] != "" {
			b := *a
			b.Array = by[a.Array]
			return &b
		}
		return e
	}
	for i, s := range k.Statements {
		copied := *s
		copied.LHS, copied.RHS = expr.Rewrite(s.LHS, rename), expr.Rewrite(s.RHS, rename)
		k.Statements[i] = &copied
	}
}

// throughLoops extends a life over every sequential loop that contains only some of its statements, because these are executed
// in each iteration.
func throughLoops(k *kernel.Kernel, l life) life {
	for changed := true; changed; {
		changed = false
		for _, iname := range k.Inames() {
			first, last := -1, -1
			for i, s := range k.Statements {
				if slices.Contains(s.Inames, iname) {
					if first < 0 {
						first = i
					}
					last = i
				}
			}
			inside := first <= l.first && l.last <= last
			if first < 0 || k.Tags[iname].Parallel() || inside || last < l.first || first > l.last {
				continue
			}
			if next := (life{min(l.first, first), max(l.last, last)}); next != l {
				l, changed = next, true
			}
		}
	}
	return l
}
