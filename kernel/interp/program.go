package interp

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// action runs a node for the active work-items of a group.
type action func(st *state, active []int)

type program struct {
	st  *state
	mem map[string]*memory
	run action
}

func compile(n *linear.Nest, params map[string]int64, buffers map[string]*Buffer) (p *program, err error) {
	defer throw.Catch(&err)
	k := n.Kernel
	throw.If(k.Launchable())
	for _, p := range k.Params() {
		if _, ok := params[p]; !ok {
			return nil, fmt.Errorf("parameter %s has no value", p)
		}
	}
	if a := k.Assumptions; a != nil {
		if in, err := a.Contains(params); err != nil {
			return nil, err
		} else if !in {
			return nil, fmt.Errorf("the sizes %v break the assumption %s", params, a)
		}
	}
	st := &state{local: n.Local, runs: make([]int64, len(k.Statements))}
	total := n.Local[0] * n.Local[1] * n.Local[2]
	st.groups = throw.Get(n.GroupsAt(params))
	if total > 1<<16 {
		return nil, fmt.Errorf("a work-group of %d work-items is too large", total)
	}
	work := total
	for _, g := range st.groups { // numbers of work-items and groups are kept in 32 bits
		if g > 0 && work > math.MaxInt32/g {
			return nil, fmt.Errorf("a launch of %v work-groups of %d work-items is too large to interpret", st.groups, total)
		}
		work *= max(g, 1)
	}
	st.items = int(total)
	st.frames = make([][]int64, st.items)
	for i := range st.frames {
		st.frames[i] = make([]int64, n.Slots())
	}
	st.at(0)
	c := &compiler{k: k, nest: n, mem: map[string]*memory{}}
	for _, p := range k.Params() {
		c.params = append(c.params, params[p])
	}
	for _, a := range slices.Concat(k.Args, k.Temps) {
		if _, isParam := n.Slot(a.Name); isParam {
			continue
		}
		m := allocate(k, a, st, params, buffers)
		c.mem[a.Name] = m
	}
	b := &builder{c, st, map[string]int{}}
	for i, s := range k.Statements {
		b.index[s.ID] = i
	}
	run := b.body(n.Body)
	return &program{st, c.mem, run}, nil
}

// allocate finds or makes the memory of a variable.
func allocate(k *kernel.Kernel, a *kernel.Array, st *state, params map[string]int64, buffers map[string]*Buffer) *memory {
	m, need := layout(a, params)
	given, ok := buffers[a.Name]
	if sparse := ok && given.sparse != nil; need < 0 || need > 1<<30 && !sparse {
		panic(throw.Errorf("%s would have %d elements", a.Name, need))
	}
	m.size = need
	switch {
	case a.Space == kernel.Private && !a.IsValue:
		m.size *= a.DType.Lanes() // kept lane by lane
		m.buf = NewBuffer(a.DType.Base(), int(m.size)*st.items)
		st.scratch = append(st.scratch, m)
		return m
	case a.Space == kernel.Local:
		m.buf = NewBuffer(a.DType, int(need))
		st.scratch = append(st.scratch, m)
	case ok:
		if given.DType != a.DType {
			panic(throw.Errorf("%s is %s, and its buffer %s", a.Name, a.DType, given.DType))
		}
		if int64(given.Len()) < need {
			panic(throw.Errorf("%s needs %d elements, and its buffer has %d", a.Name, need, given.Len()))
		}
		m.buf = given
	case a.Contents != nil:
		m.buf = NewBuffer(a.DType, int(need))
		for i, v := range a.Contents[:min(len(a.Contents), int(need))] {
			if a.DType.IsFloat() {
				m.buf.Set(i, v)
			} else {
				m.buf.SetInt(i, int64(v))
			}
		}
	case k.IsTemp(a.Name):
		m.buf = NewBuffer(a.DType, int(need))
	default:
		panic(throw.Errorf("argument %s has no buffer", a.Name))
	}
	if !a.IsValue && m.buf.sparse == nil {
		m.marks = make([]mark, need)
	}
	return m
}

