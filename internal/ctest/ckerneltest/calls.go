package ckerneltest

import (
	"fmt"
	"math"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/cvalue"
	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
)

// dimension is the value of a function or variable of the language for the axis of a launch.
func (m *machine) dimension(name string, axis int) (values, bool) {
	if axis < 0 || axis > 2 {
		panic(failure(name + " of an axis that is not 0, 1 or 2"))
	}
	l := m.launch
	grid := known // of the numbers of groups
	if l.Symbolic[axis] {
		grid = param
	}
	group := number{i: m.group[axis], form: index}
	if l.Groups[axis] == 1 && !l.Symbolic[axis] {
		group.form = known
	}
	item := func(i int) number {
		n := number{form: index, axes: 1 << axis}
		switch axis {
		case 0:
			n.i = int64(i) % l.Local[0]
		case 1:
			n.i = int64(i) / l.Local[0] % l.Local[1]
		default:
			n.i = int64(i) / l.Local[0] / l.Local[1]
		}
		if l.Local[axis] == 1 {
			n = number{}
		}
		return n
	}
	var of func(i int) number
	switch name {
	case "get_local_id", "threadIdx":
		of = item
	case "get_group_id", "blockIdx":
		of = func(int) number { return group }
	case "get_global_id":
		of = func(i int) number {
			n := item(i)
			n.i += group.i * l.Local[axis]
			n.form = max(n.form, group.form)
			return n
		}
	case "get_local_size", "get_enqueued_local_size", "blockDim":
		of = func(int) number { return number{i: l.Local[axis]} }
	case "get_num_groups", "gridDim":
		of = func(int) number { return number{i: l.Groups[axis], form: grid} }
	case "get_global_size":
		of = func(int) number { return number{i: l.Groups[axis] * l.Local[axis], form: grid} }
	case "get_global_offset":
		of = func(int) number { return number{} }
	default:
		return values{}, false
	}
	return m.each(expr.Int32, of), true
}

// builtin is threadIdx.x and the like.
func (m *machine) builtin(x *cfront.Member) values {
	if ref, ok := x.X.(*cfront.Ref); ok {
		if v, ok := m.dimension(ref.Var.Name, strings.Index("xyz", x.Name)); ok {
			v.t = x.DType
			return v
		}
	}
	panic(failure("member " + x.Name))
}

// nothing are functions that only order accesses, or say something to the compiler.
var nothing = map[string]bool{
	"__syncwarp": true, "mem_fence": true, "__threadfence": true, "__threadfence_block": true, "sub_group_barrier": true, "__builtin_assume": true,
}

var barriers = map[string]bool{"barrier": true, "work_group_barrier": true, "__syncthreads": true}

func (m *machine) call(x *cfront.Call, mask []bool) values {
	if f := m.launch.File.Function(x.Func); f != nil {
		return m.user(f, x, mask)
	}
	none := values{lanes: 1, v: make([]number, m.items)}
	switch {
	case barriers[x.Func]:
		m.barrier(mask)
		return none
	case nothing[x.Func]:
		return none
	case strings.HasPrefix(x.Func, "atom"):
		return m.atomic(x, mask)
	case strings.HasPrefix(x.Func, "__shfl"):
		return m.shuffle(x, mask)
	case strings.HasPrefix(x.Func, "vload"):
		return m.load(m.vectorAt(x.Args[0], x.Args[1], x.DType.Lanes(), mask), x.DType, mask, x.Pos)
	case strings.HasPrefix(x.Func, "vstore"):
		v := m.value(x.Args[0], mask)
		m.store(m.vectorAt(x.Args[1], x.Args[2], v.t.Lanes(), mask), v, v.t, mask, x.Pos)
		return none
	case x.Func == "__ldg":
		return m.load(m.value(x.Args[0], mask), x.DType, mask, x.Pos)
	case strings.HasPrefix(x.Func, "convert_") || strings.HasPrefix(x.Func, "as_"):
		return m.conversion(x, mask)
	}
	if len(x.Args) == 1 && strings.HasPrefix(x.Func, "get_") {
		var axis int
		m.apart(func() { axis = int(m.value(x.Args[0], mask).v[0].i) })
		if v, ok := m.dimension(x.Func, axis); ok {
			v.t = x.DType
			return v
		}
	}
	return m.function(x, mask)
}

