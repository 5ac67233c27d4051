package lift

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
)

// Value is the meaning of a term at given sizes: a Num, Values (an array or a tuple, a vector), or Unwritten.
type Value interface{ isValue() }

// Values are the elements of an array, the components of a tuple, or the lanes of a vector.
type Values []Value

// Unwritten is an element that a program does not write, such as those that Inset adds.
type Unwritten struct{}

func (Values) isValue()    {}
func (Unwritten) isValue() {}
func (Num) isValue()       {}

// EvalOptions say how to evaluate. The zero value computes exactly.
type EvalOptions struct {
	// Float computes in float64 instead of rationals: faster, but inexact.
	Float bool
	// Reorder, if not nil, makes the pattern Reorder a random permutation instead of the identity.
	Reorder *rand.Rand
	// MaxSteps bounds the applications of functions; 0 means 1e8.
	MaxSteps int
}

// ErrUnwritten reports that a function reads an element that was never written.
var ErrUnwritten = errors.New("an element is read that is not written")

// ErrUndefined reports that a user function has a body in OpenCL C but no definition.
var ErrUndefined = errors.New("it has no definition, only a body in OpenCL C")

// Eval is the denotational semantics of the program (001 section 5.2, extended): its result for inputs, in the order of
// p.Inputs, at the sizes. Floating-point numbers are exact rationals; the integer results of functions wrap around. A
// function without a rational result (sqrt, exp) returns a float64, and so does everything computed from it.
//
// It fails where an assumption on sizes does not hold, where an index leaves its array, and where a user function has no
// definition.
func Eval(p *Program, sizes map[string]int64, inputs []Value, opt EvalOptions) (Value, error) {
	if len(inputs) != len(p.Inputs) {
		return nil, fmt.Errorf("program %s has %d inputs, not %d", p.Name, len(p.Inputs), len(inputs))
	}
	if err := CheckAll(p.Assumptions(), sizes); err != nil {
		return nil, fmt.Errorf("program %s: %w", p.Name, err)
	}
	e := newEvaluator(sizes, opt)
	var env *binding
	for i, in := range p.Inputs {
		if err := e.fits(inputs[i], in.Type); err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name, err)
		}
		env = &binding{env, inputs[i]}
	}
	return e.run(p.Body, env)
}

// EvalTerm evaluates a closed term that is not a function.
func EvalTerm(t *Term, sizes map[string]int64, opt EvalOptions) (Value, error) {
	if t.err != nil {
		return nil, t.err
	}
	if !t.Closed() {
		return nil, fmt.Errorf("%s has variables that are bound outside it", t)
	}
	if err := CheckAll(t.Assumptions(), sizes); err != nil {
		return nil, err
	}
	return newEvaluator(sizes, opt).run(t, nil)
}

// binding is a chain of the values of variables: the de Bruijn index counts along it.
type binding struct {
	outer *binding
	value Value
}

type evaluator struct {
	sizes map[string]int64
	opt   EvalOptions
	steps int
}

func newEvaluator(sizes map[string]int64, opt EvalOptions) *evaluator {
	opt.MaxSteps = cmp.Or(opt.MaxSteps, 1e8)
	return &evaluator{sizes: sizes, opt: opt, steps: opt.MaxSteps}
}

func fail(format string, args ...any) { panic(throw.Errorf(format, args...)) }

func (e *evaluator) run(t *Term, env *binding) (v Value, err error) {
	defer throw.Catch(&err)
	return e.eval(t, env), nil
}

func (e *evaluator) size(s Size) int {
	n, err := s.Eval(e.sizes)
	if err != nil {
		panic(throw.Of(err))
	}
	if n > 1<<31 {
		fail("size %s is %d: too large to evaluate", s, n)
	}
	return int(n)
}

// fits reports whether a value has a type.
func (e *evaluator) fits(v Value, t *Type) error {
	x, several := v.(Values)
	_, number := v.(Num)
	n, what, elem := int64(len(t.Elems)), "components", func(i int) *Type { return t.Elems[i] }
	switch {
	case number && t.Kind == ScalarType || several && t.Kind == VectorType && len(x) == t.Width:
		return nil
	case several && t.Kind == ArrayType:
		var err error
		if n, err = t.Len.Eval(e.sizes); err != nil {
			return err
		}
		what, elem = "elements", func(int) *Type { return t.Elem }
	case !several || t.Kind != TupleType:
		return fmt.Errorf("%T is no value of type %s", v, t)
	}
	if n != int64(len(x)) {
		return fmt.Errorf("%s has %d %s, not %d", t, n, what, len(x))
	}
	for i, y := range x {
		if err := e.fits(y, elem(i)); err != nil {
			return err
		}
	}
	return nil
}

