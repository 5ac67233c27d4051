package derive

import (
	"fmt"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// A vector is loaded and stored with one access, so the elements that asVector combines must be adjacent in memory. This file checks
// that by following the views between each vector and the input or result that it belongs to, at sample indices. One vector with
// elements apart is enough to reject a term, because the same code serves all of them.

// location says where a value is stored: the elements of an array, the components of a tuple, or a number (of a vector, its first
// lane) in an argument of the kernel. It is nil for values that are computed or in other memory, about which nothing is known.
type location struct {
	at      func(i int64) *location
	get     func(k int) *location
	in      string // the argument
	address int64  // the element of it
}

// argument is the location of an argument of a type, from an element on.
func (a *adjacency) argument(t *lift.Type, in string, first int64) *location {
	switch t.Kind {
	case lift.ArrayType:
		n := a.size(t.Len)
		return &location{at: func(i int64) *location { return a.argument(t.Elem, in, first*n+i) }}
	case lift.TupleType: // an array for each component
		return &location{get: func(k int) *location { return a.argument(t.Elems[k], fmt.Sprintf("%s.%d", in, k), first) }}
	}
	return &location{in: in, address: first * max(1, int64(t.Width))}
}

func (s *location) index(i int64) *location {
	if s == nil || s.at == nil {
		return nil
	}
	return s.at(i)
}

func (s *location) part(k int) *location {
	if s == nil || s.get == nil {
		return nil
	}
	return s.get(k)
}

// elements is the location of an array.
func elements(at func(i int64) *location) *location { return &location{at: at} }

// scope holds the locations of variables; a de Bruijn index counts along it.
type scope struct {
	outer *scope
	value *location
}

// adjacency follows views at given sizes.
type adjacency struct{ sizes map[string]int64 }

// checkVectors returns an error if the elements of some vector are not adjacent in an input or in the result.
func (e *explorer) checkVectors(body *lift.Term) (err error) {
	if body.Ops()&lift.Set(lift.AsVector, lift.AsScalar) == 0 {
		return nil
	}
	defer func() {
		if x := recover(); x != nil {
			unknown, ok := x.(noSize)
			if !ok {
				panic(x)
			}
			err = unknown.error
		}
	}()
	a := &adjacency{e.opt.Sizes}
	var env *scope
	for _, in := range e.start.Inputs {
		env = &scope{env, a.argument(in.Type, in.Name, 0)}
	}
	return a.walk(body, env, a.argument(body.Type, "the result", 0))
}

// vectorizes reports whether a strategy that makes vectors applies to the fused body, under so many views, and whether the vectors
// that it makes must be rejected whatever is done next.
func (e *explorer) vectorizes(under int, s rules.Strategy) (applies bool, refused error) {
	body, err := (&rules.Run{Options: e.rules}).Do(rules.Below(under, s), e.fused)
	if err != nil {
		return false, nil
	}
	return true, e.checkVectors(body)
}

// noSize is an error of a size, carried by a panic that checkVectors recovers.
type noSize struct{ error }

func (a *adjacency) size(s lift.Size) int64 {
	n, err := s.Eval(a.sizes)
	if err != nil {
		panic(noSize{err})
	}
	return n
}

// rearranged maps the patterns that only rearrange data to the location of their result, given that of their array xs.
var rearranged = map[lift.Op]func(a *adjacency, t *lift.Term, xs *location) *location{
	lift.Split: func(a *adjacency, t *lift.Term, xs *location) *location { return chunksOf(a.size(t.Sizes[0]), xs) },
	lift.Join: func(a *adjacency, t *lift.Term, xs *location) *location {
		return joined(a.size(t.Arg().Type.Elem.Len), xs)
	},
	lift.Transpose: func(_ *adjacency, _ *lift.Term, xs *location) *location { return transposed(xs) },
	lift.Reorder:   func(_ *adjacency, _ *lift.Term, xs *location) *location { return xs },
	lift.Gather:    func(a *adjacency, t *lift.Term, xs *location) *location { return a.permuted(t.Index, t.Type.Len, xs) },
	lift.Scatter: func(a *adjacency, t *lift.Term, xs *location) *location {
		return a.permuted(t.Index.Inverse(t.Type.Len), t.Type.Len, xs)
	},
	lift.Slide: func(a *adjacency, t *lift.Term, xs *location) *location {
		step := a.size(t.Sizes[1])
		return elements(func(w int64) *location { return elements(func(i int64) *location { return xs.index(w*step + i) }) })
	},
	lift.Pad: func(a *adjacency, t *lift.Term, xs *location) *location {
		left, n := a.size(t.Sizes[0]), a.size(t.Arg().Type.Len)
		return elements(func(i int64) *location { return xs.index(int64(lift.PadMode(t.Ints[0]).Index(int(i-left), int(n)))) })
	},
	lift.Inset: func(a *adjacency, t *lift.Term, xs *location) *location {
		left, n := a.size(t.Sizes[0]), a.size(t.Arg().Type.Len)
		return elements(func(i int64) *location {
			if i < left || i >= left+n {
				return nil
			}
			return xs.index(i - left)
		})
	},
	lift.AsVector: func(_ *adjacency, t *lift.Term, xs *location) *location {
		w := int64(t.Ints[0])
		return elements(func(i int64) *location { return xs.index(i * w) })
	},
	lift.AsScalar: func(_ *adjacency, t *lift.Term, xs *location) *location {
		return lanes(int64(t.Arg().Type.Elem.Width), xs)
	},
}

// sources are the inverses: the location of the array of a pattern whose result is to be stored in out.
var sources = map[lift.Op]func(a *adjacency, t *lift.Term, out *location) *location{
	lift.Split: func(a *adjacency, t *lift.Term, out *location) *location { return joined(a.size(t.Sizes[0]), out) },
	lift.Join: func(a *adjacency, t *lift.Term, out *location) *location {
		return chunksOf(a.size(t.Arg().Type.Elem.Len), out)
	},
	lift.Transpose: func(_ *adjacency, _ *lift.Term, out *location) *location { return transposed(out) },
	lift.Reorder:   func(_ *adjacency, _ *lift.Term, out *location) *location { return out },
	lift.ToGlobal:  func(_ *adjacency, _ *lift.Term, out *location) *location { return out },
	lift.Gather: func(a *adjacency, t *lift.Term, out *location) *location {
		return a.permuted(t.Index.Inverse(t.Type.Len), t.Type.Len, out)
	},
	lift.Scatter: func(a *adjacency, t *lift.Term, out *location) *location { return a.permuted(t.Index, t.Type.Len, out) },
	lift.Inset: func(a *adjacency, t *lift.Term, out *location) *location {
		left := a.size(t.Sizes[0])
		return elements(func(i int64) *location { return out.index(i + left) })
	},
	lift.AsVector: func(_ *adjacency, t *lift.Term, out *location) *location { return lanes(int64(t.Ints[0]), out) },
	lift.AsScalar: func(_ *adjacency, t *lift.Term, out *location) *location {
		w := int64(t.Arg().Type.Elem.Width)
		return elements(func(i int64) *location { return out.index(i * w) })
	},
}

func chunksOf(m int64, xs *location) *location {
	return elements(func(i int64) *location { return elements(func(j int64) *location { return xs.index(i*m + j) }) })
}

func joined(m int64, xs *location) *location {
	return elements(func(i int64) *location { return xs.index(i / m).index(i % m) })
}

func transposed(xs *location) *location {
	return elements(func(i int64) *location { return elements(func(j int64) *location { return xs.index(j).index(i) }) })
}

// permuted is xs with the element f(i) at i; unknown if f is nil.
func (a *adjacency) permuted(f *lift.IndexFun, length lift.Size, xs *location) *location {
	if f == nil {
		return nil
	}
	n := a.size(length)
	return elements(func(i int64) *location {
		j, err := f.At(i, n, a.sizes)
		if err != nil {
			return nil
		}
		return xs.index(j)
	})
}

// lanes are the locations of the lanes of an array of vectors.
func lanes(w int64, xs *location) *location {
	return elements(func(i int64) *location {
		v := xs.index(i / w)
		if v == nil || v.in == "" {
			return nil
		}
		return &location{in: v.in, address: v.address + i%w}
	})
}

// view is the location of the value of a term.
func (a *adjacency) view(t *lift.Term, env *scope) *location {
	if arrange := rearranged[t.Op]; arrange != nil {
		return arrange(a, t, a.view(t.Arg(), env))
	}
	switch t.Op {
	case lift.Var:
		for range t.Ints[0] {
			env = env.outer
		}
		return env.value
	case lift.Let:
		return a.view(t.Fn().Body(), &scope{env, a.view(t.Kids[1], env)})
	case lift.Map:
		xs := a.view(t.Arg(), env)
		return elements(func(i int64) *location { return a.view(t.Fn().Body(), &scope{env, xs.index(i)}) })
	case lift.Zip, lift.Tuple:
		parts := make([]*location, len(t.Kids))
		for k, kid := range t.Kids {
			parts[k] = a.view(kid, env)
		}
		if t.Op == lift.Tuple {
			return &location{get: func(k int) *location { return parts[k] }}
		}
		return elements(func(i int64) *location { return &location{get: func(k int) *location { return parts[k].index(i) }} })
	case lift.Unzip:
		xs := a.view(t.Arg(), env)
		return &location{get: func(k int) *location { return elements(func(i int64) *location { return xs.index(i).part(k) }) }}
	case lift.Get:
		return a.view(t.Arg(), env).part(t.Ints[0])
	}
	return nil
}

// walk checks the vectors of a term whose value is stored in out: those that it reads, and those that it writes through views.
// Functions are followed at the first element of their arrays.
func (a *adjacency) walk(t *lift.Term, env *scope, out *location) error {
	switch t.Op {
	case lift.AsVector:
		if err := a.vectors(t.Type, a.view(t.Arg(), env)); err != nil {
			return err
		}
	case lift.AsScalar:
		if err := a.vectors(t.Arg().Type, out); err != nil {
			return err
		}
	}
	for i, k := range t.Kids {
		var to *location
		switch {
		case i == 0 && t.Op.HasFun():
			if err := a.function(t, env, out); err != nil {
				return err
			}
			continue
		case k == t.Arg():
			to = a.source(t, out)
		}
		if err := a.walk(k, env, to); err != nil {
			return err
		}
	}
	return nil
}

// source is the location of the array of a pattern whose value is stored in out.
func (a *adjacency) source(t *lift.Term, out *location) *location {
	switch s := sources[t.Op]; {
	case out == nil:
		return nil
	case s != nil:
		return s(a, t, out)
	case t.Op == lift.Map:
		return elements(func(i int64) *location { return a.through(t.Fn().Body(), out.index(i)) })
	}
	return nil
}

// through is the location of the parameter of a function that only rearranges it and whose result is stored in out.
func (a *adjacency) through(body *lift.Term, out *location) *location {
	for body.Op != lift.Var {
		if out == nil || len(body.Kids) == 0 {
			return nil
		}
		body, out = body.Arg(), a.source(body, out)
	}
	if body.Ints[0] != 0 {
		return nil
	}
	return out
}

// function checks the vectors in the function of a pattern.
func (a *adjacency) function(t *lift.Term, env *scope, out *location) error {
	if t.Fn().Op != lift.Lambda {
		return nil
	}
	params := make([]*location, len(t.Fn().Params))
	var to *location
	switch {
	case t.Op == lift.Let:
		params[0], to = a.view(t.Kids[1], env), out
	case t.Op == lift.Map: // a view
		params[0] = a.view(t.Arg(), env).index(0)
	case lift.Maps.Has(t.Op):
		params[0], to = a.view(t.Arg(), env).index(0), out.index(0)
	case lift.Reductions.Has(t.Op):
		params[len(params)-1] = a.view(t.Arg(), env).index(0)
	}
	for _, p := range params {
		env = &scope{env, p}
	}
	return a.walk(t.Fn().Body(), env, to)
}

// vectors checks the first vectors of an array of type t whose lanes have the locations xs.
func (a *adjacency) vectors(t *lift.Type, xs *location) error {
	const enough = 16
	w := int64(t.Elem.Width)
	for i := range min(a.size(t.Len), enough) {
		first := xs.index(i * w)
		if first == nil || first.in == "" {
			continue
		}
		for k := int64(1); k < w; k++ {
			if next := xs.index(i*w + k); next != nil && (next.in != first.in || next.address != first.address+k) {
				return fmt.Errorf("the %d elements of a vector do not lie next to each other in %s", w, first.in)
			}
		}
	}
	return nil
}
