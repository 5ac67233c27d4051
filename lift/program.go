package lift

import (
	"fmt"
	"maps"
	"slices"
)

// Program is a function from named inputs to a result, with assumptions on the sizes in its types.
type Program struct {
	Name    string
	Sizes   []string     // the size symbols, in the order of their declaration
	Assumed []Assumption // the program's statements about them
	Funs    []*UserFun   // the user functions, in the order of their declaration
	Inputs  []Param
	Body    *Term // the open term under the inputs: a variable of index 0 is the last input
}

// NewProgram makes a program of a lambda whose parameters are the inputs.
func NewProgram(name string, sizeSymbols []string, inputs []string, f *Term) (*Program, error) {
	if f.err != nil {
		return nil, f.err
	}
	p := &Program{Name: name, Sizes: sizeSymbols}
	if f.Type.Kind != FuncType || len(f.Type.Elems) != len(inputs) {
		return nil, fmt.Errorf("program %s has %d inputs, but its function is %s", name, len(inputs), f.Type)
	}
	for i, in := range inputs {
		p.Inputs = append(p.Inputs, Param{in, f.Type.Elems[i]})
	}
	return p.WithBody(f.Body())
}

// Body is the body of a function, under binders for its parameters: of a user function, its call.
func (f *Term) Body() *Term {
	if f.Op == Lambda {
		return f.Kids[0]
	}
	args := []*Term{f}
	for i, p := range f.Type.Elems {
		args = append(args, variable(len(f.Type.Elems)-1-i, p))
	}
	return Make(Call, Attr{}, args...)
}

// WithBody returns the program with another body over the same inputs. The user functions are those of the body.
func (p *Program) WithBody(body *Term) (*Program, error) {
	if body.err != nil {
		return nil, body.err
	}
	if body.open > len(p.Inputs) {
		return nil, fmt.Errorf("program %s: its body has variables that are not inputs", p.Name)
	}
	c := *p
	c.Body = body
	c.Funs = nil
	named := map[string]*UserFun{}
	for _, f := range append(slices.Clone(p.Funs), UserFuns(body)...) {
		if named[f.Name] == f || f.IsBuiltin() {
			continue
		}
		if named[f.Name] != nil {
			return nil, fmt.Errorf("program %s has two functions named %s", p.Name, f.Name)
		}
		named[f.Name] = f
		c.Funs = append(c.Funs, f)
	}
	return &c, nil
}

// UserFuns lists the user functions of a term, builtins included, in the order of first use.
func UserFuns(t *Term) []*UserFun {
	var list []*UserFun
	Walk(t, Set(Fun), func(t *Term) {
		if !slices.Contains(list, t.User) {
			list = append(list, t.User)
		}
	})
	return list
}

// Type is the type of the result.
func (p *Program) Type() *Type { return p.Body.Type }

// Assumptions lists the program's statements about its sizes, and those that its inputs and its body need in addition.
func (p *Program) Assumptions() []Assumption {
	list := slices.Clone(p.Assumed)
	for _, a := range p.needed() {
		if !a.Implied(list) {
			list = append(list, a)
		}
	}
	return list
}

// needed lists the assumptions of the inputs and the body, including those that the program's statements imply.
func (p *Program) needed() []Assumption {
	var list []Assumption
	for _, in := range p.Inputs {
		list = ofLengths(list, in.Type)
	}
	return append(list, p.Body.Assumptions()...)
}

// AtSizes returns the program with constants for size symbols. It fails where one is less than 1, and where an assumption
// does not hold.
func (p *Program) AtSizes(at map[string]int64) (*Program, error) {
	by := map[string]Size{}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if at[name] < 1 {
			return nil, fmt.Errorf("program %s: size %s is %d; sizes are at least 1", p.Name, name, at[name])
		}
		by[name] = Nat(at[name])
	}
	c := *p
	c.Sizes, c.Assumed, c.Inputs = nil, nil, nil
	for _, s := range p.Sizes {
		if _, ok := at[s]; !ok {
			c.Sizes = append(c.Sizes, s)
		}
	}
	var list []Assumption
	if len(c.Sizes) > 0 {
		list = p.Assumptions()
	} else { // all sizes are constants: an implied assumption fails only if one that implies it does
		list = slices.Concat(p.Assumed, p.needed())
	}
	for _, stated := range list {
		a, err := stated.subst(by)
		if err != nil {
			return nil, err
		}
		if a.Refuted() {
			if a == stated {
				return nil, fmt.Errorf("program %s: %s does not hold", p.Name, a)
			}
			return nil, fmt.Errorf("program %s assumes %s, and %s does not hold", p.Name, stated, a)
		}
		c.Assumed = need(c.Assumed, a)
	}
	for _, in := range p.Inputs {
		t, err := in.Type.SubstSizes(by)
		if err != nil {
			return nil, err
		}
		c.Inputs = append(c.Inputs, Param{in.Name, t})
	}
	return c.WithBody(SubstSizes(p.Body, by))
}

func (a Assumption) subst(by map[string]Size) (Assumption, error) {
	var err error
	if a.A, err = a.A.Subst(by); err != nil {
		return a, err
	}
	if a.B, err = a.B.Subst(by); err != nil {
		return a, err
	}
	if a.Index != nil {
		a.Index, err = a.Index.subst(by)
	}
	return a, err
}
