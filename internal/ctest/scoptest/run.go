// Package scoptest is for the tests of loop nests: Run interprets the C text of a region, statement after statement and without any
// analysis, and Program makes random regions.
package scoptest

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/cvalue"
	"gpuperf/kernel/expr"
)

// Touch is an access to an element of an array, or to a scalar.
type Touch struct {
	Array string
	Index string // as in "3,4"
	Write bool
}

// Trace is what a run did.
type Trace struct {
	Touches []Touch
	// Kept counts those touches, by array, that keep what an element has where a condition on data does not hold: dependences have them, and counts do not.
	Kept map[string]int64
	// Ops counts operations as features do without multiply-adds, by type and name: "float64 add".
	Ops map[string]int64
	// Memory are the values of elements, by array and index.
	Memory map[string]map[string]Value
	// Integers are what integer variables hold that the region assigns; they are not among the accesses.
	Integers map[string]int64
}

// Value is a number. Data: it is not affine in iterators and parameters, as it depends on what arrays or scalars hold or is a float.
type Value struct {
	cvalue.Number
	Float bool
	Data  bool
}

func integer(i int64, data bool) Value { return Value{Number: cvalue.Number{I: i}, Data: data} }
func float(f float64) Value            { return Value{Number: cvalue.Number{F: f}, Float: true} }

// AsFloat is the value as a float.
func (v Value) AsFloat() float64 {
	if v.Float {
		return v.F
	}
	return float64(v.I)
}

func (v Value) truth() bool { return v.AsFloat() != 0 }

// Run interprets a region. Integer scalars that it does not assign have the values of params; elements have those that start gives them before
// they are assigned. Where a condition of ?:, && or || depends on data, all operands are evaluated, as counts have them. It fails on what regions of tests have not,
// and after most accesses.
func Run(r *cfront.Region, params map[string]int64, start func(array, index string) float64, most int) (t *Trace, err error) {
	defer func() {
		if e := recover(); e != nil {
			if f, ok := e.(failure); ok {
				t, err = nil, fmt.Errorf("%s", string(f))
				return
			}
			panic(e)
		}
	}()
	m := &machine{
		trace: &Trace{Kept: map[string]int64{}, Ops: map[string]int64{}, Memory: map[string]map[string]Value{}, Integers: map[string]int64{}}, params: params, start: start, most: most,
		iterators: map[*cfront.Var]int64{}, scalars: map[*cfront.Var]bool{}, inner: map[*cfront.Var]int{}, integers: map[*cfront.Var]int64{},
	}
	for _, s := range r.Items {
		m.assigned(s)
	}
	for _, s := range r.Items {
		m.statement(s)
	}
	for v, i := range m.integers {
		m.trace.Integers[v.Name] = i
	}
	return m.trace, nil
}

type failure string

type machine struct {
	trace     *Trace
	params    map[string]int64
	start     func(array, index string) float64
	most      int
	iterators map[*cfront.Var]int64 // of open loops
	scalars   map[*cfront.Var]bool  // that are assigned, other than by the heads of loops
	// depth is how many branches on data are around, idle says that one is not taken: its statements access what they would, and store nothing.
	depth int
	idle  bool
	inner map[*cfront.Var]int // depth of the declaration
	// integers are what integer variables hold that the region assigns: they are no memory.
	integers map[*cfront.Var]int64
}

func (m *machine) assigned(s cfront.Stmt) {
	stmts, exprs := cfront.Inside(s)
	if _, ok := s.(*cfront.For); ok {
		exprs, stmts = nil, stmts[len(stmts)-1:]
	}
	if d, ok := s.(*cfront.Declare); ok {
		for _, v := range d.Vars {
			m.scalars[v] = true
		}
	}
	for _, e := range exprs {
		for e := range cfront.All(e) {
			if a, ok := e.(*cfront.Assign); ok {
				if to, ok := a.To.(*cfront.Ref); ok {
					m.scalars[to.Var] = true
				}
			}
		}
	}
	for _, s := range stmts {
		m.assigned(s)
	}
}

func (m *machine) statement(s cfront.Stmt) {
	switch x := s.(type) {
	case *cfront.Block:
		for _, s := range x.Items {
			m.statement(s)
		}
	case *cfront.If:
		m.branch(x)
	case *cfront.For:
		m.loop(x)
	case *cfront.While:
		m.again(x.Cond, x.Body, nil)
	case *cfront.Do:
		if x.X != nil {
			m.eval(x.X)
		}
	case *cfront.Declare:
		for _, v := range x.Vars {
			if m.inner[v] = m.depth; v.Init != nil && v.DType == expr.Int32 {
				m.integers[v] = m.control(v.Init)
			} else if v.Init != nil {
				m.store(v.Name, "", m.eval(v.Init), v.DType)
			}
		}
	default:
		panic(failure(fmt.Sprintf("%T", s)))
	}
}

