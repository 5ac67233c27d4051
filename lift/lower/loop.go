package lower

import (
	"fmt"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
	"gpuperf/polycount"
)

// loop is a map or reduction over n elements. Its variable v is an expression over inames; loops with a single iteration have
// no iname.
type loop struct {
	op     lift.Op
	dim    int
	n      int64
	v      string
	inames []string
	tags   map[string]kernel.Tag
	domain []polycount.Constraint
	unroll bool
	// slot counts the elements that one work-item or group takes; lid is the local index.
	slot, lid       polycount.Affine
	slots, lids     int64
	slotVar, lidVar string
	// bounds are the variables with the first element and the end of a loop between computed indices, and average how far they are apart.
	bounds  []string
	average kernel.Average
}

// axisNames name the inames of loops.
var axisNames = map[lift.Op]string{lift.MapGlb: "glb", lift.MapWrg: "wrg", lift.MapLcl: "lcl"}

// Extents are the lengths of the longest parallel maps of a term, by dimension.
type Extents struct{ Glb, Wrg, Lcl [3]int64 }

// ExtentsOf finds them at sizes.
func ExtentsOf(t *lift.Term, sizes map[string]int64) (e Extents) {
	to := map[lift.Op]*[3]int64{lift.MapGlb: &e.Glb, lift.MapWrg: &e.Wrg, lift.MapLcl: &e.Lcl}
	lift.Walk(t, lift.ParallelMaps, func(t *lift.Term) {
		longest := &to[t.Op][t.Ints[0]]
		if n, err := t.Arg().Type.Len.Eval(sizes); err == nil {
			*longest = max(*longest, n)
		}
	})
	return e
}

// inferRange infers the parts of the ND-range that the options leave open.
func (c *lowering) inferRange(longest Extents) {
	for d := range 3 {
		glb, wrg, lcl := longest.Glb[d], longest.Wrg[d], longest.Lcl[d]
		local, global := &c.opt.Local[d], &c.opt.Global[d]
		if *local == 0 {
			switch {
			case lcl > 0:
				*local = lcl
			case glb > 0 && d == 0:
				*local = min(64, glb)
			default:
				*local = 1
			}
			if *global > 0 {
				*local = intmath.GCD(*global, *local)
			}
		}
		if *global == 0 {
			*global = *local * max(1, wrg, intmath.CeilDiv(glb, *local))
		}
	}
}

// open checks the nesting of a loop and opens it. It returns the variable as an index; close ends the loop.
func (c *lowering) open(op lift.Op, dim int, n int64) index {
	c.checkNesting(op, dim)
	if len(c.loops) == 0 {
		c.phase++
	}
	l := &loop{op: op, dim: dim, n: n, tags: map[string]kernel.Tag{}, slots: 1, lids: 1}
	l.unroll = op == lift.MapSeqUnroll || op == lift.ReduceSeqUnroll
	c.loops = append(c.loops, l)
	c.all = append(c.all, l)
	sum := c.shared(l)
	if n == 1 {
		return constant(0)
	}
	l.v = c.variable(n, sum)
	if l.slots > 1 {
		l.slotVar = c.variable(l.slots, l.slot)
	}
	if l.lids > 1 && lift.ParallelMaps.Has(op) && op != lift.MapWrg {
		l.lidVar = c.variable(l.lids, l.lid)
	}
	return c.affine(polycount.Name(l.v))
}

