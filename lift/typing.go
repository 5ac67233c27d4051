package lift

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
)

// rows is the table of operators. It is filled by init because typing a term makes terms.
var rows [numOps]row

var (
	oneArray  = []argKind{argData}
	funArray  = []argKind{argFun, argData}
	dimFun    = []argKind{argDim, argFun, argData}
	reduction = []argKind{argFun, argTerm, argData}
)

func init() {
	rows = [numOps]row{
		Bad:     {name: "bad"},
		Var:     {name: "variable", ints: 1, result: ownType},
		Free:    {name: "variable", result: ownType},
		Lambda:  {name: "fun", kids: 1, result: typeLambda},
		Fun:     {name: "function", result: func(d *draft) *Type { return d.User.Type() }},
		Call:    {name: "call", kids: -1, result: typeCall},
		Literal: {name: "literal", result: typeLiteral},
		SizeLit: {name: "nat", args: []argKind{argSize}, sizes: 1, result: func(*draft) *Type { return Int32 }},
		Let:     {name: "let", kids: 2, params: kidTypes, result: resultOfFun},

		Map:        {name: "map", args: funArray, kids: 2, params: elemOfLast, result: typeMap},
		Reduce:     {name: "reduce", args: reduction, kids: 3, params: elemTwice, result: typeReduce},
		PartRed:    {name: "partRed", args: []argKind{argFun, argTerm, argSize, argData}, kids: 3, sizes: 1, params: elemTwice, result: typePartRed},
		Scan:       {name: "scan", args: reduction, kids: 3, params: elemTwice, result: typeScan},
		ScanBefore: {name: "scanBefore", args: reduction, kids: 3, params: elemTwice, result: typeScan},
		Zip:        {name: "zip", args: []argKind{argList}, kids: -2, result: typeZip},
		Unzip:      {name: "unzip", args: oneArray, kids: 1, result: typeUnzip},
		Tuple:      {name: "tuple", args: []argKind{argList}, kids: -2, result: typeTuple},
		Get:        {name: "get", args: []argKind{argInt, argData}, kids: 1, ints: 1, result: typeGet},
		Split:      {name: "split", args: []argKind{argSize, argData}, kids: 1, sizes: 1, result: typeSplit},
		Join:       {name: "join", args: oneArray, kids: 1, result: typeJoin},
		Transpose:  {name: "transpose", args: oneArray, kids: 1, result: typeTranspose},
		Iterate:    {name: "iterate", args: []argKind{argInt, argFun, argData}, kids: 2, ints: 1, params: kidTypes, result: typeIterate},
		Reorder:    {name: "reorder", args: oneArray, kids: 1, result: (*draft).array},
		Gather:     {name: "gather", args: []argKind{argIndex, argData}, kids: 1, result: typeReorder},
		Scatter:    {name: "scatter", args: []argKind{argIndex, argData}, kids: 1, result: typeReorder},
		Slide:      {name: "slide", args: []argKind{argSize, argSize, argData}, kids: 1, sizes: 2, result: typeSlide},
		Pad:        {name: "pad", args: []argKind{argSize, argSize, argMode, argData}, kids: 1, sizes: 2, ints: 1, result: typePad},
		PadConst:   {name: "padConst", args: []argKind{argSize, argSize, argTerm, argData}, kids: 2, sizes: 2, result: typePadConst},
		At:         {name: "at", args: []argKind{argTerm, argData}, kids: 2, result: typeAt},
		Generate:   {name: "generate", args: []argKind{argSize, argFun}, kids: 1, sizes: 1, params: index, result: typeGenerate},
		Take:       {name: "take", args: []argKind{argSize, argData}, kids: 1, sizes: 1, result: typeTake},
		Drop:       {name: "drop", args: []argKind{argSize, argData}, kids: 1, sizes: 1, result: typeDrop},
		Append:     {name: "append", args: []argKind{argTerm, argData}, kids: 2, result: typeAppend},
		Filter:     {name: "filter", args: funArray, kids: 2, params: elemOfLast, result: typeFilter},
		Put:        {name: "put", args: []argKind{argTerm, argData}, kids: 2, result: typePut},

		ReduceSegments: {name: "reduceSegments", args: []argKind{argFun, argTerm, argTerm, argData}, kids: 4, params: elemTwice, result: typeSegments},

		Inset: {name: "inset", args: []argKind{argSize, argSize, argData}, kids: 1, sizes: 2, result: (*draft).padded},

		MapGlb:          {name: "mapGlb", args: dimFun, kids: 2, ints: 1, params: elemOfLast, result: typeMapDim},
		MapWrg:          {name: "mapWrg", args: dimFun, kids: 2, ints: 1, params: elemOfLast, result: typeMapDim},
		MapLcl:          {name: "mapLcl", args: dimFun, kids: 2, ints: 1, params: elemOfLast, result: typeMapDim},
		MapSeq:          {name: "mapSeq", args: funArray, kids: 2, params: elemOfLast, result: typeMap},
		MapSeqUnroll:    {name: "mapSeqUnroll", args: funArray, kids: 2, params: elemOfLast, result: typeMap},
		MapSeqSlide:     {name: "mapSeqSlide", args: []argKind{argSize, argSize, argFun, argData}, kids: 2, sizes: 2, params: window, result: typeMapSeqSlide},
		MapVec:          {name: "mapVec", args: []argKind{argFun, argList}, kids: -2, params: lanes, result: typeMapVec},
		ReduceSeq:       {name: "reduceSeq", args: reduction, kids: 3, params: accAndElem, result: typeReduce},
		ReduceSeqUnroll: {name: "reduceSeqUnroll", args: reduction, kids: 3, params: accAndElem, result: typeReduce},
		ReduceBetween: {
			name: "reduceBetween", args: []argKind{argFun, argTerm, argTerm, argTerm, argSize, argData}, kids: 5, sizes: 1,
			params: accAndElem, result: typeBetween,
		},
		ScanSeq:       {name: "scanSeq", args: reduction, kids: 3, params: accAndElem, result: typeScan},
		ScanBeforeSeq: {name: "scanBeforeSeq", args: reduction, kids: 3, params: accAndElem, result: typeScan},
		ToGlobal:      {name: "toGlobal", args: oneArray, kids: 1, result: sameType},
		ToLocal:       {name: "toLocal", args: oneArray, kids: 1, result: sameType},
		ToPrivate:     {name: "toPrivate", args: oneArray, kids: 1, result: sameType},
		AsVector:      {name: "asVector", args: []argKind{argInt, argData}, kids: 1, ints: 1, result: typeAsVector},
		AsScalar:      {name: "asScalar", args: oneArray, kids: 1, result: typeAsScalar},
	}
	namePatterns()
}

