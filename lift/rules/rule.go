// Package rules rewrites terms of package lift by equations that hold.
//
// A Rule is an equation between two terms, with the conditions under which it holds; most are written in the language
// itself. A Strategy determines where rules are applied: strategies are combined from rules, and macro rules are named
// strategies. A Derivation records the steps, prints in the notation of the papers, and can be replayed.
//
// The rules are those of Steuwer et al., "Generating Performance Portable Code using Rewrite Rules" (001 in comments),
// Figures 6 and 7, and the correct ones of the Lift project; conditions that the papers omit are checked.
package rules

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// Rule is an equation that is applied from left to right.
type Rule struct {
	Name   string
	Left   string // as in lift.Template; for a rule in code its notation alone
	Right  string
	Figure string // of 001, where the rule stands in one: 6c
	Source string // where the rule comes from otherwise
	// Types declares the variables of the left side, as "xs: [A]N", with A, B for any type and N, M for any length.
	Types string
	// Params are the variables that stand on the right side alone; a value is chosen for each when the rule is applied.
	Params []Param
	Where  []Condition
	coded
	left, right *lift.Template
	no          *Refused  // that it does not match
	built       *sync.Map // *lift.Term by application
}

// String is the equation with its conditions.
func (r *Rule) String() string {
	text := r.Left + "  →  " + r.Right
	for i, c := range r.Where {
		text += []string{"   where ", ", "}[min(i, 1)] + c.Text
	}
	return text
}

// Origin is where the rule comes from: its figure in 001, or its source; "" for those of this package.
func (r *Rule) Origin() string {
	if r.Figure != "" {
		return "001 Fig. " + r.Figure
	}
	return r.Source
}

// Param is a parameter of a rule or of a macro rule.
type Param struct {
	Name string
	Kind ParamKind
}

// ParamKind is the meaning of a parameter.
type ParamKind uint8

// The kinds of parameters.
const (
	Length    ParamKind = iota // of chunks, strides or parts: it divides the length of the array that the pattern works on
	Tile                       // the results in a tile: it divides the length of the result
	More                       // elements that are added at the end
	First                      // elements that are apart from those after them
	Narrow                     // the results in a tile along the innermost of three dimensions
	Dimension                  // of the ND-range: 0, 1 or 2
	Width                      // the lanes of a vector
	Count                      // of iterations
	Order                      // in which blockCopy copies
)

// IsNumber reports whether parameters of the kind are whole numbers; the others are sizes.
func (k ParamKind) IsNumber() bool { return k >= Dimension }

// ParamNames lists the names of parameters.
func ParamNames(list []Param) (names []string) {
	return lists.Map(list, func(p Param) string { return p.Name })
}

// Args are the values of a rule's parameters: sizes, or whole numbers where the parameter stands for one.
type Args map[string]lift.Size

// String lists the arguments by name.
func (a Args) String() string {
	return lists.Join(slices.Sorted(maps.Keys(a)), ", ", func(name string) string { return name + " = " + a[name].String() })
}

// Match is a rule that matches at a place, before its conditions are checked.
type Match struct {
	*lift.Bindings
	Term *lift.Term
	Site *Site
	Args Args
}

// Condition restricts a rule.
type Condition struct {
	Text  string
	Holds func(m *Match) bool
}

// Site is the position of a term: the terms that contain it, innermost first, and the kid in each. nil is the root.
type Site struct {
	Outer *Site
	Term  *lift.Term
	Kid   int
}

// Path lists the kids that lead from the root to the site.
func (s *Site) Path() []int {
	var path []int
	for ; s != nil; s = s.Outer {
		path = append(path, s.Kid)
	}
	slices.Reverse(path)
	return path
}

// inside returns the innermost term of these operators in whose function the site is; nil for none.
func (s *Site) inside(ops lift.OpSet) *lift.Term {
	for ; s != nil; s = s.Outer {
		if ops.Has(s.Term.Op) && s.Kid == 0 && s.Term.Op.HasFun() {
			return s.Term
		}
	}
	return nil
}

// insideDim is inside, for one dimension.
func (s *Site) insideDim(op lift.Op, dim int) bool {
	for ; s != nil; s = s.Outer {
		if s.Term.Op == op && s.Kid == 0 && s.Term.Ints[0] == dim {
			return true
		}
	}
	return false
}

