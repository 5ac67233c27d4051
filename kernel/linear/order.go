package linear

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/throw"
)

// precedence lists, per statement, those that must run before it: its dependencies, and of statements that touch the
// same variable, one of them writing, without any dependency, the one written first.
func (b *builder) precedence() [][]int {
	n := len(b.stmts)
	byID := map[string]int{}
	for i, s := range b.stmts {
		byID[s.ID] = i
	}
	before := make([][]int, n)
	for i, s := range b.stmts {
		for _, d := range s.Deps {
			j, ok := byID[d]
			if !ok {
				panic(throw.Errorf("statement %s depends on %q, which is no statement", s.ID, d))
			}
			if j != i {
				before[i] = append(before[i], j)
			}
		}
	}
	after := reachable(before)
	touch := map[string][]int{}
	for i, s := range b.stmts {
		for _, a := range slices.Concat(s.shared, s.privates) {
			if a.array.PerItem {
				continue
			}
			name := a.array.Name
			if l := touch[name]; len(l) == 0 || l[len(l)-1] != i {
				touch[name] = append(l, i)
			}
		}
	}
	for i, s := range b.stmts {
		for _, a := range slices.Concat(s.shared, s.privates) {
			for _, j := range touch[a.array.Name] {
				if j >= i {
					break
				}
				if !after[i][j] && !after[j][i] && (a.write || b.stmts[j].writes(a.array.Name)) && !slices.Contains(before[i], j) {
					before[i] = append(before[i], j)
				}
			}
		}
	}
	return before
}

func (s *stmt) writes(name string) bool {
	is := func(a access) bool { return a.write && a.array.Name == name }
	return slices.ContainsFunc(s.shared, is) || slices.ContainsFunc(s.privates, is)
}

// reachable[i][j]: j comes before i, directly or not.
func reachable(before [][]int) [][]bool {
	out := make([][]bool, len(before))
	for i := range before {
		seen := make([]bool, len(before))
		var visit func(j int)
		visit = func(j int) {
			for _, p := range before[j] {
				if !seen[p] {
					seen[p] = true
					visit(p)
				}
			}
		}
		visit(i)
		out[i] = seen
	}
	return out
}

// sequence orders the blocks of one loop body by the dependencies of the statements in them. Of the blocks that are
// ready it takes the first that needs no barrier after those placed since the last one, so that fetches of several
// tiles share a barrier; ties go to the order of the text. Explicit barriers do not depend on the order.
func (t *treeBuilder) sequence(blocks []*block, path []string) []*block {
	if len(blocks) == 1 {
		return blocks
	}
	home := map[int]int{} // statement to block
	for i, k := range blocks {
		for _, s := range k.statements() {
			home[s.index] = i
		}
	}
	waits := make([]map[int][2]int, len(blocks)) // block to a pair of statements (earlier, later) that orders it
	for i, k := range blocks {
		waits[i] = map[int][2]int{}
		for _, s := range k.statements() {
			for _, p := range t.before[s.index] {
				if j, here := home[p]; here && j != i {
					if _, known := waits[i][j]; !known {
						waits[i][j] = [2]int{p, s.index}
					}
				}
			}
		}
	}
	placed := make([]bool, len(blocks))
	var out []*block
	var pending []*stmt
	for len(out) < len(blocks) {
		next, quiet := -1, false
		for i := range blocks {
			if placed[i] || !ready(waits[i], placed) {
				continue
			}
			clash := false
			if !t.k.ExplicitBarriers {
				clash = t.clashes(pending, blocks[i].statements(), path)
			}
			if next < 0 || !clash {
				next, quiet = i, !clash
			}
			if quiet {
				break
			}
		}
		if next < 0 {
			throw.If(t.circle(blocks, waits, placed))
			return nil
		}
		if !quiet {
			pending = nil
		}
		placed[next] = true
		out = append(out, blocks[next])
		for _, s := range blocks[next].statements() {
			if len(s.shared) > 0 {
				pending = append(pending, s)
			}
		}
	}
	return out
}

func ready(waits map[int][2]int, placed []bool) bool {
	for j := range waits {
		if !placed[j] {
			return false
		}
	}
	return true
}

func (t *treeBuilder) clashes(pending, stmts []*stmt, path []string) bool {
	for _, p := range pending {
		for _, s := range stmts {
			why, err := throw.Value(func() clash { return t.conflict(p, s, path, "") })
			if err != nil || len(why) > 0 {
				return throw.Get(true, err)
			}
		}
	}
	return false
}

// circle explains why no block is ready.
func (t *treeBuilder) circle(blocks []*block, waits []map[int][2]int, placed []bool) error {
	at := slices.Index(placed, false)
	var trail []int
	for !slices.Contains(trail, at) {
		trail = append(trail, at)
		for j := range blocks { // in order, for a message that is always the same
			if _, ok := waits[at][j]; ok && !placed[j] {
				at = j
				break
			}
		}
	}
	trail = trail[slices.Index(trail, at):]
	var parts, loops []string
	for i, k := range trail {
		pair := waits[k][trail[(i+1)%len(trail)]]
		parts = append(parts, fmt.Sprintf("%s before %s", t.stmts[pair[0]].ID, t.stmts[pair[1]].ID))
		if l := blocks[k].iname; l != "" {
			loops = append(loops, l)
		}
	}
	slices.Reverse(parts)
	if len(loops) == 0 {
		return fmt.Errorf("circular dependencies: %s", strings.Join(parts, ", "))
	}
	slices.Sort(loops)
	return fmt.Errorf("loop %s would have to be entered twice: %s; duplicate_inames gives a statement a loop of its own",
		strings.Join(loops, " or "), strings.Join(parts, ", "))
}