func ownType(d *draft) *Type {
	if len(d.Params) != 1 || len(d.Ints) > 0 && d.Ints[0] < 0 {
		return d.fail("it has no type")
	}
	return d.Params[0]
}

func sameType(d *draft) *Type {
	if t := d.kids[0].Type; t.Kind != FuncType {
		return t
	}
	return d.fail("it works on values, not on functions")
}

// typeLambda also finds the canonical form of a lambda that only calls a user function with its parameters.
func typeLambda(d *draft) *Type {
	body := d.kids[0]
	if body.Type.Kind == FuncType {
		return d.fail("the body is a function")
	}
	if len(d.Params) == 0 {
		return d.fail("it has no parameters")
	}
	if body.Op == Call && len(body.Kids) == len(d.Params)+1 {
		eta := true
		for i, a := range body.Kids[1:] {
			eta = eta && a.Op == Var && a.Ints[0] == len(d.Params)-1-i
		}
		if eta {
			d.instead = body.Kids[0]
		}
	}
	return Func(d.Params, body.Type)
}

func typeCall(d *draft) *Type {
	f := d.kids[0]
	if f.Op != Fun {
		return d.fail("only user functions are called")
	}
	if len(d.kids)-1 != len(f.User.Params) {
		return d.wrong(f.User.head(), "%s takes %d arguments, not %d", f.User.Name, len(f.User.Params), len(d.kids)-1)
	}
	for i, p := range f.User.Params {
		if d.kids[i+1].Type != p.Type {
			return d.wrong(f.User.head(), "parameter %s of %s is %s, but the argument is %s", p.Name, f.User.Name, p.Type, d.kids[i+1].Type)
		}
	}
	return f.User.Result
}