// call applies a function to values.
func (e *evaluator) call(f *Term, env *binding, args ...Value) Value {
	if e.steps--; e.steps < 0 {
		fail("more than %d applications", e.opt.MaxSteps)
	}
	if f.Op == Fun {
		return e.callUser(f.User, args)
	}
	for _, a := range args {
		env = &binding{env, a}
	}
	return e.eval(f.Kids[0], env)
}

func (e *evaluator) array(t *Term, env *binding) Values {
	return tuple(e.eval(t, env))
}

// semantics has the meaning of every operator except variables and functions.
var semantics [numOps]func(e *evaluator, t *Term, env *binding) Value

func (e *evaluator) eval(t *Term, env *binding) Value {
	if t.Op == Var {
		for i := t.Ints[0]; i > 0; i-- {
			env = env.outer
		}
		return env.value
	}
	return semantics[t.Op](e, t, env)
}

func init() {
	semantics = [numOps]func(e *evaluator, t *Term, env *binding) Value{
		Call: func(e *evaluator, t *Term, env *binding) Value {
			args := make([]Value, len(t.Kids)-1)
			for i, k := range t.Kids[1:] {
				args[i] = e.eval(k, env)
			}
			return e.call(t.Kids[0], env, args...)
		},
		Literal: func(e *evaluator, t *Term, _ *binding) Value {
			x := e.number(t.Lit.Rat())
			if t.Lit.DType.IsInteger() {
				x = Num{Rat: t.Lit.Rat()}
			}
			if t.Lit.Width == 0 {
				return x
			}
			return build(t.Lit.Width, func(int) Value { return x })
		},
		SizeLit: func(e *evaluator, t *Term, _ *binding) Value {
			return e.number(new(big.Rat).SetInt64(int64(e.size(t.Sizes[0]))))
		},
		Let: func(e *evaluator, t *Term, env *binding) Value {
			return e.call(t.Kids[0], env, e.eval(t.Kids[1], env))
		},
		PartRed: evalPartRed,
		Zip: func(e *evaluator, t *Term, env *binding) Value {
			arrays := lists.Map(t.Kids, func(k *Term) Values { return e.array(k, env) })
			return build(len(arrays[0]), func(i int) Value {
				return build(len(arrays), func(k int) Value { return arrays[k][i] })
			})
		},
		Unzip: func(e *evaluator, t *Term, env *binding) Value {
			xs := e.array(t.Arg(), env)
			return build(len(t.Type.Elems), func(k int) Value {
				return build(len(xs), func(i int) Value { return tuple(xs[i])[k] })
			})
		},
		Tuple: func(e *evaluator, t *Term, env *binding) Value {
			return build(len(t.Kids), func(k int) Value { return e.eval(t.Kids[k], env) })
		},
		Get: func(e *evaluator, t *Term, env *binding) Value { return tuple(e.eval(t.Kids[0], env))[t.Ints[0]] },
		Split: func(e *evaluator, t *Term, env *binding) Value {
			xs, m := e.array(t.Arg(), env), e.size(t.Sizes[0])
			return build(len(xs)/m, func(i int) Value { return xs[i*m : (i+1)*m] })
		},
		Join: func(e *evaluator, t *Term, env *binding) Value {
			rows, m := e.array(t.Arg(), env), e.size(t.Arg().Type.Elem.Len)
			return build(len(rows)*m, func(i int) Value { return element(rows[i/m], i%m) })
		},
		Transpose: func(e *evaluator, t *Term, env *binding) Value {
			rows := e.array(t.Arg(), env)
			return build(e.size(t.Type.Len), func(i int) Value {
				return build(len(rows), func(j int) Value { return element(rows[j], i) })
			})
		},
		Iterate: evalIterate,
		Reorder: func(e *evaluator, t *Term, env *binding) Value {
			xs := e.array(t.Arg(), env)
			if e.opt.Reorder == nil {
				return xs
			}
			order := e.opt.Reorder.Perm(len(xs))
			return build(len(xs), func(i int) Value { return xs[order[i]] })
		},
		Gather: func(e *evaluator, t *Term, env *binding) Value {
			xs := e.array(t.Arg(), env)
			return build(len(xs), func(i int) Value { return xs[e.index(t.Index, i, len(xs))] })
		},
		Scatter: func(e *evaluator, t *Term, env *binding) Value {
			xs := e.array(t.Arg(), env)
			out := make(Values, len(xs))
			for i, x := range xs {
				out[e.index(t.Index, i, len(xs))] = x
			}
			return out
		},
		Slide: func(e *evaluator, t *Term, env *binding) Value { return e.windows(t, env) },
		Pad: func(e *evaluator, t *Term, env *binding) Value {
			xs, left := e.array(t.Arg(), env), e.size(t.Sizes[0])
			return build(len(xs)+left+e.size(t.Sizes[1]), func(i int) Value {
				return xs[PadMode(t.Ints[0]).Index(i-left, len(xs))]
			})
		},
		PadConst: func(e *evaluator, t *Term, env *binding) Value {
			z, xs, left := e.eval(t.Kids[0], env), e.array(t.Arg(), env), e.size(t.Sizes[0])
			return around(z, left, e.size(t.Sizes[1]), xs)
		},
		Take:   func(e *evaluator, t *Term, env *binding) Value { return e.array(t.Arg(), env)[:e.size(t.Sizes[0])] },
		Drop:   func(e *evaluator, t *Term, env *binding) Value { return e.array(t.Arg(), env)[e.size(t.Sizes[0]):] },
		Filter: evalFilter,
		Put:    evalPut,

		ReduceSegments: evalSegments,
		ReduceBetween: func(e *evaluator, t *Term, env *binding) Value {
			from, to := e.whole(t.Kids[2], env), e.whole(t.Kids[3], env)
			return Values{e.fold(t, env, e.eval(t.Kids[1], env), e.between(e.array(t.Arg(), env), from, to, e.size(t.Sizes[0])))}
		},
		Append: func(e *evaluator, t *Term, env *binding) Value {
			return append(slices.Clip(e.array(t.Arg(), env)), e.array(t.Kids[0], env)...)
		},
		Inset: func(e *evaluator, t *Term, env *binding) Value {
			xs, left := e.array(t.Arg(), env), e.size(t.Sizes[0])
			return around(Unwritten{}, left, e.size(t.Sizes[1]), xs)
		},
		At: func(e *evaluator, t *Term, env *binding) Value {
			xs, i := e.array(t.Arg(), env), e.whole(t.Kids[0], env)
			if i < 0 || i >= int64(len(xs)) {
				fail("index %d is outside 0 .. %d", i, len(xs)-1)
			}
			return xs[i]
		},
		Generate: func(e *evaluator, t *Term, env *binding) Value {
			return build(e.size(t.Sizes[0]), func(i int) Value {
				return e.call(t.Kids[0], env, e.number(new(big.Rat).SetInt64(int64(i))))
			})
		},
		MapSeqSlide: func(e *evaluator, t *Term, env *binding) Value {
			xs := e.windows(t, env)
			return build(len(xs), func(i int) Value { return e.call(t.Kids[0], env, xs[i]) })
		},
		MapVec: func(e *evaluator, t *Term, env *binding) Value {
			vs := make([]Values, len(t.Kids)-1)
			for i, k := range t.Kids[1:] {
				vs[i] = e.array(k, env)
			}
			return build(t.Type.Width, func(lane int) Value {
				args := lists.Map(vs, func(v Values) Value { return v[lane] })
				return e.call(t.Kids[0], env, args...)
			})
		},
		AsVector: func(e *evaluator, t *Term, env *binding) Value {
			xs, w := e.array(t.Arg(), env), t.Ints[0]
			return build(len(xs)/w, func(i int) Value { return xs[i*w : (i+1)*w] })
		},
		AsScalar: func(e *evaluator, t *Term, env *binding) Value {
			vs, w := e.array(t.Arg(), env), t.Arg().Type.Elem.Width
			return build(len(vs)*w, func(i int) Value { return element(vs[i/w], i%w) })
		},
	}
	for op := range numOps {
		switch {
		case Maps.Has(op):
			semantics[op] = evalMap
		case Reductions.Has(op) && op != PartRed:
			semantics[op] = evalReduce
		case Scans.Has(op):
			semantics[op] = evalScan
		case Moves.Has(op):
			semantics[op] = func(e *evaluator, t *Term, env *binding) Value { return e.eval(t.Kids[0], env) }
		}
	}
}

