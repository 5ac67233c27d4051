package ckernel

import (
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// A vector variable is a private temporary of a vector type. If its lanes are used apart it is a private array, of which the whole
// vector is one wide access.

// lanesApart finds the vector variables of a file whose lanes are used apart.
func lanesApart(file *cfront.File) map[*builderVar]bool {
	apart := map[*builderVar]bool{}
	for _, f := range file.Functions {
		if f.Body == nil {
			continue
		}
		for e := range cfront.Everywhere(f.Body) {
			switch x := e.(type) {
			case *cfront.Lane:
				e = x.X
			case *cfront.Address:
				e = x.X
			default:
				continue
			}
			if ref, ok := e.(*cfront.Ref); ok {
				apart[ref.Var] = true
			}
		}
	}
	return apart
}

func (b *builder) vectorVariable(at cfront.Expr, v *builderVar) expr.Expr {
	b.checkVector(at, v.DType)
	if b.lanes[v] {
		return b.access(at.Place(), b.array(at, v), constant(0), v.DType.Lanes(), nil)
	}
	return expr.Var{Name: b.temp(v)}
}

func (b *faults) checkVector(at cfront.Expr, t expr.DType) {
	if !t.Known() {
		b.fail(at, "vectors have 2, 3, 4, 8 or 16 lanes", "vectors of another number of lanes have no place in a kernel")
	}
}

// assignVector gives a vector variable a value.
func (b *builder) assignVector(at cfront.Pos, v *builderVar, e cfront.Expr) {
	b.checkVector(e, v.DType)
	use := cfront.Use(v)
	if !b.lanes[v] {
		b.assignTemp(at, b.temp(v), b.value(e))
		return
	}
	a := b.array(use, v)
	if list, ok := e.(*cfront.Vector); ok && len(list.Elems) == int(v.DType.Lanes()) && !b.namesAny(e, map[*builderVar]bool{v: true}) {
		b.fill(at, a, list)
		return
	}
	val := b.value(e)
	b.emit(&record{pos: at, lhs: b.access(at, a, constant(0), v.DType.Lanes(), nil), rhs: val})
}

// fill assigns the elements of a list to the lanes of a vector, one by one.
func (b *builder) fill(at cfront.Pos, a *array, list *cfront.Vector) {
	lane := int64(0)
	for _, e := range list.Elems {
		v := converting(b.value(e), e.Type(), list.DType.Base().Vector(e.Type().Lanes()))
		b.emit(&record{pos: at, lhs: b.access(at, a, constant(lane), e.Type().Lanes(), nil), rhs: v})
		lane += e.Type().Lanes()
	}
	if lane != list.DType.Lanes() {
		b.failAt(at, "", "a vector of %d lanes is made of %d", list.DType.Lanes(), lane)
	}
}

// vector is a vector of its elements. One scalar alone stands for all lanes.
func (b *builder) vector(x *cfront.Vector) expr.Expr {
	b.checkVector(x, x.DType)
	if len(x.Elems) == 1 && !x.Elems[0].Type().IsVector() {
		e := x.Elems[0]
		return &expr.Cast{DType: x.DType, Arg: b.operand(e, x.DType.Base())}
	}
	if len(x.Elems) == 1 {
		return b.value(x.Elems[0])
	}
	a := b.vectorArray("vector", x.DType)
	b.fill(x.Pos, a, x)
	return b.access(x.Pos, a, constant(0), x.DType.Lanes(), nil)
}

// vectorArray is a new private array for the lanes of a vector.
func (b *flow) vectorArray(base string, t expr.DType) *array {
	v := &builderVar{Name: base, Class: cfront.Local, DType: t}
	a := &array{v: v, name: b.fresh(base), base: t.Base(), lanes: t.Lanes(), space: cfront.PrivateSpace, outer: constant(1)}
	b.arrays[v] = a
	b.order = append(b.order, a)
	return a
}

// lane is a part of a vector. Of one in memory only these lanes are loaded.
func (b *builder) lane(x *cfront.Lane) expr.Expr {
	follow := true
	for i, l := range x.Lanes {
		follow = follow && l == x.Lanes[0]+i
	}
	of := x.X
	if !isPlace(of) {
		of = b.kept(of)
	}
	if follow {
		b.checkVector(x, x.DType)
		one := *x
		one.X = of
		return b.take(x.Pos, b.placeOf(&one))
	}
	b.checkVector(x, x.DType)
	a := b.vectorArray("lanes", x.DType)
	for i, l := range x.Lanes {
		v := b.take(x.Pos, b.placeOf(oneLane(x, of, l)))
		b.emit(&record{pos: x.Pos, lhs: b.access(x.Pos, a, constant(int64(i)), 1, nil), rhs: v})
	}
	return b.access(x.Pos, a, constant(0), x.DType.Lanes(), nil)
}

// oneLane is a lane of a vector that several are taken of.
func oneLane(x *cfront.Lane, of cfront.Expr, lane int) *cfront.Lane {
	one := *x
	one.X, one.Lanes, one.DType = of, []int{lane}, x.DType.Base()
	return &one
}

// isPlace reports whether a vector is in a variable or in memory.
func isPlace(e cfront.Expr) bool {
	switch x := e.(type) {
	case *cfront.Ref, *cfront.Index:
		return true
	case *cfront.Lane:
		return isPlace(x.X)
	case *cfront.Member:
		return isPlace(x.X)
	}
	return false
}

// kept is the value of a vector in a private array of its own.
func (b *builder) kept(e cfront.Expr) cfront.Expr {
	v, use := cfront.Temporary("vector", e)
	b.lanes[v] = true
	b.assignVector(e.Place(), v, e)
	return use
}

// storeLanes assigns to lanes of a vector that do not follow each other, or to several of one that is loaded and stored lane by lane.
func (b *builder) storeLanes(at cfront.Pos, to *cfront.Lane, e cfront.Expr) bool {
	if len(to.Lanes) == 1 {
		return false
	}
	if !e.Type().IsVector() {
		v := converting(b.value(e), e.Type(), to.DType.Base())
		temp := b.scratch("value", to.DType.Base())
		b.assignTemp(at, temp, v)
		for _, l := range to.Lanes {
			b.emit(&record{pos: at, lhs: b.take(at, b.placeOf(oneLane(to, to.X, l))), rhs: expr.Var{Name: temp}})
		}
		return true
	}
	from := b.placeOf(b.kept(e))
	for i, l := range to.Lanes {
		v := b.access(at, from.array, from.offset.Add(constant(int64(i))), 1, nil)
		b.emit(&record{pos: at, lhs: b.take(at, b.placeOf(oneLane(to, to.X, l))), rhs: v})
	}
	return true
}

// initialise gives the elements of an array the values of a list; those that the list leaves out are 0.
func (b *builder) initialise(v *builderVar) {
	use := cfront.Use(v)
	if len(v.Dims) == 0 {
		b.fail(use, "", "%s is declared with a list of values", v.Name)
	}
	a := b.array(use, v)
	n := a.elements()
	if n == nil {
		b.failAt(v.Pos, "", "the extent of %s is no number", v.Name)
	}
	size, _ := n.Constant()
	if v.Record != nil {
		b.initialiseRecords(v, size/a.lanes)
		return
	}
	zero := expr.Expr(expr.Int{})
	if a.base.IsFloat() {
		zero = cexpr.Float(0, a.base)
	}
	if zeros(v.Init) && size > 1 { // by a loop
		b.fillAll(v, a, size, zero)
		return
	}
	at := int64(0)
	var items func(e cfront.Expr, depth int)
	items = func(e cfront.Expr, depth int) {
		if list, ok := e.(*cfront.List); ok {
			start := at
			for _, item := range list.Items {
				items(item, depth+1)
			}
			if depth > 0 && depth <= len(a.inner) { // a row may have less values than elements
				row := int64(1)
				for _, d := range a.inner[depth-1:] {
					c, _ := d.Constant()
					row *= c
				}
				for ; at < start+row*a.lanes; at++ {
					b.emit(&record{pos: v.Pos, lhs: b.access(v.Pos, a, constant(at), 1, nil), rhs: zero})
				}
			}
			return
		}
		val := converting(b.value(e), e.Type(), a.base)
		b.emit(&record{pos: e.Place(), lhs: b.access(e.Place(), a, constant(at), e.Type().Lanes(), nil), rhs: val})
		at += e.Type().Distance() / e.Type().Base().Size()
	}
	if size > maxList {
		b.failAt(v.Pos, "assign to its elements in a loop", "%s has a list of values for %d elements", v.Name, size)
	}
	if v.Init != nil {
		items(v.Init, 0)
	}
	for ; at < size; at++ {
		b.emit(&record{pos: v.Pos, lhs: b.access(v.Pos, a, constant(at), 1, nil), rhs: zero})
	}
}

// fillAll gives all elements of an array one value, by a loop.
func (b *builder) fillAll(v *builderVar, a *array, size int64, value expr.Expr) {
	iname := b.fresh(v.Name + "_element")
	before := b.live
	b.openLoop(&loop{name: iname, pos: v.Pos, unroll: true, bounds: kernel.Within(iname, 0, size-1)})
	b.emit(&record{pos: v.Pos, lhs: b.access(v.Pos, a, name(iname), 1, nil), rhs: value})
	b.live, b.open = before, b.open[:len(b.open)-1]
}

// maxList bounds the elements that lists give values.
const maxList = 4096

// zeros reports whether all values of a list are 0.
func zeros(e cfront.Expr) bool {
	switch x := e.(type) {
	case nil:
		return true
	case *cfront.List:
		for _, item := range x.Items {
			if !zeros(item) {
				return false
			}
		}
		return true
	case *cfront.Int:
		return x.Value == 0
	case *cfront.Float:
		return x.Value == 0
	}
	return false
}

// elements is the number of elements of an array, nil where it is not known.
func (a *array) elements() *expr.Poly {
	if a.outer == nil {
		return nil
	}
	n := a.outer.Scale(a.lanes)
	for _, d := range a.inner {
		n = n.Mul(d)
	}
	if _, ok := n.Constant(); !ok {
		return nil
	}
	return n
}

// permuted is shuffle(a, mask) or shuffle2(a, b, mask) of OpenCL C: lanes of vectors, which the mask chooses by its last bits (OpenCL C 3.0, 6.15.13). A mask of numbers
// names lanes as a.s31 does, which costs nothing; by another one each lane is an operation.
func (b *builder) permuted(x *cfront.Call) expr.Expr {
	last := len(x.Args) - 1
	mask := x.Args[last]
	if last < 1 || !x.DType.IsVector() || slices.ContainsFunc(x.Args, func(a cfront.Expr) bool { return !a.Type().IsVector() }) {
		b.fail(x, "", "%s takes vectors and a mask", x.Func)
	}
	lanes, known := b.maskOf(mask)
	if !known {
		return b.permutedByData(x)
	}
	n := x.Args[0].Type().Lanes()
	var of []cfront.Expr
	for _, a := range x.Args[:last] {
		of = append(of, b.kept(a))
	}
	out := b.vectorArray("permuted", x.DType)
	for i, lane := range lanes {
		lane &= width(n)*int64(len(of)) - 1
		from := of[min(lane/width(n), int64(len(of)-1))]
		if lane%width(n) >= n {
			b.fail(x, "", "%s takes a lane that a vector of three has not", x.Func)
		}
		b.emit(&record{pos: x.Pos, lhs: b.access(x.Pos, out, constant(int64(i)), 1, nil), rhs: b.value(oneLane(cfront.Lanes(from), from, int(lane%width(n))))})
	}
	return b.access(x.Pos, out, constant(0), x.DType.Lanes(), nil)
}

// width is how many lanes a mask tells apart of a vector of n.
func width(n int64) int64 {
	if n == 3 {
		return 4
	}
	return n
}

// maskOf are the numbers of a vector that the text has as such.
func (b *builder) maskOf(e cfront.Expr) (lanes []int64, ok bool) {
	if r, is := e.(*cfront.Ref); is && r.Var.Const && r.Var.Init != nil {
		e = r.Var.Init
	}
	v, is := e.(*cfront.Vector)
	if !is {
		return nil, false
	}
	for _, x := range v.Elems {
		n, known := b.number(x)
		if !known || x.Type().IsVector() {
			return nil, false
		}
		lane, known := n.Constant()
		if !known {
			return nil, false
		}
		lanes = append(lanes, lane)
	}
	if len(lanes) == 1 {
		lanes = slices.Repeat(lanes, int(v.DType.Lanes()))
	}
	return lanes, int64(len(lanes)) == v.DType.Lanes()
}

func (b *builder) permutedByData(x *cfront.Call) expr.Expr {
	f := &kernel.Function{Result: x.DType, Counts: map[expr.DType]map[string]int64{x.DType.Base(): {"func:" + x.Func: x.DType.Lanes()}}, Body: "return " + x.Func + "("}
	call := &expr.Call{}
	for i, a := range x.Args {
		name := string(rune('a' + i))
		if i > 0 {
			f.Body += ", "
		}
		f.Body += name
		f.Params = append(f.Params, kernel.FunctionParam{Name: name, DType: a.Type()})
		call.Args = append(call.Args, b.value(a))
	}
	f.Body += ");"
	f.Name = b.functionNamed(x.Func, f)
	call.Func = f.Name
	return call
}

// vectorAt is the place of vector i from a pointer on.
func (b *builder) vectorAt(at, i, p cfront.Expr, t expr.DType) place {
	b.checkVector(at, t)
	to := b.addressOf(p)
	if to.array == nil {
		b.fail(at, "", "this is no pointer to the lanes of the vector")
	}
	b.unit(at.Place(), to.array, t.Base().Size())
	step := t.Size() / to.array.base.Size()
	return b.placeAt(at.Place(), to.array, to.offset.Add(b.subscript(i).Scale(step)), t)
}

// keptAs is the type that vload and vstore access for values of a type: those of the half family compute in more digits than they keep.
func keptAs(function string, t expr.DType) expr.DType {
	if strings.Contains(function, "_half") {
		return expr.Float16.Vector(t.Lanes())
	}
	return t
}

func (b *builder) vstore(x *cfront.Call) {
	v := b.value(x.Args[0])
	t := x.Args[0].Type()
	kept := keptAs(x.Func, t)
	if kept != t {
		v = &expr.Cast{DType: kept, Arg: v}
	}
	p := b.vectorAt(x, x.Args[1], x.Args[2], kept)
	b.emit(&record{pos: x.Pos, lhs: b.take(x.Pos, p), rhs: v})
}