func typeLiteral(d *draft) *Type {
	if !d.Lit.DType.Known() || d.Lit.DType.IsComplex() {
		return d.wrong(typeForms, "literals cannot have the type %q", d.Lit.DType)
	}
	if d.Lit.Width != 0 {
		if !validWidth(d.Lit.Width) {
			return d.wrong("write vec(4, 0.0f)", "the width of a vector is 2, 4, 8 or 16, not %d", d.Lit.Width)
		}
		return Vector(d.Lit.DType, d.Lit.Width)
	}
	return Scalar(d.Lit.DType)
}

// kidTypes is for functions that take the other kids.
func kidTypes(d *draft) []*Type {
	return lists.Map(d.kids[1:], func(k *Term) *Type { return k.Type })
}

func resultOfFun(d *draft) *Type { return d.kids[0].Type.Result }

// anyArray is a placeholder for the type of an array after an error.
var anyArray = Array(Array(Float32, Nat(1)), Nat(1))

// array returns the type of the last kid, which must be an array.
func (d *draft) array() *Type {
	t := d.kids[len(d.kids)-1].Type
	if t.Kind != ArrayType {
		d.fail("it works on an array, not on %s", t)
		return anyArray
	}
	return t
}

func elemOfLast(d *draft) []*Type { return []*Type{d.array().Elem} }

func elemTwice(d *draft) []*Type {
	a := d.array()
	if z := d.kids[1].Type; z != a.Elem {
		d.fail("the initial value is %s, but the elements are %s", z, a.Elem)
	}
	return []*Type{a.Elem, a.Elem}
}

func accAndElem(d *draft) []*Type { return []*Type{d.kids[1].Type, d.array().Elem} }

func index(*draft) []*Type { return []*Type{Int32} }

func window(d *draft) []*Type { return []*Type{Array(d.array().Elem, d.Sizes[0])} }

func lanes(d *draft) []*Type {
	var list []*Type
	for _, k := range d.kids[1:] {
		if k.Type.Kind != VectorType || k.Type.Width != d.kids[1].Type.Width {
			d.fail("it works on vectors of one width, not on %s", k.Type)
			return nil
		}
		list = append(list, Scalar(k.Type.DType))
	}
	return list
}

func typeMap(d *draft) *Type { return Array(d.kids[0].Type.Result, d.array().Len) }

func typeMapDim(d *draft) *Type {
	if d.Ints[0] < 0 || d.Ints[0] > 2 {
		return d.fail("the dimension is 0, 1 or 2, not %d", d.Ints[0])
	}
	return typeMap(d)
}

func typeMapSeqSlide(d *draft) *Type {
	return Array(d.kids[0].Type.Result, d.windows(d.array().Len))
}

func typeMapVec(d *draft) *Type {
	r := d.kids[0].Type.Result
	if r.Kind != ScalarType {
		return d.fail("its function returns %s, not a scalar", r)
	}
	if f := d.kids[0].User; d.kids[0].Op == Fun && r.DType.IsInteger() && slices.ContainsFunc(f.Defs, divides) {
		return d.fail("its function %s divides integers, and no device does that on vectors", f.Name)
	}
	return Vector(r.DType, d.kids[1].Type.Width)
}

// divides reports whether an expression has a quotient, a remainder or a power: of integers they are not computed on vectors.
func divides(e expr.Expr) bool {
	return expr.Any(e, func(e expr.Expr) bool {
		op, ok := e.(*expr.Op)
		return ok && (op.Kind == expr.FloorDiv || op.Kind == expr.Mod || op.Kind == expr.Pow)
	})
}

// accumulates checks that the function returns the type of its first parameter.
func (d *draft) accumulates() {
	if f, z := d.kids[0].Type.Result, d.kids[1].Type; f != z {
		d.fail("its function returns %s, but the initial value is %s", f, z)
	}
}

func typeReduce(d *draft) *Type {
	d.accumulates()
	return Array(d.kids[1].Type, Nat(1))
}

func typeScan(d *draft) *Type {
	d.accumulates()
	return Array(d.kids[1].Type, d.array().Len)
}

func typePartRed(d *draft) *Type {
	d.accumulates()
	m := d.Sizes[0]
	d.need(Assumption{Kind: AtLeast, A: m, B: Nat(1)})
	d.need(Assumption{Kind: Divides, A: d.array().Len, B: m})
	return Array(d.kids[1].Type, m)
}