// layout is the memory of an array without its elements, and how many these are.
func layout(a *kernel.Array, params map[string]int64) (m *memory, need int64) {
	m = &memory{array: a}
	eval := func(e expr.Expr) (int64, error) {
		v, err := expr.EvalInt(e, params)
		if err == nil && !v.IsInt64() {
			err = expr.ErrTooLarge
		}
		if err != nil {
			return 0, err
		}
		return v.Int64(), nil
	}
	strides, err := a.Strides()
	throw.If(err)
	need = 1
	count := int64(1)
	for i, e := range a.Shape {
		extent, err := eval(e)
		if err != nil {
			panic(throw.Errorf("shape of %s: %w", a.Name, err))
		}
		stride, err := eval(strides[i])
		if err != nil {
			panic(throw.Errorf("stride of %s: %w", a.Name, err))
		}
		m.shape, m.strides = append(m.shape, extent), append(m.strides, stride)
		need += (extent - 1) * stride
		count *= max(extent, 0)
	}
	if count == 0 {
		need = 0
	}
	if a.Offset != nil {
		if m.offset, err = eval(a.Offset); err != nil {
			panic(throw.Errorf("offset of %s: %w", a.Name, err))
		}
		need += m.offset
	}
	return m, need
}

type builder struct {
	*compiler
	st    *state
	index map[string]int
}

func (b *builder) body(nodes []linear.Node) action {
	var list []action
	for _, node := range nodes {
		a := b.node(node)
		list = append(list, a)
	}
	return func(st *state, active []int) {
		for _, a := range list {
			a(st, active)
		}
	}
}

func (b *builder) node(node linear.Node) action {
	switch x := node.(type) {
	case *linear.Exec:
		run, err := b.assign(x.Stmt)
		if err != nil {
			panic(throw.Errorf("statement %s: %w", x.Stmt.ID, err))
		}
		id, index := x.Stmt.ID, b.index[x.Stmt.ID]
		return func(st *state, active []int) {
			st.stmt = id
			st.run++
			st.spend(len(active))
			for _, i := range active {
				st.at(i)
				run(st)
			}
			st.runs[index] += int64(len(active))
			st.stmt = ""
		}
	case *linear.Barrier:
		return func(st *state, active []int) {
			if len(active) == 0 {
				return
			}
			if len(active) < st.items {
				missing := 0
				for missing < len(active) && active[missing] == missing {
					missing++
				}
				st.at(active[0])
				st.fail(nil, "barrier on %s memory (%s) is not reached by work-item %s of the group", x.Space, x.Why, st.name(missing))
			}
			st.barriers++
			st.localEpoch++ // a barrier on global memory orders both
			if x.Space == kernel.Global {
				st.globalEpoch++
			}
		}
	case *linear.Guard:
		return b.guard(x)
	case *linear.Loop:
		return b.loop(x)
	}
	panic(throw.Errorf("unknown node %T", node))
}

func (b *builder) guard(g *linear.Guard) action {
	body := b.body(g.Body)
	var tests []func(*state) bool
	for _, c := range g.Conds {
		v := b.affine(c.Affine)
		if c.Equality {
			tests = append(tests, func(st *state) bool { return v(st) == 0 })
		} else {
			tests = append(tests, func(st *state) bool { return v(st) >= 0 })
		}
	}
	for _, p := range g.Predicates {
		t, err := throw.Value(func() func(*state) bool { return b.truth(p) })
		if err != nil {
			panic(throw.Errorf("condition %s: %w", p, err))
		}
		tests = append(tests, t)
	}
	return func(st *state, active []int) {
		var left []int
		st.run++
		for _, i := range active {
			st.at(i)
			if !slices.ContainsFunc(tests, func(t func(*state) bool) bool { return !t(st) }) {
				left = append(left, i)
			}
		}
		if len(left) > 0 {
			body(st, left)
		}
	}
}

func (b *builder) loop(l *linear.Loop) action {
	body := b.body(l.Body)
	lower := b.bounds(l.Lower)
	upper := b.bounds(l.Upper)
	slot, _ := b.nest.Slot(l.Iname)
	return func(st *state, active []int) {
		first, last := make([]int64, len(active)), make([]int64, len(active))
		for n, i := range active {
			st.at(i)
			first[n], last[n] = math.MinInt64, math.MaxInt64
			for _, b := range lower {
				first[n] = max(first[n], -intmath.FloorDiv(-b.num(st), b.den))
			}
			for _, b := range upper {
				last[n] = min(last[n], intmath.FloorDiv(b.num(st), b.den))
			}
		}
		st.open = append(st.open, l)
		running := slices.Clone(active)
		for t := int64(0); ; t++ {
			running = running[:0]
			for n, i := range active {
				if v := first[n] + t*l.Step; v <= last[n] {
					st.frames[i][slot] = v
					running = append(running, i)
				}
			}
			if len(running) == 0 {
				break
			}
			st.spend(len(running))
			body(st, running)
		}
		st.open = st.open[:len(st.open)-1]
	}
}

type bound struct {
	num func(*state) int64
	den int64
}

func (b *builder) bounds(list []polycount.Bound) []bound {
	var out []bound
	for _, x := range list {
		num := b.affine(x.Num)
		out = append(out, bound{num, x.Den})
	}
	return out
}