// shared gives a loop the inames that share its iterations, and returns the number of the iteration by them.
func (c *lowering) shared(l *loop) polycount.Affine {
	sum := polycount.Int(0)
	last := int64(0) // of the values that the inames can give
	// iname adds count values of an iname that are step apart, and returns it.
	iname := func(name string, count, step int64, tag kernel.Tag) polycount.Affine {
		last += (count - 1) * step
		if count == 1 {
			return polycount.Int(0)
		}
		x := c.iname(l, name, count, tag)
		sum = sum.Add(x.Scale(step))
		return x
	}
	n, local, groups := l.n, c.opt.Local[l.dim], c.opt.Global[l.dim]/max(c.opt.Local[l.dim], 1)
	group, item := kernel.Tag{Kind: kernel.GroupAxis, Axis: l.dim}, kernel.Tag{Kind: kernel.LocalAxis, Axis: l.dim}
	base := "i"
	if name := axisNames[l.op]; name != "" {
		base = fmt.Sprintf("%s%d", name, l.dim)
	}
	switch l.op {
	case lift.MapGlb:
		l.lids = min(local, n)
		iname(base+"_g", min(groups, intmath.CeilDiv(n, local)), local, group)
		l.lid = iname(base+"_l", l.lids, 1, item)
		l.slots = intmath.CeilDiv(n, local*groups)
		l.slot = iname(base+"_s", l.slots, local*groups, kernel.Tag{})
	case lift.MapWrg:
		iname(base+"_g", min(groups, n), 1, group)
		l.slots = intmath.CeilDiv(n, groups)
		l.slot = iname(base+"_s", l.slots, groups, kernel.Tag{})
	case lift.MapLcl:
		l.lids = min(local, n)
		l.lid = iname(base+"_l", l.lids, 1, item)
		l.slots = intmath.CeilDiv(n, local)
		l.slot = iname(base+"_s", l.slots, local, kernel.Tag{})
	default:
		tag := kernel.Tag{}
		if l.unroll {
			tag.Kind = kernel.Unroll
		}
		iname(base, n, 1, tag)
	}
	if last >= n {
		l.domain = append(l.domain, polycount.GE(polycount.Int(n-1), sum))
	}
	return sum
}

// iname adds an iname with values from 0 to a loop.
func (c *lowering) iname(l *loop, name string, count int64, tag kernel.Tag) polycount.Affine {
	name = c.fresh(name)
	l.inames = append(l.inames, name)
	l.tags[name] = tag
	c.spans[name] = span{0, count - 1}
	x := polycount.Name(name)
	l.domain = append(l.domain, polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(count-1), x))
	return x
}

// variable makes a variable with values 0 .. n-1 for an expression over inames.
func (c *lowering) variable(n int64, a polycount.Affine) string {
	name := c.fresh("v")
	c.spans[name] = span{0, n - 1}
	c.affines[name] = a
	c.exprs[name] = expr.FromAffine(fitting(a))
	return name
}

func (c *lowering) close() {
	c.loops = c.loops[:len(c.loops)-1]
	if len(c.loops) == 0 {
		c.phase++
	}
}

// checkNesting rejects nestings of maps that OpenCL cannot express: mapLcl must be within mapWrg of its dimension, no map
// within another of its kind and dimension, and mapGlb not together with the others.
func (c *lowering) checkNesting(op lift.Op, dim int) {
	if !lift.ParallelMaps.Has(op) {
		return
	}
	group := false
	for _, l := range c.loops {
		switch {
		case !lift.ParallelMaps.Has(l.op):
		case l.op == op && l.dim == dim:
			fail("%s(%d) cannot be inside %s(%d)", op, dim, op, dim)
		case l.op == lift.MapGlb && op != lift.MapGlb || l.op != lift.MapGlb && op == lift.MapGlb:
			fail("%s(%d) cannot be inside %s(%d)", op, dim, l.op, l.dim)
		case l.op == lift.MapLcl && op == lift.MapWrg:
			fail("mapWrg(%d) cannot be inside mapLcl(%d)", dim, l.dim)
		case l.op == lift.MapWrg && l.dim == dim:
			group = true
		}
	}
	if op == lift.MapLcl && !group {
		fail("mapLcl(%d) must be inside mapWrg(%d)", dim, dim)
	}
}

// inGroup reports whether a mapWrg is open.
func (c *lowering) inGroup() bool {
	return slices.ContainsFunc(c.loops, func(l *loop) bool { return l.op == lift.MapWrg })
}

func (c *lowering) openInames() []string {
	out := lists.Flat(c.loops, func(l *loop) []string { return l.inames })
	slices.Sort(out)
	return out
}

// slot is the slot of the current work-item for the element i of a distributed dimension: i must be the variable of a mapLcl
// that assigns this element to it.
func (c *lowering) slot(i index, o *owner, b *buffer) index {
	for _, l := range c.loops {
		if l.op != lift.MapLcl || l.dim != o.dim || l.n != o.n {
			continue
		}
		if o.n == 1 && i.isConstant() || i.e == nil && l.v != "" && i.a.Equal(polycount.Name(l.v)) {
			if l.slotVar == "" {
				return constant(0)
			}
			return c.affine(polycount.Name(l.slotVar))
		}
	}
	fail("the element %s of %s is private to another work-item: mapLcl(%d) over %d elements assigned it", i.expr(), b.name, o.dim, o.n)
	return index{}
}
