package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gpuperf/lift"
)

// Run is a rewriting in progress: its assumptions and the steps so far.
type Run struct {
	Options
	Steps []Step
	// MaxSteps bounds the steps of strategies that repeat; 0 means 1000.
	MaxSteps int
}

// Step is a rule that was applied at a place.
type Step struct {
	Rule *Rule
	Args Args
	Path []int // the kids that lead from the root to the place
}

// Strategy rewrites a term at a site. It returns the rewritten term, or an error if it does not apply; then the run is
// unchanged.
type Strategy func(run *Run, t *lift.Term, site *Site) (*lift.Term, error)

// errNowhere reports that a strategy applies nowhere in the term.
var errNowhere = errors.New("the strategy applies nowhere")

// Do rewrites a term from its root.
func (run *Run) Do(s Strategy, t *lift.Term) (*lift.Term, error) { return run.at(s, t, nil) }

// at runs the strategy, and forgets the steps of one that fails.
func (run *Run) at(s Strategy, t *lift.Term, site *Site) (*lift.Term, error) {
	before := len(run.Steps)
	r, err := s(run, t, site)
	if err != nil {
		run.Steps = run.Steps[:before]
		return nil, err
	}
	return r, nil
}

// With is the strategy that applies the rule at the term itself. Args come in pairs of a name and a size or an int.
func (r *Rule) With(args ...any) Strategy {
	a := Args{}
	for i := 0; i+1 < len(args); i += 2 {
		switch v := args[i+1].(type) {
		case lift.Size:
			a[args[i].(string)] = v
		case int:
			a[args[i].(string)] = lift.Nat(int64(v))
		default:
			panic(fmt.Sprintf("rule %s: argument %v is a %T", r.Name, args[i], v))
		}
	}
	return r.WithArgs(a)
}

// WithArgs is With for arguments that are collected already.
func (r *Rule) WithArgs(a Args) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) { return run.apply(r, a, t, site) }
}

func (run *Run) apply(r *Rule, args Args, t *lift.Term, site *Site) (*lift.Term, error) {
	if most := cmp.Or(run.MaxSteps, 1000); len(run.Steps) >= most {
		return nil, fmt.Errorf("more than %d steps", most)
	}
	right, err := r.Apply(t, site, args, run.Options)
	if err != nil {
		return nil, err
	}
	run.Steps = append(run.Steps, Step{r, args, site.Path()})
	return right, nil
}

// Use is With for the rule of a name, which must exist.
func Use(name string, args ...any) Strategy {
	r := ByName(name)
	if r == nil {
		panic("no rule is named " + name)
	}
	return r.With(args...)
}

// ID changes nothing.
func ID(_ *Run, t *lift.Term, _ *Site) (*lift.Term, error) { return t, nil }

// Seq applies strategies in sequence, each to the result of the previous one.
func Seq(list ...Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		var err error
		for _, s := range list {
			if t, err = run.at(s, t, site); err != nil {
				return nil, err
			}
		}
		return t, nil
	}
}

// Else applies the first strategy of the list that applies.
func Else(list ...Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		err := errNowhere
		for _, s := range list {
			r, e := run.at(s, t, site)
			if e == nil {
				return r, nil
			}
			err = better(err, e)
		}
		return nil, err
	}
}

// better prefers, of the errors of alternatives, one that is more specific than a missing match.
func better(old, now error) error {
	if r, ok := old.(*Refused); ok && r.Why != noMatch || now == errNowhere {
		return old
	}
	return now
}

// Try applies the strategy if it applies, and otherwise leaves the term unchanged.
func Try(s Strategy) Strategy { return Else(s, ID) }

// Repeat applies the strategy as often as it applies.
func Repeat(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		for {
			r, err := run.at(s, t, site)
			if err != nil || r == t {
				return t, nil
			}
			t = r
		}
	}
}

// withKid returns the term with another kid. Rules preserve types, so an error here is a fault of a rule.
func withKid(t *lift.Term, i int, kid *lift.Term) (*lift.Term, error) {
	kids := slices.Clone(t.Kids)
	kids[i] = kid
	r := t.With(kids...)
	return r, r.Err()
}

// AtKid applies the strategy to one kid of the term.
func AtKid(i int, s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		if i < 0 || i >= len(t.Kids) {
			return nil, fmt.Errorf("%s has no kid %d", t.Op, i)
		}
		r, err := run.at(s, t.Kids[i], &Site{site, t, i})
		if err != nil {
			return nil, err
		}
		return withKid(t, i, r)
	}
}

// AtArg applies the strategy to the last kid of the term: the array that a pattern works on.
func AtArg(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		return AtKid(len(t.Kids)-1, s)(run, t, site)
	}
}

// Below applies the strategy n patterns below the term, each the array that the one before works on.
func Below(n int, s Strategy) Strategy {
	for range n {
		s = AtArg(s)
	}
	return s
}

// AtBody applies the strategy to the body of a pattern's function.
func AtBody(s Strategy) Strategy { return AtKid(0, AtKid(0, s)) }

