package modelgen

import (
	"fmt"
	"slices"
)

// latencyKernels returns the measurement kernels of latency: chains of each operation, with few to many work-items, and loops of several
// lengths.
func (c *content) latencyKernels(ops []operation, opt Options) []planned {
	var out []planned
	add := func(why string, tags ...string) { out = append(out, selected(why, tags)) }
	u := opt.units()
	var items []int64
	for _, each := range []int64{1, 4, 8, 16} { // work-groups of a multiprocessor
		items = append(items, each*u*chainItems)
	}
	var done []string
	for _, o := range ops {
		if !c.hasTerm(o.delay()) || slices.Contains(done, o.delay()) {
			continue
		}
		done = append(done, o.delay())
		function, m := o.function, longChain
		if function == "" {
			function = o.measuredOp()
			if function != "div" && function != "pow" {
				m = shortChain
			}
		}
		add(fmt.Sprintf("%s of %s one after the other, with few work-items and with many", o.measuredOp(), o.dtype),
			"chain_pattern", "function:"+function, "dtype:"+string(o.dtype), fmt.Sprintf("lsize_0:%d", chainItems), "nelements:"+join(items), fmt.Sprintf("m:%d", m))
	}
	type kind struct{ shared, turns, why string }
	var kinds []kind
	if c.wait.separate { // of arrays that the second-level cache holds
		kinds = append(kinds, kind{"False", "3072,4096", "an element for each work-item"})
	}
	if c.wait.shared {
		kinds = append(kinds, kind{"True", "4096,8192", "one element for all"})
	}
	for _, t := range c.wait.dtypes {
		for _, o := range ops {
			if o.dtype != t || o.like != "" || !slices.ContainsFunc(c.wait.ops[bodyLoop], func(k chainKind) bool { return k.kind == o.kind() }) {
				continue
			}
			function, links := bodyFunction(o), "1,3"
			switch {
			case o.op == "add" && slices.ContainsFunc(ops, func(o operation) bool { return o.dtype == t && o.op == "madd" && c.hasTerm(o.delay()) }):
				continue
			case o.op == "madd", o.op == "add":
				links = "0,2,4,8,16,32"
			}
			if !slices.Contains(bodyFunctions, function) {
				continue
			}
			for _, k := range kinds {
				add(fmt.Sprintf("loops of several lengths, with %s of %s, each after a load of %s", o.op, t, k.why),
					"body_pattern", "function:"+function, "links:"+links, "shared:"+k.shared, "dtype:"+string(t),
					fmt.Sprintf("lsize_0:%d", bodyItems), fmt.Sprintf("nelements:%d", max(u/4, 2)*bodyItems), "m:"+k.turns)
			}
		}
	}
	return out
}

// bodyFunctions are the operations that body_pattern has.
var bodyFunctions = []string{"madd", "add", "exp", "rsqrt", "div"}

// Lengths of chains that take tens of microseconds.
const (
	shortChain = 16384
	longChain  = 2048
)