func typeZip(d *draft) *Type {
	var elems []*Type
	first := d.kids[0].Type
	for _, k := range d.kids {
		if k.Type.Kind != ArrayType {
			return d.fail("it works on arrays, not on %s", k.Type)
		}
		if k.Type.Len != first.Len {
			return d.fail("the arrays have the lengths %s and %s", first.Len, k.Type.Len)
		}
		elems = append(elems, k.Type.Elem)
	}
	return Array(TupleOf(elems...), first.Len)
}

func typeUnzip(d *draft) *Type {
	a := d.array()
	if a.Elem.Kind != TupleType {
		return d.fail("it works on an array of tuples, not on %s", a)
	}
	parts := lists.Map(a.Elem.Elems, func(e *Type) *Type { return Array(e, a.Len) })
	return TupleOf(parts...)
}

func typeTuple(d *draft) *Type {
	var elems []*Type
	for _, k := range d.kids {
		if k.Type.Kind == FuncType {
			return d.fail("a function cannot be a component of a tuple")
		}
		elems = append(elems, k.Type)
	}
	return TupleOf(elems...)
}

func typeGet(d *draft) *Type {
	t, i := d.kids[0].Type, d.Ints[0]
	if t.Kind != TupleType || i < 0 || i >= len(t.Elems) {
		return d.fail("%s has no component %d", t, i)
	}
	if d.kids[0].Op == Tuple {
		d.instead = d.kids[0].Kids[i]
	}
	return t.Elems[i]
}

func (d *draft) divided(a, b Size) Size {
	d.need(Assumption{Kind: AtLeast, A: b, B: Nat(1)})
	d.need(Assumption{Kind: Divides, A: a, B: b})
	q, err := a.Div(b)
	if err != nil && d.err == nil {
		d.fail("%w", err)
	}
	return q
}

func typeSplit(d *draft) *Type {
	a := d.array()
	return Array(Array(a.Elem, d.Sizes[0]), d.divided(a.Len, d.Sizes[0]))
}

// nested returns the types of the outer and the inner array of the last kid.
func (d *draft) nested() (outer, inner *Type) {
	outer = d.array()
	if outer.Elem.Kind != ArrayType {
		d.fail("it works on an array of arrays, not on %s", outer)
		outer = anyArray
	}
	return outer, outer.Elem
}

func typeJoin(d *draft) *Type {
	outer, inner := d.nested()
	return Array(inner.Elem, outer.Len.Mul(inner.Len))
}

func typeTranspose(d *draft) *Type {
	outer, inner := d.nested()
	return Array(Array(inner.Elem, outer.Len), inner.Len)
}

// maxIterations bounds Iterate, whose steps are typed one by one.
const maxIterations = 1 << 12

// typeIterate types every step, since each may change the length of the array.
func typeIterate(d *draft) *Type {
	a, f, k := d.array(), d.kids[0], d.Ints[0]
	if k < 0 || k > maxIterations {
		return d.fail("the number of iterations is between 0 and %d, not %d", maxIterations, k)
	}
	t := a
	for i := range k {
		if f = f.taking([]*Type{t}); f.err != nil {
			return d.fail("step %d: %w", i+1, f.err)
		}
		for _, a := range f.Assumptions() {
			d.need(a)
		}
		next := f.Type.Result
		if next == t {
			break
		}
		if next.Kind != ArrayType || next.Elem != t.Elem {
			return d.fail("its function turns %s into %s: it may change only the length", t, next)
		}
		t = next
	}
	return t
}

func typeReorder(d *draft) *Type {
	a := d.array()
	if d.Index == nil {
		return d.fail("it has no index function")
	}
	switch {
	case d.Index.Kind == IndexStride:
		d.divided(a.Len, d.Index.Arg)
	case d.Index.Kind == IndexShift:
		d.need(Assumption{Kind: AtLeast, A: d.Index.Arg, B: Nat(0)})
	case d.op == Scatter:
		d.need(Assumption{Kind: Permutation, A: a.Len, Index: d.Index})
	default:
		d.need(Assumption{Kind: InRange, A: a.Len, Index: d.Index})
	}
	return a
}

// windows is the number of windows of a slide over n elements.
func (d *draft) windows(n Size) Size {
	width, step := d.Sizes[0], d.Sizes[1]
	d.need(Assumption{Kind: AtLeast, A: width, B: Nat(1)})
	d.need(Assumption{Kind: AtLeast, A: n, B: width})
	return d.divided(n.Sub(width), step).Add(Nat(1))
}