// barrier counts one of the first work-group.
func (m *machine) barrier(mask []bool) {
	for item, is := range mask {
		if !is && !m.gone[item] || m.pretends(item) {
			panic(failure("only some work-items meet a barrier"))
		}
	}
	if m.group == [3]int64{} {
		m.run.Barriers++
	}
}

// vectorAt is the place of vector i of a number of lanes.
func (m *machine) vectorAt(i, p cfront.Expr, lanes int64, mask []bool) (at values) {
	m.apart(func() {
		s := m.value(i, mask)
		at = m.moved(m.value(p, mask), s, lanes, 1, mask)
	})
	return at
}

func (m *machine) conversion(x *cfront.Call, mask []bool) values {
	v := m.value(x.Args[0], mask)
	if strings.Contains(x.Func, "_sat") {
		low, high := 0.0, 255.0
		if t := x.DType.Base(); t != expr.Uint8 {
			panic(failure("conversion to " + string(t)))
		}
		for i, n := range v.v {
			v.v[i].f = min(max(n.f, low), high)
		}
	}
	return m.convert(v, x.DType, mask)
}

// atomics are what atomic functions do to a place, and the operation that it counts as.
var atomics = map[string]string{
	"add": "add", "sub": "add", "inc": "add", "dec": "add", "min": "maxmin", "max": "maxmin", "and": "bw", "or": "bw", "xor": "bw", "exch": "", "xchg": "",
}

// atomic is one load, one store and one operation, by one work-item after the other.
func (m *machine) atomic(x *cfront.Call, mask []bool) values {
	what := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(x.Func, "atomic"), "atom"), "_"))
	what = strings.TrimSuffix(strings.TrimPrefix(what, "fetch_"), "_explicit")
	what, _, _ = strings.Cut(what, "_")
	op, ok := atomics[what]
	if !ok {
		panic(failure("function " + x.Func))
	}
	p := m.pointerValue(x.Args[0], mask)
	t := x.Args[0].PointsTo()
	v := m.each(t, func(int) number { return convert(number{i: 1}, expr.Int64, t) })
	if len(x.Args) > 1 && what != "inc" && what != "dec" {
		v = m.convert(m.value(x.Args[1], mask), t, mask)
	}
	if op != "" {
		m.found(op, t, mask, 1)
	}
	m.touch(p, t, mask, false, x.Pos)
	m.touch(p, t, mask, true, x.Pos)
	old := newValues(t, m.items)
	for item, is := range mask {
		if !is {
			continue
		}
		a, i := m.place(p.v[item], 0, item)
		if a == nil {
			continue
		}
		m.checkType(a, t)
		a.read[i] = true
		was := a.elems[i]
		old.v[item] = number{i: was.i, f: was.f, form: data, axes: m.everyAxis, read: true}
		if m.pretends(item) {
			continue
		}
		a.marked[i] = true
		next := v.v[item]
		switch what {
		case "add", "inc":
			next, _ = arithmetic("+", t, was, next)
		case "sub", "dec":
			next, _ = arithmetic("-", t, was, next)
		case "min", "max":
			if less := compare("<", t, was, next).i == 1; less == (what == "min") {
				next = was
			}
		case "and":
			next, _ = arithmetic("&", t, was, next)
		case "or":
			next, _ = arithmetic("|", t, was, next)
		case "xor":
			next, _ = arithmetic("^", t, was, next)
		}
		next.form, next.version, next.read = data, nil, true
		a.elems[i] = next
	}
	return old
}

// pointerValue is a pointer whose computation is free.
func (m *machine) pointerValue(e cfront.Expr, mask []bool) (p values) {
	m.apart(func() { p = m.value(e, mask) })
	return p
}

// shuffle is a value of another work-item of the sub-group; its own where there is none.
func (m *machine) shuffle(x *cfront.Call, mask []bool) values {
	args := x.Args
	name := strings.TrimPrefix(x.Func, "__")
	if before, ok := strings.CutSuffix(name, "_sync"); ok {
		name, args = before, args[1:]
	}
	v := m.value(args[0], mask)
	var by values
	m.apart(func() { by = m.value(args[1], mask) })
	m.found("func:"+name, x.DType, mask, 1)
	return m.each(x.DType, func(item int) number {
		lane, from := item%m.launch.SubGroup, int(by.v[item].i)
		switch name {
		case "shfl_down":
			from = lane + from
		case "shfl_up":
			from = lane - from
		case "shfl_xor":
			from = lane ^ from
		}
		source := item - lane + from
		if from < 0 || from >= m.launch.SubGroup || source >= m.items || !mask[source] {
			source = item
		}
		n := v.v[source]
		n.form, n.axes = data, m.everyAxis
		return n
	})
}

