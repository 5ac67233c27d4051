package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/intmath"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// A search for a tree may leave choices to its caller, as Papenhausen and Mueller (Coding Ants, 2018) do: in what order and how far components of the dependences are
// fused (their O2), and beside that by which hyperplanes (O3).

// Decide says which of the options of a choice is taken, by its number.
type Decide func(choice string, options []string) int

// Partitions finds a tree of launches whose outermost parts are decided: which component comes next, and whether it is with the ones before.
func Partitions(decide Decide) Strategy {
	return func(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
		p := forHost(n, opt, (*pluto).launch)
		p.order = decide
		return find(n, dependences, p)
	}
}

// Hyperplanes is Partitions whose outermost two loops of a part are decided too, where it has few statements: first whether a loop is one of the text or a skewed one.
func Hyperplanes(decide Decide) Strategy {
	return func(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
		p := forHost(n, opt, (*pluto).launch)
		p.order, p.loops = decide, decide
		return find(n, dependences, p)
	}
}

// decided are the outermost parts as they are decided, once.
func (p *pluto) decided(circles [][]*scop.Statement, edges []*edge) (groups [][]*scop.Statement, err error) {
	decide := p.order
	p.order = nil
	left := slices.Clone(circles)
	var last []*scop.Statement
	for i := 1; len(left) > 0; i++ {
		var ready [][]*scop.Statement
		var names []string
		for _, c := range left {
			if !slices.ContainsFunc(left, func(d []*scop.Statement) bool { return &c[0] != &d[0] && follows(c, d, edges) }) {
				ready, names = append(ready, c), append(names, nameOf(c))
			}
		}
		at := 0
		if len(ready) > 1 {
			at = decide(fmt.Sprintf("part %d", i), names)
		}
		next := ready[at]
		left = slices.DeleteFunc(left, func(c []*scop.Statement) bool { return &c[0] == &next[0] })
		together := false
		if last != nil {
			if together, err = p.together(last, next, edges); err != nil {
				return nil, err
			}
			if together {
				options := []string{"with " + nameOf(last), "apart"}
				if p.depth(last) != p.depth(next) {
					slices.Reverse(options)
				}
				together = options[decide(nameOf(next), options)] != "apart"
			}
		}
		if !together {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], next...)
		last = next
	}
	return groups, nil
}

// follows reports that statements depend on others.
func follows(list, on []*scop.Statement, edges []*edge) bool {
	return slices.ContainsFunc(edges, func(e *edge) bool { return slices.Contains(on, e.from) && slices.Contains(list, e.to) })
}

// together reports that two components may be fused: both have loops, and the outermost one of both is parallel or of neither.
func (p *pluto) together(a, b []*scop.Statement, edges []*edge) (bool, error) {
	if p.depth(a) == 0 || p.depth(b) == 0 {
		return false, nil
	}
	var parallel [2]bool
	for i, list := range [][]*scop.Statement{a, b} {
		l, err := p.loop(list, among(list, edges), aim{})
		if err != nil {
			return false, nil //nolint:nilerr // it has no loop that could be fused
		}
		parallel[i] = l.Parallel
	}
	return parallel[0] == parallel[1], nil
}

// among are the edges between statements of a list.
func among(list []*scop.Statement, edges []*edge) []*edge {
	return slices.DeleteFunc(slices.Clone(edges), func(e *edge) bool { return !slices.Contains(list, e.from) || !slices.Contains(list, e.to) })
}

// mostDecided is how many loops of a part are decided.
const mostDecided = 2

// Kinds of hyperplanes, each of which is as likely as the other.
const (
	permutation = "permutation"
	skewing     = "skewing"
)

// decidedLoop is a loop that is decided; ok is false where there are none to choose among.
func (p *pluto) decidedLoop(number int, list []*scop.Statement, edges []*edge) (l Loop, ok bool) {
	if p.loops == nil || number > mostDecided {
		return l, false
	}
	kinds := map[string][]Loop{}
	for _, l := range p.hyperplanes(list, edges) {
		kind, multiple := permutation, false
		for s := range l.Of {
			used, common := int64(0), int64(0)
			for i := range s.Loops {
				used += max(l.coefficient(s, i), -l.coefficient(s, i))
				common = intmath.GCD(common, l.coefficient(s, i))
			}
			if used != 1 {
				kind = skewing
			}
			multiple = multiple || common > 1 // as 2·i, which is i with iterations that do nothing
		}
		if !multiple {
			kinds[kind] = append(kinds[kind], l)
		}
	}
	var options []string
	for _, kind := range []string{permutation, skewing} {
		if len(kinds[kind]) > 0 {
			options = append(options, kind)
		}
	}
	if len(options) == 0 {
		return l, false
	}
	name := fmt.Sprintf("loop %d of %s", number, nameOf(list))
	kind := options[0]
	if len(options) > 1 {
		kind = options[p.loops(name+" is a", options)]
	}
	of := kinds[kind]
	if len(of) == 1 {
		return of[0], true
	}
	var texts []string
	for _, l := range of {
		texts = append(texts, textOfLoop(l, list))
	}
	return of[p.loops(name, texts)], true
}

// textOfLoop is a hyperplane as an option: that of each statement.
func textOfLoop(l Loop, list []*scop.Statement) string {
	var all []string
	for _, s := range list {
		if text := strings.ReplaceAll(l.Of[s].String(), " ", ""); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "|")
}

func nameOf(list []*scop.Statement) string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return strings.Join(names, "+")
}
