package lift

// frame is a binder that a substitution has passed: the types of its parameters in the result.
type frame struct {
	outer   *frame
	params  []*Type
	depth   int  // variables bound by this frame and those outside it
	changed bool // some type differs from what it was, here or outside
	done    map[*Term]*Term
}

// substitution rebuilds a term with its outer variables replaced by other terms. It updates types: replacing a variable by
// one of another type retypes all terms that contain it.
type substitution struct {
	// outer returns the replacement of the variable v, whose de Bruijn index outside the term is i, for use under depth
	// binders.
	outer func(v *Term, i, depth int) *Term
	// free does the same for Free variables; nil keeps them.
	free func(v *Term, depth int) *Term
}

func (s *substitution) apply(t *Term, in *frame) *Term {
	if t.open <= in.depth && !in.changed && (s.free == nil || !t.ops.Has(Free)) {
		return t
	}
	if r, ok := in.done[t]; ok {
		return r
	}
	r := s.rebuild(t, in)
	in.done[t] = r
	return r
}

func (s *substitution) rebuild(t *Term, in *frame) *Term {
	switch t.Op {
	case Var:
		i := t.Ints[0]
		if i >= in.depth {
			return s.outer(t, i-in.depth, in.depth)
		}
		at := i
		for f := in; f != nil; f = f.outer {
			if at < len(f.params) {
				return variable(i, f.params[len(f.params)-1-at])
			}
			at -= len(f.params)
		}
		return t
	case Free:
		if s.free != nil {
			return s.free(t, in.depth)
		}
		return t
	case Lambda:
		return s.lambda(t, t.Params, in)
	}
	kids := make([]*Term, len(t.Kids))
	first := 0
	if t.Op.HasFun() {
		first = 1
	}
	for i := first; i < len(kids); i++ {
		if kids[i] = s.apply(t.Kids[i], in); kids[i].err != nil {
			return kids[i]
		}
	}
	if first == 1 {
		if f := t.Kids[0]; f.Op == Lambda {
			d := &draft{op: t.Op, Attr: t.Attr, kids: kids}
			params := rows[t.Op].params(d)
			if d.err != nil {
				return bad(d.err)
			}
			if len(params) != len(f.Params) {
				return badf("%s: its function takes %d arguments, not %d", t.Op, len(f.Params), len(params))
			}
			kids[0] = s.lambda(f, params, in)
		} else {
			kids[0] = s.apply(f, in)
		}
	}
	return t.With(kids...)
}

func (s *substitution) lambda(f *Term, params []*Type, in *frame) *Term {
	inner := &frame{outer: in, params: params, depth: in.depth + len(params), changed: in.changed, done: map[*Term]*Term{}}
	for i, p := range params {
		inner.changed = inner.changed || p != f.Params[i]
	}
	return Make(Lambda, Attr{Params: params}, s.apply(f.Kids[0], inner))
}

func variable(i int, t *Type) *Term { return Make(Var, Attr{Ints: []int{i}, Params: []*Type{t}}) }

func root() *frame { return &frame{done: map[*Term]*Term{}} }

// Shift adds by to the index of every variable that is bound outside the term: it moves the term under more binders, or
// out of binders that it does not refer to.
func Shift(t *Term, by int) *Term {
	if by == 0 || t.open == 0 || t.err != nil {
		return t
	}
	s := substitution{outer: func(v *Term, i, depth int) *Term {
		if i+by < 0 {
			return badf("a variable would leave the function that binds it")
		}
		return variable(i+by+depth, v.Type)
	}}
	return s.apply(t, root())
}

// Apply is the function f applied to arguments: a call of a user function, or the lambda's body with its parameters
// replaced by the arguments. Argument types may differ from the parameters'; the body is then retyped.
func (f *Term) Apply(args ...*Term) *Term {
	if f.err != nil {
		return f
	}
	for _, a := range args {
		if a.err != nil {
			return a
		}
	}
	if f.Op == Fun {
		if len(args) == 1 && len(f.User.Params) > 1 {
			if g := f.taking([]*Type{args[0].Type}); g != f {
				return g.Apply(args...)
			}
		}
		return Make(Call, Attr{}, append([]*Term{f}, args...)...)
	}
	if f.Op != Lambda || len(args) != len(f.Params) {
		return badf("a function is applied to %d arguments, which it does not take", len(args))
	}
	n := len(args)
	s := substitution{outer: func(v *Term, i, depth int) *Term {
		if i < n {
			return Shift(args[n-1-i], depth)
		}
		return variable(i-n+depth, v.Type)
	}}
	in := root()
	for i, a := range args {
		in.changed = in.changed || a.Type != f.Params[i]
	}
	return s.apply(f.Kids[0], in)
}

// retyped is the lambda with other parameter types.
func (f *Term) retyped(params []*Type) *Term {
	s := substitution{outer: func(v *Term, i, depth int) *Term { return variable(i+depth, v.Type) }}
	return s.lambda(f, params, root())
}

// Hole is a new variable of a term under construction, not bound yet.
func Hole(t *Type) *Term { return Make(Free, Attr{Params: []*Type{t}}) }

// Fn is the lambda with parameters of these types and the body that build returns for them. The variables passed to build
// must not be used outside it.
func Fn(params []*Type, build func(xs ...*Term) *Term) *Term {
	xs := make([]*Term, len(params))
	number := map[*Term]int{}
	for i, p := range params {
		xs[i] = Hole(p)
		number[xs[i]] = len(params) - 1 - i
	}
	body := build(xs...)
	if body.err != nil {
		return body
	}
	s := substitution{
		outer: func(v *Term, i, depth int) *Term { return variable(i+len(params)+depth, v.Type) },
		free: func(v *Term, depth int) *Term {
			if i, ok := number[v]; ok {
				return variable(i+depth, v.Type)
			}
			return v
		},
	}
	return Make(Lambda, Attr{Params: params}, s.apply(body, root()))
}

// Fn1 is Fn for one parameter.
func Fn1(param *Type, build func(x *Term) *Term) *Term {
	return Fn([]*Type{param}, func(xs ...*Term) *Term { return build(xs[0]) })
}

// SubstSizes replaces size symbols everywhere in the term.
func SubstSizes(t *Term, by map[string]Size) *Term {
	done := map[*Term]*Term{}
	var walk func(t *Term) *Term
	walk = func(t *Term) *Term {
		if r, ok := done[t]; ok {
			return r
		}
		kids := make([]*Term, len(t.Kids))
		for i, k := range t.Kids {
			if kids[i] = walk(k); kids[i].err != nil {
				return kids[i]
			}
		}
		a := t.Attr
		a.Sizes, a.Params = nil, nil
		for _, s := range t.Sizes {
			s, err := s.Subst(by)
			if err != nil {
				return bad(err)
			}
			a.Sizes = append(a.Sizes, s)
		}
		for _, p := range t.Params {
			p, err := p.SubstSizes(by)
			if err != nil {
				return bad(err)
			}
			a.Params = append(a.Params, p)
		}
		if a.Index != nil {
			x, err := a.Index.subst(by)
			if err != nil {
				return bad(err)
			}
			a.Index = x
		}
		r := Make(t.Op, a, kids...)
		done[t] = r
		return r
	}
	if t.err != nil {
		return t
	}
	return walk(t)
}