func typeSlide(d *draft) *Type {
	a := d.array()
	return Array(Array(a.Elem, d.Sizes[0]), d.windows(a.Len))
}

func (d *draft) padded() *Type {
	a := d.array()
	for _, s := range d.Sizes {
		d.need(Assumption{Kind: AtLeast, A: s, B: Size{}})
	}
	return Array(a.Elem, a.Len.Add(d.Sizes[0]).Add(d.Sizes[1]))
}

func typePad(d *draft) *Type {
	t := d.padded()
	if d.Ints[0] < 0 || d.Ints[0] >= len(padModes) {
		return d.fail("no such mode: %d", d.Ints[0])
	}
	least := d.Sizes
	if mode := PadMode(d.Ints[0]); mode == PadClamp || mode == PadAny {
		least = []Size{Nat(1)}
	}
	for _, s := range least {
		d.need(Assumption{Kind: AtLeast, A: d.array().Len, B: s})
	}
	return t
}

func typePadConst(d *draft) *Type {
	t := d.padded()
	if d.kids[0].Type != t.Elem {
		return d.fail("the value is %s, but the elements are %s", d.kids[0].Type, t.Elem)
	}
	return t
}

// part is the type of an array that ends, or begins, at an element of the last kid.
func (d *draft) part(n func(length, at Size) Size) *Type {
	a, at := d.array(), d.Sizes[0]
	d.need(Assumption{Kind: AtLeast, A: at, B: Size{}})
	d.need(Assumption{Kind: AtLeast, A: a.Len, B: at})
	return Array(a.Elem, n(a.Len, at))
}

func typeTake(d *draft) *Type { return d.part(func(_, at Size) Size { return at }) }

func typeDrop(d *draft) *Type { return d.part(Size.Sub) }

func typeAppend(d *draft) *Type {
	xs, ys := d.array(), d.kids[0].Type
	if ys.Kind != ArrayType || ys.Elem != xs.Elem {
		return d.fail("%s cannot stand after the elements of %s", ys, xs)
	}
	return Array(xs.Elem, xs.Len.Add(ys.Len))
}

func typeAt(d *draft) *Type {
	a := d.array()
	i := d.kids[0]
	if i.Type.Kind != ScalarType || !i.Type.DType.IsInteger() {
		return d.fail("the index is %s, not an integer", i.Type)
	}
	switch i.Op {
	case Literal:
		if r := i.Lit.Rat(); r.Sign() < 0 || !r.IsInt() || !r.Num().IsInt64() {
			return d.fail("the index is %s", i.Lit.Text)
		}
		d.need(Assumption{Kind: AtLeast, A: a.Len, B: Nat(i.Lit.Rat().Num().Int64()).Add(Nat(1))})
	case SizeLit:
		d.need(Assumption{Kind: AtLeast, A: i.Sizes[0], B: Size{}})
		d.need(Assumption{Kind: AtLeast, A: a.Len, B: i.Sizes[0].Add(Nat(1))})
	}
	return a.Elem
}

func typeGenerate(d *draft) *Type {
	d.need(Assumption{Kind: AtLeast, A: d.Sizes[0], B: Size{}})
	return Array(d.kids[0].Type.Result, d.Sizes[0])
}

func validWidth(w int) bool { return w == 2 || w == 4 || w == 8 || w == 16 }

func typeAsVector(d *draft) *Type {
	a, w := d.array(), d.Ints[0]
	switch {
	case a.Elem.Kind != ScalarType || a.Elem.DType == expr.Bool:
		return d.fail("vectors are of scalars, not of %s", a.Elem)
	case !validWidth(w):
		return d.fail("the width of a vector is 2, 4, 8 or 16, not %d", w)
	}
	return Array(Vector(a.Elem.DType, w), d.divided(a.Len, Nat(int64(w))))
}

func typeAsScalar(d *draft) *Type {
	a := d.array()
	if a.Elem.Kind != VectorType {
		return d.fail("it works on an array of vectors, not on %s", a)
	}
	return Array(Scalar(a.Elem.DType), a.Len.Mul(Nat(int64(a.Elem.Width))))
}