func build(n int, at func(i int) Value) Values {
	out := make(Values, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// NewValue is a value of a type with constant lengths. leaf gives its scalars in order; component is the one of the type's Components
// that a scalar belongs to.
func NewValue(t *Type, leaf func(component int, t *Type) Value) Value { return newValue(t, 0, leaf) }

func newValue(t *Type, component int, leaf func(component int, t *Type) Value) Value {
	switch t.Kind {
	case ArrayType:
		n, _ := t.Len.Const()
		return build(int(n), func(int) Value { return newValue(t.Elem, component, leaf) })
	case TupleType:
		return build(len(t.Elems), func(k int) Value {
			first := component
			component += len(Components(t.Elems[k]))
			return newValue(t.Elems[k], first, leaf)
		})
	case VectorType:
		return build(t.Width, func(int) Value { return leaf(component, Scalar(t.DType)) })
	}
	return leaf(component, t)
}

// windows cuts the array of a Slide or MapSeqSlide into overlapping windows.
func (e *evaluator) windows(t *Term, env *binding) Values {
	xs, width, step := e.array(t.Arg(), env), e.size(t.Sizes[0]), e.size(t.Sizes[1])
	return build((len(xs)-width)/step+1, func(i int) Value { return xs[i*step : i*step+width] })
}

func around(z Value, left, right int, xs Values) Values {
	return build(left+len(xs)+right, func(i int) Value {
		if i < left || i >= left+len(xs) {
			return z
		}
		return xs[i-left]
	})
}

// element is the element i of an array; all elements of an unwritten array are unwritten.
func element(v Value, i int) Value {
	if xs, ok := v.(Values); ok {
		return xs[i]
	}
	return v
}

// tuple is the value as components or elements; it fails for an unwritten one.
func tuple(v Value) Values {
	xs, ok := v.(Values)
	if !ok {
		panic(throw.Of(ErrUnwritten))
	}
	return xs
}

func (e *evaluator) index(f *IndexFun, i, n int) int {
	j, err := f.At(int64(i), int64(n), e.sizes)
	if err != nil {
		panic(throw.Of(err))
	}
	if j < 0 || j >= int64(n) {
		fail("%s maps %d to %d, outside 0 .. %d", f, i, j, n-1)
	}
	return int(j)
}

// Index is the index of the element that a padded array of n elements has at i, counted from its first element that is not
// padding.
func (m PadMode) Index(i, n int) int {
	switch m {
	case PadMirror:
		if i < 0 {
			return -1 - i
		}
		if i >= n {
			return 2*n - 1 - i
		}
	case PadWrap:
		return ((i % n) + n) % n
	case PadClamp, PadAny:
		return max(0, min(i, n-1))
	}
	return i
}

func evalMap(e *evaluator, t *Term, env *binding) Value {
	xs := e.array(t.Arg(), env)
	return build(len(xs), func(i int) Value { return e.call(t.Kids[0], env, xs[i]) })
}

func (e *evaluator) fold(t *Term, env *binding, z Value, xs Values) Value {
	for _, x := range xs {
		z = e.call(t.Kids[0], env, z, x)
	}
	return z
}

// evalScan gives the accumulator after each element, or before it.
func evalScan(e *evaluator, t *Term, env *binding) Value {
	z, xs := e.eval(t.Kids[1], env), e.array(t.Arg(), env)
	return build(len(xs), func(i int) Value {
		before := z
		z = e.call(t.Kids[0], env, z, xs[i])
		if t.Op == ScanBefore || t.Op == ScanBeforeSeq {
			return before
		}
		return z
	})
}

func evalReduce(e *evaluator, t *Term, env *binding) Value {
	return Values{e.fold(t, env, e.eval(t.Kids[1], env), e.array(t.Arg(), env))}
}

// evalPartRed reduces chunks of consecutive elements. Any other partition would be correct too: only the reduction of the
// result is determined.
func evalPartRed(e *evaluator, t *Term, env *binding) Value {
	z, xs, m := e.eval(t.Kids[1], env), e.array(t.Arg(), env), e.size(t.Sizes[0])
	chunk := len(xs) / max(m, 1)
	return build(m, func(i int) Value { return e.fold(t, env, z, xs[i*chunk:(i+1)*chunk]) })
}

func evalIterate(e *evaluator, t *Term, env *binding) Value {
	xs := e.array(t.Arg(), env)
	f, in := t.Kids[0], t.Arg().Type
	for range t.Ints[0] {
		if f = f.taking([]*Type{in}); f.err != nil {
			panic(throw.Of(f.err))
		}
		xs = e.call(f, env, xs).(Values)
		in = f.Type.Result
	}
	return xs
}