// One applies the strategy to the first kid where it applies.
func One(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		err := errNowhere
		for i := range t.Kids {
			r, e := run.at(AtKid(i, s), t, site)
			if e == nil {
				return r, nil
			}
			err = better(err, e)
		}
		return nil, err
	}
}

// TopDown applies the strategy at the first place where it applies, a term before its kids.
func TopDown(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		return Else(s, One(TopDown(s)))(run, t, site)
	}
}

// BottomUp applies the strategy at the first place where it applies, the kids of a term before it.
func BottomUp(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		return Else(One(BottomUp(s)), s)(run, t, site)
	}
}

// At applies the strategy at the end of a path.
func At(path []int, s Strategy) Strategy {
	for i := len(path) - 1; i >= 0; i-- {
		s = AtKid(path[i], s)
	}
	return s
}

// Where applies the strategy to terms that a test passes.
func Where(ok func(t *lift.Term) bool, s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		if !ok(t) {
			return nil, errNowhere
		}
		return s(run, t, site)
	}
}

// Normalize applies strategies anywhere until none applies.
func Normalize(list ...Strategy) Strategy { return Repeat(TopDown(Else(list...))) }

// Derivation is the sequence of rules, with their positions, by which a program was rewritten.
type Derivation struct {
	Start  *lift.Program
	Steps  []Step
	Result *lift.Program
}

// Derive rewrites the body of a program by a strategy.
func Derive(p *lift.Program, s Strategy, opt Options) (*Derivation, error) {
	run := &Run{Options: opt}
	run.Given = append(append([]lift.Assumption(nil), p.Assumptions()...), opt.Given...)
	body, err := run.Do(s, p.Body)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", p.Name, err)
	}
	q, err := p.WithBody(body)
	if err != nil {
		return nil, err
	}
	return &Derivation{p, run.Steps, q}, nil
}

// Replay applies the steps again, and returns the program after each; the last is the result.
func (d *Derivation) Replay(opt Options) ([]*lift.Program, error) {
	run := &Run{Options: opt, MaxSteps: len(d.Steps) + 1}
	run.Given = append(append([]lift.Assumption(nil), d.Start.Assumptions()...), opt.Given...)
	var list []*lift.Program
	p := d.Start
	for i, s := range d.Steps {
		body, err := run.Do(At(s.Path, func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
			return run.apply(s.Rule, s.Args, t, site)
		}), p.Body)
		if err == nil {
			p, err = p.WithBody(body)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		list = append(list, p)
	}
	if p.Body != d.Result.Body {
		return nil, fmt.Errorf("the derivation leads to a different program")
	}
	return list, nil
}

