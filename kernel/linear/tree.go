package linear

import (
	"cmp"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
)

// block is a statement, a barrier or a loop of the tree under construction.
type block struct {
	stmt    *stmt
	barrier *Barrier
	iname   string // of a loop
	kids    []*block
	inside  []*stmt // what statements lists, once asked for
	// ties in the order of blocks: the highest priority of a statement inside, then the lowest index
	priority, first int
	// What barrier.go remembers of a loop: its iterations need no further barrier and leave after behind, and whether it
	// is idle.
	settled bool
	after   []pend
	rest    answer
}

// answer is one that may not have been asked for.
type answer int8

const (
	unknown answer = iota
	yes
	no
)

// A loop is entered at one place, so all statements with an iname lie in one subtree and the loops around a statement
// are exactly its sequential inames. That leaves no choice but for inames that occur in the same statements: where one
// iname's statements include another's, its loop is outside, and where neither includes the other while they share a
// statement there is no program. Priorities choose where there is a choice.

// order builds the tree of loops and orders the blocks in each.
func (b *builder) order() (err error) {
	defer throw.Catch(&err)
	before := b.precedence()
	outside := b.priorities()
	t := &treeBuilder{builder: b, before: before, outside: outside}
	kids := t.build(b.stmts, b.loops, nil)
	b.root = &block{kids: kids}
	return nil
}

type treeBuilder struct {
	*builder
	before  [][]int            // statements that must precede each statement
	outside map[[2]string]bool // {x, y}: a priority puts x outside y
}

// build makes the blocks of statements whose inames on path are open; loops are the inames not open yet.
func (t *treeBuilder) build(stmts []*stmt, loops, path []string) []*block {
	users := map[string][]*stmt{}
	for _, l := range loops {
		for _, s := range stmts {
			if s.in(l) {
				users[l] = append(users[l], s)
			}
		}
	}
	var blocks []*block
	covered := map[*stmt]bool{}
	byCover := slices.Clone(loops)
	slices.SortStableFunc(byCover, func(x, y string) int { return len(users[y]) - len(users[x]) })
	for _, x := range byCover {
		if len(users[x]) == 0 || covered[users[x][0]] {
			continue
		}
		same, rest := t.inside(x, loops, users)
		same = t.nesting(same)
		inner := append(slices.Clone(path), same...)
		kids := t.build(users[x], rest, inner)
		for i := len(same) - 1; i >= 0; i-- {
			kids = []*block{{iname: same[i], kids: kids}}
		}
		blocks = append(blocks, kids[0])
		for _, s := range users[x] {
			covered[s] = true
		}
	}
	for _, s := range stmts {
		if !covered[s] {
			blocks = append(blocks, &block{stmt: s})
		}
	}
	for _, k := range blocks {
		k.first = k.statements()[0].index
		k.priority = slices.MaxFunc(k.statements(), func(x, y *stmt) int { return cmp.Compare(x.Priority, y.Priority) }).Priority
	}
	slices.SortFunc(blocks, func(x, y *block) int {
		return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.first, y.first))
	})
	return t.sequence(blocks, path)
}

// inside are the loops inside x, an outermost loop of its statements: all that share a statement with it. Those that have the same statements come first.
func (t *treeBuilder) inside(x string, loops []string, users map[string][]*stmt) (same, rest []string) {
	for _, y := range loops {
		both, onlyY := split(users[y], func(s *stmt) bool { return s.in(x) })
		if len(both) == 0 {
			continue
		}
		if len(onlyY) > 0 {
			_, onlyX := split(users[x], func(s *stmt) bool { return s.in(y) })
			panic(throw.Errorf("loops %s and %s cannot be nested: statement %s runs in both, %s in %s only and %s in %s only; "+
				"duplicate_inames gives a statement a loop of its own, add_inames_to_insn puts it into the other",
				x, y, both[0].ID, onlyX[0].ID, x, onlyY[0].ID, y))
		}
		if len(both) == len(users[x]) {
			same = append(same, y)
		} else {
			rest = append(rest, y)
			if t.outside[[2]string{y, x}] {
				_, onlyX := split(users[x], func(s *stmt) bool { return s.in(y) })
				panic(throw.Errorf("prioritize_loops wants %s outside %s, but statement %s runs in %s and not in %s; "+
					"duplicate_inames gives it a loop of its own", y, x, onlyX[0].ID, x, y))
			}
		}
	}
	return same, rest
}

func (s *stmt) in(iname string) bool { return slices.Contains(s.loops, iname) }

// nesting orders inames that occur in the same statements, outermost first: by the priorities, unrolled ones inside
// others, then as the domains have them.
func (t *treeBuilder) nesting(inames []string) []string {
	left := slices.Clone(inames)
	slices.SortStableFunc(left, func(x, y string) int { return t.rank(x) - t.rank(y) })
	var out []string
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(x string) bool {
			return !slices.ContainsFunc(left, func(y string) bool { return t.outside[[2]string{y, x}] })
		})
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

func (t *treeBuilder) rank(iname string) int {
	switch t.k.Tags[iname].Kind {
	case kernel.Unroll:
		return 1
	case kernel.ILP:
		return 2
	case kernel.Matrix:
		return 3
	}
	return 0
}

// priorities closes the kernel's priorities transitively. A pair that contradicts earlier ones is left out.
func (b *builder) priorities() map[[2]string]bool {
	outside := map[[2]string]bool{}
	for _, list := range b.k.Priorities {
		for _, name := range list {
			if !b.k.IsIname(name) {
				panic(throw.Errorf("prioritize_loops: unknown iname %q", name))
			}
		}
		for i, x := range list {
			for _, y := range list[i+1:] {
				if x == y || outside[[2]string{y, x}] {
					continue
				}
				outside[[2]string{x, y}] = true
				for _, p := range b.loops {
					for _, q := range b.loops {
						if (p == x || outside[[2]string{p, x}]) && (q == y || outside[[2]string{y, q}]) {
							outside[[2]string{p, q}] = true
						}
					}
				}
			}
		}
	}
	return outside
}

func split(list []*stmt, f func(*stmt) bool) (yes, no []*stmt) {
	for _, s := range list {
		if f(s) {
			yes = append(yes, s)
		} else {
			no = append(no, s)
		}
	}
	return yes, no
}

// statements lists those in the block, sorted.
func (k *block) statements() []*stmt {
	if k.inside != nil {
		return k.inside
	}
	var out []*stmt
	if k.stmt != nil {
		out = append(out, k.stmt)
	}
	for _, kid := range k.kids {
		out = append(out, kid.statements()...)
	}
	slices.SortFunc(out, func(x, y *stmt) int { return x.index - y.index })
	k.inside = out
	return out
}

func ids(stmts []*stmt) string {
	return lists.Join(stmts, ", ", func(s *stmt) string { return s.ID })
}