// function is a mathematical function.
func (m *machine) function(x *cfront.Call, mask []bool) values {
	name, t := x.Func, x.DType
	if strings.HasPrefix(name, "native_") || strings.HasPrefix(name, "half_") {
		_, name, _ = strings.Cut(name, "_")
	}
	name = strings.TrimPrefix(name, "__")
	if base := strings.TrimSuffix(name, "f"); expr.IsFunction(base) && base != name {
		name = base
	}
	args := lists.Map(x.Args, func(a cfront.Expr) values { return m.convert(m.value(a, mask), t, mask) })
	out := newValues(t, m.items)
	form := data
	if name == "min" || name == "max" || name == "abs" && !t.IsFloat() {
		form = known
	}
	for item, is := range mask {
		for l := range out.lanes {
			if !is {
				continue
			}
			a := lists.Map(args, func(v values) number { return v.lane(item, l) })
			out.v[item*out.lanes+l] = apply(x, name, form, a)
		}
	}
	switch name {
	case "min", "max":
		m.found("maxmin", t, mask, 1)
	case "pow":
		m.found("pow", t, mask, 1)
	default:
		m.found("func:"+name, t, mask, 1)
	}
	return out
}

// apply is a function of numbers, of the type of the call.
func apply(x *cfront.Call, name string, form form, a []number) (n number) {
	t := x.DType
	switch {
	case name == "abs" && !t.IsFloat():
		n.i, n.form = max(a[0].i, -a[0].i), max(index, a[0].form)
	case name == "min" || name == "max":
		if n = a[1]; (compare("<", t.Base(), a[0], a[1]).i == 1) == (name == "min") {
			n = a[0]
		}
		n.form = max(index, a[0].form, a[1].form)
	case name == "abs":
		n.f = math.Abs(a[0].f)
	case name == "fma" || name == "mad":
		n.f = math.FMA(a[0].f, a[1].f, a[2].f)
	default:
		floats := lists.Map(a, func(b number) float64 { return b.f })
		var known bool
		if n.f, known = cvalue.Function(name, floats...); !known {
			panic(failure("function " + x.Func))
		}
	}
	n.f = cvalue.Round(t.Base(), n.f)
	for _, b := range a {
		n.axes |= b.axes
		n.read = n.read || b.read
	}
	n.form = max(n.form, form)
	return n
}

// user runs a function of the file.
func (m *machine) user(f *cfront.Function, x *cfront.Call, mask []bool) values {
	if m.depth++; m.depth > 20 {
		panic(failure("functions that call each other without end"))
	}
	params := make([]*values, len(f.Params)) // bound when all arguments are evaluated, which may call the function too
	for i, p := range f.Params {
		t := p.DType
		if p.Pointer || len(p.Dims) > 0 {
			t = ""
		}
		v := newValues(t, m.items)
		v.depth = len(m.branches)
		params[i] = &v
		m.tally.merge(m.assignTo(params[i], x.Args[i], mask))
	}
	for i, p := range f.Params {
		m.vars[p] = params[i]
	}
	path := m.path
	m.path += fmt.Sprintf(" %d:%d", x.Line, x.Column)
	returned, finished, result, loops, head, ghosts := m.returned, m.finished, m.result, m.loops, m.head, m.ghosts
	pretending := make([]bool, m.items)
	for item := range pretending {
		pretending[item] = m.pretends(item)
	}
	m.returned, m.finished, m.result = make([]bool, m.items), make([]bool, m.items), newValues(f.Result, m.items)
	m.loops, m.head, m.ghosts = nil, false, pretending
	m.block(f.Body, mask)
	out := m.result
	m.returned, m.finished, m.result, m.loops, m.head, m.ghosts = returned, finished, result, loops, head, ghosts
	m.path = path
	m.depth--
	return out
}

// giveResult is return with a value, which is part of the expression with the call.
func (m *machine) giveResult(e cfront.Expr, mask []bool) {
	v := m.convert(m.value(e, mask), m.result.t, mask)
	for item, is := range mask {
		for l := range m.result.lanes {
			if is && !m.finished[item] {
				m.result.v[item*m.result.lanes+l] = v.lane(item, l)
			}
		}
	}
}
