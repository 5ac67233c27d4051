package lift

import (
	"encoding/binary"
	"slices"
	"strconv"
	"sync"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
)

// TypeKind is the form of a Type.
type TypeKind uint8

// The forms of types.
const (
	ScalarType TypeKind = iota
	VectorType          // a hardware vector of Width scalars
	TupleType
	ArrayType
	FuncType // of functions, which patterns take as arguments but which are not values
)

// Type is the type of a term. Types are immutable and interned: equal types are the same pointer.
type Type struct {
	Kind   TypeKind
	DType  expr.DType // of scalars and vectors
	Width  int        // of vectors
	Elems  []*Type    // of tuples; the parameters of functions
	Elem   *Type      // of arrays
	Len    Size       // of arrays
	Result *Type      // of functions

	id uint32
}

var types = struct {
	sync.RWMutex
	table map[string]*Type
}{table: map[string]*Type{}}

func internType(t Type) *Type {
	key := make([]byte, 0, 64)
	key = append(key, byte(t.Kind))
	key = append(key, t.DType...)
	key = binary.AppendVarint(key, int64(t.Width))
	for _, e := range t.Elems {
		key = binary.AppendUvarint(key, uint64(e.id))
	}
	key = append(key, ';')
	for _, e := range []*Type{t.Elem, t.Result} {
		if e != nil {
			key = binary.AppendUvarint(key, uint64(e.id))
		}
		key = append(key, ';')
	}
	key = binary.AppendUvarint(key, uint64(t.Len.number()))
	types.RLock()
	found := types.table[string(key)]
	types.RUnlock()
	if found != nil {
		return found
	}
	types.Lock()
	defer types.Unlock()
	if found := types.table[string(key)]; found != nil {
		return found
	}
	t.id = uint32(len(types.table)) + 1
	types.table[string(key)] = &t
	return &t
}

// Scalar is the type of scalars of an element type.
func Scalar(d expr.DType) *Type { return internType(Type{Kind: ScalarType, DType: d}) }

// Vector is the type of hardware vectors of width scalars.
func Vector(d expr.DType, width int) *Type {
	return internType(Type{Kind: VectorType, DType: d, Width: width})
}

// TupleOf is the type of tuples of two or more components.
func TupleOf(elems ...*Type) *Type { return internType(Type{Kind: TupleType, Elems: elems}) }

// Array is the type of arrays of n elements.
func Array(elem *Type, n Size) *Type { return internType(Type{Kind: ArrayType, Elem: elem, Len: n}) }

// Func is the type of functions.
func Func(params []*Type, result *Type) *Type {
	return internType(Type{Kind: FuncType, Elems: params, Result: result})
}

// Float32 and Int32 are the most frequent types.
var (
	Float32 = Scalar(expr.Float32)
	Int32   = Scalar(expr.Int32)
)

// IsData reports whether t is a scalar, a vector, or a tuple of these: the types that user functions take and return.
func (t *Type) IsData() bool {
	if t.Kind == TupleType {
		return !slices.ContainsFunc(t.Elems, func(e *Type) bool { return !e.IsData() })
	}
	return t.Kind == ScalarType || t.Kind == VectorType
}

// Shape returns the lengths of nested arrays, outermost first, and the type of the innermost elements.
func (t *Type) Shape() (lengths []Size, elem *Type) {
	for ; t.Kind == ArrayType; t = t.Elem {
		lengths = append(lengths, t.Len)
	}
	return lengths, t
}

// SubstSizes replaces size symbols in t.
func (t *Type) SubstSizes(by map[string]Size) (*Type, error) {
	c := *t
	var err error
	if c.Len, err = t.Len.Subst(by); err != nil {
		return nil, err
	}
	for _, p := range []**Type{&c.Elem, &c.Result} {
		if *p != nil {
			if *p, err = (*p).SubstSizes(by); err != nil {
				return nil, err
			}
		}
	}
	c.Elems = nil
	for _, e := range t.Elems {
		e, err := e.SubstSizes(by)
		if err != nil {
			return nil, err
		}
		c.Elems = append(c.Elems, e)
	}
	return internType(c), nil
}

// String is the type as programs write it: [float32]n, [[int32]4](n/4), <float32>4, (float32, int32).
func (t *Type) String() string {
	switch t.Kind {
	case ScalarType:
		return string(t.DType)
	case VectorType:
		return "<" + string(t.DType) + ">" + strconv.Itoa(t.Width)
	case TupleType:
		return "(" + joinTypes(t.Elems) + ")"
	case ArrayType:
		return "[" + t.Elem.String() + "]" + paren(t.Len)
	}
	return "(" + joinTypes(t.Elems) + ") -> " + t.Result.String()
}

func joinTypes(list []*Type) string {
	return lists.Join(list, ", ", (*Type).String)
}