// String is the derivation as 001 Figure 10 prints one: each line is an expression, and the rule that gives it from the line
// before.
func (d *Derivation) String() string {
	list, err := d.Replay(Options{At: []map[string]int64{}})
	if err != nil {
		return d.short()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s\n", d.Start.Name, d.Start.BodyText())
	width := 0
	for _, s := range d.Steps {
		width = max(width, len(s.label()))
	}
	for i, p := range list {
		fmt.Fprintf(&b, "  =%-*s %s   (%d)\n", width, d.Steps[i].label(), p.BodyText(), i+1)
	}
	return b.String()
}

// label names a step: by the figure of the paper, otherwise by the rule.
func (s Step) label() string {
	return cmp.Or(s.Rule.Figure, s.Rule.Name)
}

func (d *Derivation) short() string {
	var b strings.Builder
	for _, s := range d.Steps {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}

// String is the step as text: splitJoin(n = 4) at 0.1.0.
func (s Step) String() string {
	text := s.Rule.Name
	if len(s.Args) > 0 {
		text += "(" + s.Args.String() + ")"
	}
	var parts []string
	for _, k := range s.Path {
		parts = append(parts, strconv.Itoa(k))
	}
	if len(parts) > 0 {
		text += " at " + strings.Join(parts, ".")
	}
	return text
}

// Macro is a strategy with a name: several rules at once, in a fixed order (001 section 6.1).
type Macro struct {
	Name string
	Says string // what it does, in one line
	Run  func(args Args) Strategy
	// Params are the arguments it needs.
	Params []Param
}

var macros = map[string]*Macro{}

// Macros lists the macro rules by name.
func Macros() []*Macro {
	var list []*Macro
	for _, name := range slices.Sorted(maps.Keys(macros)) {
		list = append(list, macros[name])
	}
	return list
}

// MacroByName returns the macro rule of that name, nil without one.
func MacroByName(name string) *Macro { return macros[name] }

// fuseReduce makes the reduction of a map sequential and fuses the two (the end of 001 Figure 10).
var fuseReduce Strategy

func uses(names ...string) (list []Strategy) {
	for _, n := range names {
		list = append(list, Use(n))
	}
	return list
}

func addMacros() {
	// Fusions fuse consecutive maps, and maps with the reductions of their results; simplifications remove pairs of inverse views.
	fusions := uses("mapFusion", "mapSeqFusion", "mapGlbFusion", "mapLclFusion", "mapWrgFusion", "reduceMapFusion", "reduceUnrollFusion")
	simplifications := uses("joinSplit", "splitJoinID", "joinVecSplitVec", "asVectorAsScalar", "transposeTwice", "scatterGather",
		"gatherScatter", "gatherGather", "iterateZero", "iterateOne", "toGlobalTwice", "toLocalTwice")
	fuseReduce = Seq(Try(Use("reduceSeq")), Repeat(Seq(AtKid(2, Use("mapSeq")), Use("reduceMapFusion"))))
	for _, m := range []Macro{
		{Name: "simplify", Says: "removes views that undo each other", Run: func(Args) Strategy { return Normalize(simplifications...) }},
		{Name: "fuse", Says: "fuses maps with maps, and with the sequential reductions after them", Run: func(Args) Strategy {
			return Normalize(append(slices.Clone(fusions), simplifications...)...)
		}},
		{Name: "fuseReduce", Says: "makes a reduction of a map sequential, and one with it (001 Figure 10)", Run: func(Args) Strategy {
			return TopDown(fuseReduce)
		}},
		{Name: "chunkReduce", Says: "reduces chunks of n first, each on its own, with the map before fused (001 Figure 10)", Params: []Param{{"n", Length}}, Run: chunkReduce},
		{Name: "tile1D", Says: "computes a stencil along one dimension in overlapping tiles of t results", Params: []Param{{"t", Tile}}, Run: func(a Args) Strategy {
			return TopDown(Use("tileStencils", "t", a["t"]))
		}},
		{Name: "tile2D", Says: "computes a stencil along two dimensions in overlapping tiles of t by v results", Params: []Param{{"t", Tile}, {"v", Tile}}, Run: func(a Args) Strategy {
			return TopDown(Use("tileStencils2D", "t", a["t"], "v", a["v"]))
		}},
		{Name: "tileMaps", Says: "computes a matrix in tiles of n by m", Params: []Param{{"n", Length}, {"m", Length}}, Run: func(a Args) Strategy {
			// Rows in chunks of n; in each chunk columns in chunks of m; the two inner loops next to each other.
			return TopDown(Seq(Use("splitJoin", "n", a["n"]), AtKid(0, AtKid(0, AtKid(0,
				Seq(Use("mapMapInterchange"), AtKid(0, Use("splitJoin", "n", a["m"]))))))))
		}},
		{Name: "interchange", Says: "exchanges two nested maps", Run: func(Args) Strategy { return TopDown(Use("mapMapInterchange")) }},
		{Name: "localCopy", Says: "copies what each work-group reads to local memory", Run: func(Args) Strategy {
			return BottomUp(Else(Use("copyLocal2D"), Use("copyLocal")))
		}},
		{Name: "privateCopy", Says: "copies what each work-item reads to private memory", Run: func(Args) Strategy {
			return TopDown(Else(Use("copyPrivate"), Use("copyPrivateGlb")))
		}},
		{Name: "vectorize", Says: "computes on vectors of w", Params: []Param{{"w", Width}}, Run: func(a Args) Strategy {
			return BottomUp(Else(Use("vectorizeReduce", "w", a["w"]), Use("vectorize", "w", a["w"])))
		}},
		{Name: "coalesce", Says: "lets neighbouring work-items work on neighbouring elements, s chunks apart", Params: []Param{{"s", Length}}, Run: func(a Args) Strategy {
			return TopDown(Seq(Use("partRedReorder"), AtKid(2, Use("reorderStride", "s", a["s"]))))
		}},
		{Name: "groups", Says: "maps to work-groups along d, and the maps in it to work-items", Params: []Param{{"d", Dimension}}, Run: func(a Args) Strategy {
			return TopDown(Seq(Use("mapWrg", "d", a["d"]), AtKid(0, TopDown(Use("mapLcl", "d", a["d"])))))
		}},
		{Name: "sequential", Says: "makes sequential what is not yet mapped to anything", Run: func(Args) Strategy {
			return Seq(Repeat(TopDown(Use("reduceSeq"))), Repeat(TopDown(Use("mapSeq"))))
		}},
	} {
		macros[m.Name] = &m
	}
}

// chunkReduce follows 001 Figure 10: reduce f z ∘ map g becomes reduce f z ∘ join ∘ map (reduceSeq …) ∘ split n.
func chunkReduce(a Args) Strategy {
	n := a["n"]
	return TopDown(func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		if t.Op != lift.Reduce || t.Arg().Type.Kind != lift.ArrayType {
			return nil, errNowhere
		}
		m, err := t.Arg().Type.Len.Div(n)
		if err != nil {
			return nil, err
		}
		return Seq(
			Use("reducePart", "m", m),
			AtKid(2, Seq(
				Use("partRedSplit", "n", n),
				// join o map(partRed) o split(n) o map(g): the split passes the map, and the maps fuse.
				AtKid(0, Seq(
					Repeat(AtKid(1, Use("splitMap"))),
					Repeat(Use("mapFusion")),
					AtKid(0, AtKid(0, Seq(Use("partRedReduce"), fuseReduce))),
				)),
			)),
		)(run, t, site)
	})
}
