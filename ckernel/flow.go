package ckernel

import (
	"fmt"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// flow is what a kernel function does: statements with the points where they run, the loops around them, and the arrays that they access. The
// builder reads it, passes complete it, and a kernel is made of it.
//
// A type knows what the types within it know, and nothing else: faults (fault.go) are in terms (number.go), these in the grid of the launch
// (axis.go), that in the flow, the flow in the position where reading stands (build.go), that in the bindings of variables (symbol.go), and these in the builder.
type flow struct {
	grid
	functions []*kernel.Function
	defined   map[string]string // their names, by what they are
	records   []*record
	loops     []*loop
	guards    []*guard
	alike     map[uint64][]*guard // guards by the hash of their sets
	accesses  []*access
	arrays    map[*builderVar]*array
	order     []*array // as they are met
	averages  []kernel.Average
	parts     []part
	doubts    []kernel.Doubt
	opaques   []kernel.Opaque
	ranges    []*kernel.Range
	divisors  map[string]bool // sizes that must have values for an index to be known
	fixed     map[int64]bool  // numbers that are divided by, which are values of sizes
	dividing  bool            // by one of these
	shared    []sharedSize
	context   *polycount.Set // what is assumed of the sizes
}

// record is a statement of the kernel to be.
type record struct {
	kind     kernel.StmtKind
	pos      cfront.Pos
	lhs, rhs expr.Expr
	guard    *guard
	loops    []*loop
	live     live
	memory   kernel.Space
	atomic   bool
}

func newFlow(of faults, opt *Options) flow {
	f := flow{
		grid: grid{
			terms: terms{faults: of, atoms: map[string]*atom{}, temps: map[string]*kernel.Array{}, bounds: map[string]bool{}},
			opt:   opt, taken: map[string]bool{}, tried: map[string]int{}, names: map[*builderVar]string{}, sizes: map[string]*size{}, ownSizes: map[string]string{},
		},
		defined: map[string]string{}, arrays: map[*builderVar]*array{}, divisors: map[string]bool{}, fixed: map[int64]bool{},
	}
	for _, w := range polycount.Words() {
		f.taken[w] = true
	}
	return f
}

// passes complete a flow that has been read, one after the other.
var passes = []struct {
	name string
	run  func(*flow)
	why  string // it has this place
}{
	{"flags", (*flow).mergeFlags, "first, as it takes statements away that others would look at"},
	{"guards", (*flow).guardAll, "before what asks which statements run for all work-items"},
	{"launch", (*flow).wholeLaunch, "after guards, which show how much of the launch statements cover"},
	{"context", (*flow).assumptionsOf, "before dimensions, which look at accesses under more assumptions than hold in the kernel"},
	{"dimensions", (*flow).dimensions, "last, as it needs all accesses and nothing needs it but the kernel"},
}

// finish makes the kernel of what was read.
func (b *flow) finish() *kernel.Kernel {
	b.mustHold("reading")
	for _, p := range passes {
		p.run(b)
		b.mustHold("the pass " + p.name)
	}
	return b.kernel()
}

func (b *flow) mustHold(after string) {
	if err := b.check(); err != nil {
		panic(fmt.Sprintf("ckernel: after %s, the flow of %s is wrong: %v", after, b.fn.Name, err))
	}
}

// check tells what is wrong with a flow: at any time loops of statements are those of the flow, from the outermost, all statements or none have a
// guard, which is one of the flow, and accesses are to its arrays, with as many subscripts as these have dimensions once these are known.
func (b *flow) check() error {
	loops, guards, arrays := setOfAll(b.loops), setOfAll(b.guards), setOfAll(b.order)
	guarded := 0
	for _, r := range b.records {
		at := fmt.Sprintf("the statement of line %d", r.pos.Line)
		switch {
		case r.live.domain == nil:
			return fmt.Errorf("%s runs nowhere", at)
		case r.kind == kernel.Assign && (r.lhs == nil || r.rhs == nil):
			return fmt.Errorf("%s assigns nothing", at)
		case r.guard != nil && !guards[r.guard]:
			return fmt.Errorf("%s has a guard that is not one of the flow", at)
		}
		for i, l := range r.loops {
			if !loops[l] || !slices.Equal(l.outer, r.loops[:i]) {
				return fmt.Errorf("%s is in the loop %s, which is not one of the flow in that place", at, l.name)
			}
		}
		if r.guard != nil {
			guarded++
		}
	}
	if guarded != 0 && guarded != len(b.records) {
		return fmt.Errorf("%d of %d statements have a guard", guarded, len(b.records))
	}
	for _, x := range b.accesses {
		switch {
		case !arrays[x.array]:
			return fmt.Errorf("the access of line %d is to no array of the flow", x.pos.Line)
		case x.array.shape != nil && len(x.subs) != len(x.array.shape):
			return fmt.Errorf("the access of line %d has %d subscripts, and %s has %d dimensions", x.pos.Line, len(x.subs), x.array.name, len(x.array.shape))
		}
	}
	return nil
}

func setOfAll[T comparable](list []T) map[T]bool {
	out := map[T]bool{}
	for _, x := range list {
		out[x] = true
	}
	return out
}

// assumptionsOf notes what the kernel assumes of the sizes.
func (b *flow) assumptionsOf() { b.context = b.contextSet() }
