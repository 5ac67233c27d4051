package launch

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// registersOf estimates the registers of 32 bits that a work-item needs: private variables where they are live, the counters
// of open loops, a pointer for each array in global memory, lids and gids in use, and the intermediate results of an
// expression (Sethi and Ullman's number). Compilers do better by scheduling and worse by unrolling; only the order of kernels
// matters.
func registersOf(n *linear.Nest) int64 {
	r := &registers{k: n.Kernel, first: map[string]int{}, last: map[string]int{}}
	r.walk(n.Body, 0)
	words := func(a *kernel.Array) int64 {
		elements := int64(1)
		for _, size := range a.Shape {
			if v, err := expr.EvalInt(size, nil); err == nil && v.IsInt64() {
				elements *= max(v.Int64(), 1)
			}
		}
		return elements * max((a.DType.Size()+3)/4, 1)
	}
	most := int64(0)
	for at := range r.steps {
		live := r.held[at]
		for _, a := range n.Kernel.Temps {
			if first, ok := r.first[a.Name]; ok && first <= at && at <= r.last[a.Name] {
				live += words(a)
			}
		}
		most = max(most, live)
	}
	fixed := int64(len(n.Names))
	for _, a := range n.Kernel.Args {
		switch {
		case a.IsValue:
			fixed++
		case a.Space == kernel.Global:
			fixed += 2
		}
	}
	return fixed + most
}

// registers collects the live ranges of private variables over the steps of the program.
type registers struct {
	k           *kernel.Kernel
	steps       int
	held        []int64 // by step: loop counters and intermediate results
	first, last map[string]int
}

func (r *registers) walk(nodes []linear.Node, depth int64) {
	for _, node := range nodes {
		switch x := node.(type) {
		case *linear.Loop:
			from := r.steps
			r.walk(x.Body, depth+1)
			// A variable that is live at the start of the loop and used in it is live to its end.
			for name, first := range r.first {
				if first < from && r.last[name] >= from {
					r.last[name] = r.steps - 1
				}
			}
		case *linear.Guard:
			r.walk(x.Body, depth)
		case *linear.Exec:
			r.use(x.Stmt)
			r.held = append(r.held, depth+max(pressure(x.Stmt.RHS), pressure(x.Stmt.LHS)))
			r.steps++
		}
	}
}

func (r *registers) use(s *kernel.Stmt) {
	note := func(list []*expr.Access) {
		for _, a := range list {
			if array := r.k.Array(a.Array); array == nil || array.Space != kernel.Private || array.IsValue {
				continue
			}
			if _, ok := r.first[a.Array]; !ok {
				r.first[a.Array] = r.steps
			}
			r.last[a.Array] = r.steps
		}
	}
	note(r.k.Reads(s))
	note(r.k.Writes(s))
}

// pressure is the number of values that an evaluation holds at once, in the best order.
func pressure(e expr.Expr) int64 {
	var args []expr.Expr
	switch x := e.(type) {
	case *expr.Op:
		args = x.Args
	case *expr.Call:
		args = x.Args
	case *expr.Access:
		args = x.Index
	case *expr.Cast:
		return pressure(x.Arg)
	case *expr.Cond:
		args = []expr.Expr{x.If, x.Then, x.Else}
	case expr.Int, expr.Float, nil:
		return 0
	default:
		return 1
	}
	most, same := int64(0), int64(0)
	for _, a := range args {
		switch p := pressure(a); {
		case p > most:
			most, same = p, 1
		case p == most && p > 0:
			same = 2 // the sum so far and the operand
		}
	}
	if same > 1 {
		most++
	}
	return max(most, 1)
}