// branch runs the side that is taken. Where data decides, a nest accesses what both sides do, but for a first one that sizes and iterators rule out.
func (m *machine) branch(x *cfront.If) {
	v := m.truth(x.Cond)
	sides := []cfront.Stmt{x.Else, x.Then}
	if and, ok := x.Cond.(*cfront.Binary); ok && and.Op == "&&" && m.onData(x.Cond) && !m.onData(and.X) && m.control(and.X) == 0 {
		sides[1] = nil
	}
	if !m.onData(x.Cond) {
		if s := sides[cvalue.Bit(v.truth())]; s != nil {
			m.statement(s)
		}
		return
	}
	idle, before := m.idle, m.integers
	after := before
	m.depth++
	for _, taken := range []bool{true, false} {
		if s := sides[cvalue.Bit(taken)]; s != nil {
			m.idle, m.integers = idle || v.truth() != taken, maps.Clone(before)
			if m.statement(s); v.truth() == taken {
				after = m.integers
			}
		}
	}
	m.idle, m.integers = idle, after
	m.depth--
}

// kept has the access to the old value of what is assigned to under a condition on data.
func (m *machine) kept(to cfront.Expr) {
	if m.depth == 0 {
		return
	}
	switch x := to.(type) {
	case *cfront.Ref:
		if m.inner[x.Var] < m.depth {
			m.touch(x.Var.Name, "", false)
			m.trace.Kept[x.Var.Name]++
		}
	case *cfront.Index:
		m.touch(x.Of.(*cfront.Ref).Var.Name, m.index(x.Subs), false)
		m.trace.Kept[x.Of.(*cfront.Ref).Var.Name]++
	}
}

// integer is what an integer variable holds; before it is assigned, what the start of memory says.
func (m *machine) integer(v *cfront.Var) int64 {
	if i, ok := m.integers[v]; ok {
		return i
	}
	return int64(m.start(v.Name, ""))
}

// control evaluates bounds, conditions and subscripts, whose operations are not counted.
func (m *machine) control(e cfront.Expr) int64 {
	ops := m.trace.Ops
	m.trace.Ops = map[string]int64{}
	v := m.eval(e)
	m.trace.Ops = ops
	if v.Float || v.Data {
		panic(failure("control depends on data"))
	}
	return v.I
}

func (m *machine) touch(array, index string, write bool) {
	if len(m.trace.Touches) >= m.most {
		panic(failure("too many accesses"))
	}
	m.trace.Touches = append(m.trace.Touches, Touch{array, index, write})
}

func (m *machine) load(array, index string, t expr.DType) Value {
	m.touch(array, index, false)
	v, ok := m.trace.Memory[array][index]
	if !ok {
		v = convert(float(m.start(array, index)), t)
	}
	v.Data = true
	return v
}

func (m *machine) store(array, index string, v Value, t expr.DType) Value {
	m.touch(array, index, true)
	if v = convert(v, t); m.idle {
		return v
	}
	if m.trace.Memory[array] == nil {
		m.trace.Memory[array] = map[string]Value{}
	}
	m.trace.Memory[array][index] = v
	return v
}

func (m *machine) index(subs []cfront.Expr) string {
	var parts []string
	for _, s := range subs {
		ops := m.trace.Ops
		m.trace.Ops = map[string]int64{}
		parts = append(parts, fmt.Sprint(m.eval(s).I))
		m.trace.Ops = ops
	}
	return strings.Join(parts, ",")
}

func (m *machine) eval(e cfront.Expr) Value {
	switch x := e.(type) {
	case *cfront.Int:
		return integer(x.Value, false)
	case *cfront.Float:
		return convert(float(x.Value), x.DType)
	case *cfront.Ref:
		if i, ok := m.iterators[x.Var]; ok {
			return integer(i, false)
		}
		if p, ok := m.params[x.Var.Name]; ok && !m.scalars[x.Var] {
			return integer(p, false)
		}
		if x.DType == expr.Int32 {
			return integer(m.integer(x.Var), false)
		}
		return m.load(x.Var.Name, "", x.DType)
	case *cfront.Index:
		return m.load(x.Of.(*cfront.Ref).Var.Name, m.index(x.Subs), x.DType)
	case *cfront.Unary:
		return m.unary(x)
	case *cfront.Binary:
		if x.Op == "&&" || x.Op == "||" {
			return m.logic(x)
		}
		if names[x.Op] == "" {
			return m.condition(func() Value { left := m.eval(x.X); return m.binary(x.Op, left, m.eval(x.Y), x.DType) })
		}
		out := m.binary(x.Op, m.eval(x.X), m.eval(x.Y), x.DType)
		if x.Op == "*" && !isInt(x.X) && !isInt(x.Y) {
			out.Data = true // no condition on it is affine
		}
		return out
	case *cfront.Select:
		c := m.truth(x.If)
		var then, other Value
		if c.Data || c.truth() {
			then = m.eval(x.Then)
		}
		if c.Data || !c.truth() {
			other = m.eval(x.Else)
		}
		out, left := other, x.Then
		if c.truth() {
			out, left = then, x.Else
		}
		out = convert(out, x.DType)
		out.Data = out.Data || c.Data || m.onData(left) // a nest looks at both, whichever is taken
		return out
	case *cfront.Cast:
		return convert(m.eval(x.X), x.DType)
	case *cfront.Call:
		return m.call(x)
	case *cfront.Assign:
		return m.assign(x)
	case *cfront.List:
		return m.last(x)
	}
	panic(failure(fmt.Sprintf("%T", e)))
}