// Options are the assumptions that a rewrite may make. The zero value allows those that hold at all sizes.
type Options struct {
	// Given are assumptions on sizes that hold: a rewrite may need these and their consequences.
	Given []lift.Assumption
	// At, if not empty, are sizes of interest: a rewrite may also need assumptions that hold at all of them.
	At []map[string]int64
}

// Refused is why a rule cannot be applied; a rule that does not match at all is refused with ErrNoMatch.
type Refused struct {
	Rule *Rule
	Why  string
}

func (r *Refused) Error() string { return "rule " + r.Rule.Name + ": " + r.Why }

const noMatch = "it does not match"

func (r *Rule) refuse(format string, args ...any) (*lift.Term, error) {
	return nil, &Refused{r, fmt.Sprintf(format, args...)}
}

// Apply rewrites the term at the site, or returns an error that is usually a *Refused.
func (r *Rule) Apply(t *lift.Term, site *Site, args Args, opt Options) (*lift.Term, error) {
	var b *lift.Bindings
	if r.left != nil {
		ok := false
		if b, ok = r.left.Match(t); !ok {
			return nil, r.no
		}
	} else {
		if !r.on.Has(t.Op) || r.arg != 0 && !r.arg.Has(t.Arg().Op) || r.fun != 0 && !r.fun.Has(t.Fn().Op) {
			return nil, r.no
		}
		b = &lift.Bindings{Terms: map[string]*lift.Term{}, Sizes: map[string]lift.Size{}, Ints: map[string]int{}}
	}
	m := &Match{Bindings: b, Term: t, Site: site, Args: args}
	for _, p := range r.Params {
		v, ok := args[p.Name]
		c, constant := v.Const()
		switch {
		case !ok:
			return r.refuse("it needs a value for %s", p.Name)
		case !p.Kind.IsNumber():
			m.Sizes[p.Name] = v
		case !constant:
			return r.refuse("%s is a number, not %s", p.Name, v)
		default:
			m.Ints[p.Name] = int(c)
		}
	}
	for _, c := range r.Where {
		if !c.Holds(m) {
			return r.refuse("it holds where %s", c.Text)
		}
	}
	var right *lift.Term
	if r.code != nil {
		if right = r.code(m); right == nil {
			return nil, r.no
		}
	} else {
		right = r.build(m)
	}
	return r.accept(t, right, opt)
}

// application is what the right side of a rule depends on.
type application struct {
	term *lift.Term
	args string
}

// build makes the right side of a rule that matches. Variants share most of their derivations, and terms live as long as the process: three of four
// right sides have been made before.
func (r *Rule) build(m *Match) *lift.Term {
	key := application{m.Term, m.Args.String()}
	if known, ok := r.built.Load(key); ok {
		return known.(*lift.Term)
	}
	right := r.right.Build(m.Bindings)
	r.built.Store(key, right)
	return right
}

// accept checks that the right side has the type of the left and needs only allowed assumptions.
func (r *Rule) accept(left, right *lift.Term, opt Options) (*lift.Term, error) {
	if err := right.Err(); err != nil {
		return r.refuse("%v", err)
	}
	if right.Type != left.Type {
		return r.refuse("the type would change from %s to %s", left.Type, right.Type)
	}
	if right == left {
		return r.refuse("it changes nothing")
	}
	known := left.Assumptions()
	for _, a := range right.Assumptions() {
		if slices.Contains(known, a) || a.Implied(opt.Given) || a.Implied(known) {
			continue
		}
		if len(opt.At) == 0 {
			return r.refuse("it needs %s", a)
		}
		for _, at := range opt.At {
			if err := a.Check(at); err != nil {
				return r.refuse("%v", err)
			}
		}
	}
	return right, nil
}

// All lists the rules, in a fixed order.
func All() []*Rule { return slices.Clone(all) }

// ByName returns the rule of that name, nil without one.
func ByName(name string) *Rule { return byName[name] }

// Prepare reads the two sides of a rule.
func (r *Rule) Prepare() (err error) {
	r.no, r.built = &Refused{r, noMatch}, new(sync.Map)
	if r.code != nil {
		return nil
	}
	if r.left, err = lift.NewTemplate(r.Left, true); err == nil {
		r.right, err = lift.NewTemplate(r.Right, false)
	}
	return err
}
