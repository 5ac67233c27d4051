package derive

import (
	"fmt"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Vectors are loaded and stored as wholes: the elements that asVector puts together lie next to each other in memory. Whether
// they do is seen by following the views between a vector and its input or the result, at single indices: one place where
// they do not is enough to refuse a term, since what it is lowered to serves all.

// spot is what a view shows: the elements of an array, the parts of a tuple, or a number (a vector: its first one) in an
// argument of the kernel. It is nil where the view shows what is computed or lies in other memory, of which nothing is said.
type spot struct {
	at      func(i int64) *spot
	get     func(k int) *spot
	in      string // the argument, and in it the address
	address int64
}

// lies is what an argument of a type shows, from an element on.
func (a *adjacency) lies(t *lift.Type, in string, first int64) *spot {
	switch t.Kind {
	case lift.ArrayType:
		n := a.size(t.Len)
		return &spot{at: func(i int64) *spot { return a.lies(t.Elem, in, first*n+i) }}
	case lift.TupleType: // an array for each component
		return &spot{get: func(k int) *spot { return a.lies(t.Elems[k], fmt.Sprintf("%s.%d", in, k), first) }}
	}
	return &spot{in: in, address: first * max(1, int64(t.Width))}
}

func (s *spot) index(i int64) *spot {
	if s == nil || s.at == nil {
		return nil
	}
	return s.at(i)
}

func (s *spot) part(k int) *spot {
	if s == nil || s.get == nil {
		return nil
	}
	return s.get(k)
}

// elements shows an array.
func elements(at func(i int64) *spot) *spot { return &spot{at: at} }

// shown are the values of variables: a de Bruijn index counts along it.
type shown struct {
	outer *shown
	spot  *spot
}

// adjacency follows views at given sizes.
type adjacency struct{ sizes map[string]int64 }

// apart tells of a vector whose elements do not lie next to each other in an input or in the result; nil where none is found.
func (e *explorer) apart(body *lift.Term) (err error) {
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
	var env *shown
	for _, in := range e.start.Inputs {
		env = &shown{env, a.lies(in.Type, in.Name, 0)}
	}
	return a.walk(body, env, a.lies(body.Type, "the result", 0))
}

// vectorizes reports whether a strategy that makes vectors applies at a place of the fused body, and what is wrong with these
// whatever is done next.
func (e *explorer) vectorizes(under int, s rules.Strategy) (applies bool, refused error) {
	body, err := (&rules.Run{Options: e.rules}).Do(rules.Below(under, s), e.fused)
	if err != nil {
		return false, nil
	}
	return true, e.apart(body)
}

// noSize is an error of a size, carried up by a panic that apart recovers.
type noSize struct{ error }

func (a *adjacency) size(s lift.Size) int64 {
	n, err := s.Eval(a.sizes)
	if err != nil {
		panic(noSize{err})
	}
	return n
}

// rearranged are the patterns that only arrange: what they show of xs.
var rearranged = map[lift.Op]func(a *adjacency, t *lift.Term, xs *spot) *spot{
	lift.Split:     func(a *adjacency, t *lift.Term, xs *spot) *spot { return chunksOf(a.size(t.Sizes[0]), xs) },
	lift.Join:      func(a *adjacency, t *lift.Term, xs *spot) *spot { return joined(a.size(t.Arg().Type.Elem.Len), xs) },
	lift.Transpose: func(_ *adjacency, _ *lift.Term, xs *spot) *spot { return transposed(xs) },
	lift.Reorder:   func(_ *adjacency, _ *lift.Term, xs *spot) *spot { return xs },
	lift.Gather:    func(a *adjacency, t *lift.Term, xs *spot) *spot { return a.permuted(t.Index, t.Type.Len, xs) },
	lift.Scatter: func(a *adjacency, t *lift.Term, xs *spot) *spot {
		return a.permuted(t.Index.Inverse(t.Type.Len), t.Type.Len, xs)
	},
	lift.Slide: func(a *adjacency, t *lift.Term, xs *spot) *spot {
		step := a.size(t.Sizes[1])
		return elements(func(w int64) *spot { return elements(func(i int64) *spot { return xs.index(w*step + i) }) })
	},
	lift.Pad: func(a *adjacency, t *lift.Term, xs *spot) *spot {
		left, n := a.size(t.Sizes[0]), a.size(t.Arg().Type.Len)
		return elements(func(i int64) *spot { return xs.index(int64(lift.PadMode(t.Ints[0]).Index(int(i-left), int(n)))) })
	},
	lift.Inset: func(a *adjacency, t *lift.Term, xs *spot) *spot {
		left, n := a.size(t.Sizes[0]), a.size(t.Arg().Type.Len)
		return elements(func(i int64) *spot {
			if i < left || i >= left+n {
				return nil
			}
			return xs.index(i - left)
		})
	},
	lift.AsVector: func(_ *adjacency, t *lift.Term, xs *spot) *spot {
		w := int64(t.Ints[0])
		return elements(func(i int64) *spot { return xs.index(i * w) })
	},
	lift.AsScalar: func(_ *adjacency, t *lift.Term, xs *spot) *spot { return lanes(int64(t.Arg().Type.Elem.Width), xs) },
}

// sources are the inverses of these: where the elements of its array belong, from where those of the pattern do.
var sources = map[lift.Op]func(a *adjacency, t *lift.Term, out *spot) *spot{
	lift.Split:     func(a *adjacency, t *lift.Term, out *spot) *spot { return joined(a.size(t.Sizes[0]), out) },
	lift.Join:      func(a *adjacency, t *lift.Term, out *spot) *spot { return chunksOf(a.size(t.Arg().Type.Elem.Len), out) },
	lift.Transpose: func(_ *adjacency, _ *lift.Term, out *spot) *spot { return transposed(out) },
	lift.Reorder:   func(_ *adjacency, _ *lift.Term, out *spot) *spot { return out },
	lift.ToGlobal:  func(_ *adjacency, _ *lift.Term, out *spot) *spot { return out },
	lift.Gather: func(a *adjacency, t *lift.Term, out *spot) *spot {
		return a.permuted(t.Index.Inverse(t.Type.Len), t.Type.Len, out)
	},
	lift.Scatter: func(a *adjacency, t *lift.Term, out *spot) *spot { return a.permuted(t.Index, t.Type.Len, out) },
	lift.Inset: func(a *adjacency, t *lift.Term, out *spot) *spot {
		left := a.size(t.Sizes[0])
		return elements(func(i int64) *spot { return out.index(i + left) })
	},
	lift.AsVector: func(_ *adjacency, t *lift.Term, out *spot) *spot { return lanes(int64(t.Ints[0]), out) },
	lift.AsScalar: func(_ *adjacency, t *lift.Term, out *spot) *spot {
		w := int64(t.Arg().Type.Elem.Width)
		return elements(func(i int64) *spot { return out.index(i * w) })
	},
}

func chunksOf(m int64, xs *spot) *spot {
	return elements(func(i int64) *spot { return elements(func(j int64) *spot { return xs.index(i*m + j) }) })
}

func joined(m int64, xs *spot) *spot {
	return elements(func(i int64) *spot { return xs.index(i / m).index(i % m) })
}

func transposed(xs *spot) *spot {
	return elements(func(i int64) *spot { return elements(func(j int64) *spot { return xs.index(j).index(i) }) })
}

// permuted shows xs with the element f(i) at i; nothing is said where f is not known.
func (a *adjacency) permuted(f *lift.IndexFun, length lift.Size, xs *spot) *spot {
	if f == nil {
		return nil
	}
	n := a.size(length)
	return elements(func(i int64) *spot {
		j, err := f.At(i, n, a.sizes)
		if err != nil {
			return nil
		}
		return xs.index(j)
	})
}

// lanes shows the numbers of an array of vectors.
func lanes(w int64, xs *spot) *spot {
	return elements(func(i int64) *spot {
		v := xs.index(i / w)
		if v == nil || v.in == "" {
			return nil
		}
		return &spot{in: v.in, address: v.address + i%w}
	})
}

// view is what a term shows.
func (a *adjacency) view(t *lift.Term, env *shown) *spot {
	if arrange := rearranged[t.Op]; arrange != nil {
		return arrange(a, t, a.view(t.Arg(), env))
	}
	switch t.Op {
	case lift.Var:
		for range t.Ints[0] {
			env = env.outer
		}
		return env.spot
	case lift.Let:
		return a.view(t.Fn().Body(), &shown{env, a.view(t.Kids[1], env)})
	case lift.Map:
		xs := a.view(t.Arg(), env)
		return elements(func(i int64) *spot { return a.view(t.Fn().Body(), &shown{env, xs.index(i)}) })
	case lift.Zip, lift.Tuple:
		parts := make([]*spot, len(t.Kids))
		for k, kid := range t.Kids {
			parts[k] = a.view(kid, env)
		}
		if t.Op == lift.Tuple {
			return &spot{get: func(k int) *spot { return parts[k] }}
		}
		return elements(func(i int64) *spot { return &spot{get: func(k int) *spot { return parts[k].index(i) }} })
	case lift.Unzip:
		xs := a.view(t.Arg(), env)
		return &spot{get: func(k int) *spot { return elements(func(i int64) *spot { return xs.index(i).part(k) }) }}
	case lift.Get:
		return a.view(t.Arg(), env).part(t.Ints[0])
	}
	return nil
}

// walk looks for vectors in a term whose value belongs to out: those that are read, and those that are written through views.
// Functions are followed at the first element of their arrays.
func (a *adjacency) walk(t *lift.Term, env *shown, out *spot) error {
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
		var to *spot
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

// source is where the array of a pattern belongs whose value belongs to out.
func (a *adjacency) source(t *lift.Term, out *spot) *spot {
	switch s := sources[t.Op]; {
	case out == nil:
		return nil
	case s != nil:
		return s(a, t, out)
	case t.Op == lift.Map:
		return elements(func(i int64) *spot { return a.through(t.Fn().Body(), out.index(i)) })
	}
	return nil
}

// through is where the parameter of a function belongs that only arranges it, and whose result belongs to out.
func (a *adjacency) through(body *lift.Term, out *spot) *spot {
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

// function looks for them in the function of a pattern.
func (a *adjacency) function(t *lift.Term, env *shown, out *spot) error {
	if t.Fn().Op != lift.Lambda {
		return nil
	}
	params := make([]*spot, len(t.Fn().Params))
	var to *spot
	switch {
	case t.Op == lift.Let:
		params[0], to = a.view(t.Kids[1], env), out
	case t.Op == lift.Map: // only shows
		params[0] = a.view(t.Arg(), env).index(0)
	case lift.Maps.Has(t.Op):
		params[0], to = a.view(t.Arg(), env).index(0), out.index(0)
	case lift.Reductions.Has(t.Op):
		params[len(params)-1] = a.view(t.Arg(), env).index(0)
	}
	for _, p := range params {
		env = &shown{env, p}
	}
	return a.walk(t.Fn().Body(), env, to)
}

// vectors looks at the first vectors of an array of type t, of the numbers that xs shows.
func (a *adjacency) vectors(t *lift.Type, xs *spot) error {
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