func (m *machine) assign(x *cfront.Assign) Value {
	if r, ok := x.To.(*cfront.Ref); ok && r.DType == expr.Int32 {
		value := x.Value
		if x.Op != "" {
			value = cfront.Operation(x.Pos, x.Op, x.To, value)
		}
		old := m.integer(r.Var)
		if m.integers[r.Var] = m.control(value); x.After {
			return integer(old, false)
		}
		return integer(m.integers[r.Var], false)
	}
	var v Value
	inner, chained := x.Value.(*cfront.Assign)
	if chained {
		v = m.assign(inner)
	}
	var old Value
	if x.Op != "" {
		old = m.eval(x.To)
	}
	if !chained {
		v = m.eval(x.Value)
	} else if to, ok := inner.To.(*cfront.Ref); ok { // the value is that of the scalar
		m.touch(to.Var.Name, "", false)
	}
	if x.Op != "" {
		t := cfront.Operation(x.Pos, x.Op, x.To, x.Value).DType
		v = m.binary(x.Op, old, v, t)
	}
	m.kept(x.To)
	switch to := x.To.(type) {
	case *cfront.Ref:
		return m.store(to.Var.Name, "", v, to.DType)
	case *cfront.Index:
		return m.store(to.Of.(*cfront.Ref).Var.Name, m.index(to.Subs), v, to.DType)
	}
	panic(failure(fmt.Sprintf("assignment to %T", x.To)))
}

func (m *machine) logic(x *cfront.Binary) Value {
	left := m.truth(x.X)
	is := left.truth()
	if !left.Data && is == (x.Op == "||") {
		return integer(cvalue.Bit(is), false)
	}
	right := m.truth(x.Y)
	if is == (x.Op == "&&") {
		is = right.truth()
	}
	return integer(cvalue.Bit(is), left.Data || right.Data)
}

// truth evaluates a condition.
func (m *machine) truth(e cfront.Expr) Value {
	return m.condition(func() Value {
		v := m.eval(e)
		v.Data = v.Data || v.Float
		return v
	})
}

// condition evaluates a condition. The operations of one that is affine are not counted.
func (m *machine) condition(eval func() Value) Value {
	ops := m.trace.Ops
	m.trace.Ops = map[string]int64{}
	v := eval()
	if v.Data {
		for op, n := range m.trace.Ops {
			ops[op] += n
		}
	}
	m.trace.Ops = ops
	return v
}

func isInt(e cfront.Expr) bool { _, ok := e.(*cfront.Int); return ok }

func (m *machine) count(t expr.DType, op string) { m.trace.Ops[string(t)+" "+op]++ }

func (m *machine) unary(x *cfront.Unary) Value {
	if x.Op == "!" {
		v := m.truth(x.X)
		return integer(cvalue.Bit(!v.truth()), v.Data)
	}
	v := m.eval(x.X)
	if x.Op == "~" {
		m.count(x.DType, "bw")
	}
	v = convert(v, x.DType)
	v.Number = cvalue.Unary(x.Op, x.DType, v.Number)
	return v
}

var names = map[string]string{
	"+": "add", "-": "add", "*": "mul", "/": "div", "%": "div", "<<": "shift", ">>": "shift", "&": "bw", "|": "bw", "^": "bw",
}

func (m *machine) binary(op string, x, y Value, t expr.DType) Value {
	data := x.Data || y.Data
	if cvalue.Comparisons[op] {
		is := cvalue.Compare(op, expr.Float64, cvalue.Number{F: x.AsFloat()}, cvalue.Number{F: y.AsFloat()})
		return integer(cvalue.Bit(is), data || x.Float || y.Float)
	}
	m.count(t, names[op])
	x, y = convert(x, t), convert(y, t)
	n, _ := cvalue.Arithmetic(op, t, x.Number, y.Number)
	return Value{Number: n, Float: t.IsFloat(), Data: data}
}

func (m *machine) call(x *cfront.Call) Value {
	data := false
	var args []float64
	for _, a := range x.Args {
		v := m.eval(a)
		data = data || v.Data
		args = append(args, v.AsFloat())
	}
	name := x.Func
	if x.DType == expr.Float32 {
		name = strings.TrimSuffix(name, "f")
	}
	out := Value{Float: x.DType.IsFloat(), Data: data}
	if name == "abs" {
		out.I = int64(math.Abs(args[0]))
	} else if f, ok := cvalue.Function(name, args...); ok {
		out.F = f
	} else {
		panic(failure("call of " + name))
	}
	if name == "pow" {
		m.count(x.DType, "pow")
	} else {
		m.count(x.DType, "func:"+name)
	}
	return convert(out, x.DType)
}

// convert is a value as a type.
func convert(v Value, t expr.DType) Value {
	from := expr.DType(expr.Int64)
	if v.Float {
		from = expr.Float64
	}
	return Value{Number: cvalue.Convert(v.Number, from, t), Float: t.IsFloat(), Data: v.Data}
}
