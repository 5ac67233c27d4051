// Package machine finds how often the instructions of machine code are executed in a launch.
//
// Samples keep what each loop of the code holds, not how often it runs; a walk through the kernel knows how often its loops run, not what the
// compiler made of them. Execute matches the loops of both by their nesting, their order and the work in them (match.go): a loop of the code
// that stores four times as much as one of the kernel does four of its iterations in a round. What a loop leaves over is done by further
// loops, or by copies of its body behind it, of which a sub-group executes as many as there are iterations left (rounds.go). Work is the
// measure of both sides (work.go).
package machine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// Kernel is a launch of a kernel. Its work counts what stands behind guards as if all sub-groups passed them, as it stands in the code.
type Kernel struct {
	Subgroups float64
	Work      Work // of all sub-groups
	Loops     []*Loop
}

// Loop is a loop of a kernel.
type Loop struct {
	Name  string
	Fixed bool // the number of iterations stands in the code
	Trips []Trips
	Work  Work // of all iterations, with that of inner loops
	Inner []*Loop
}

// Trips are iterations of a loop that sub-groups make, after so many that the same ones have made with further work-items.
type Trips struct {
	After, Count int64
	Times        float64 // how often sub-groups make them
}

// sum adds up something over the iterations of all sub-groups, where of tells it of the first n.
func (l *Loop) sum(of func(n int64) int64) (sum float64) {
	return lists.Sum(l.Trips, func(t Trips) float64 { return t.Times * float64(of(t.After+t.Count)-of(t.After)) })
}

// iterations are those of all sub-groups.
func (l *Loop) iterations() float64 { return l.sum(func(n int64) int64 { return n }) }

// entries is how often sub-groups begin the loop.
func (l *Loop) entries() float64 { return l.sum(func(n int64) int64 { return min(n, 1) }) }

// Counts are the instructions that sub-groups execute.
type Counts struct {
	Classes  map[string]float64 // as samples name them
	Accesses map[samples.CodeAccess]float64
	Barriers float64
}

// Instructions are all of them.
func (c *Counts) Instructions() (sum float64) {
	return lists.Sum(slices.Sorted(maps.Keys(c.Classes)), func(class string) float64 { return c.Classes[class] })
}

// Ways are the ways in which memory is accessed, in a fixed order, in which sums are the same to all digits.
func (c *Counts) Ways() []samples.CodeAccess {
	return slices.SortedFunc(maps.Keys(c.Accesses), func(a, b samples.CodeAccess) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Array, b.Array), cmp.Compare(a.Bytes, b.Bytes))
	})
}

func newCounts() *Counts {
	return &Counts{Classes: map[string]float64{}, Accesses: map[samples.CodeAccess]float64{}}
}

func (c *Counts) add(p samples.CodePart, times float64) {
	for class, n := range p.Classes {
		c.Classes[class] += float64(n) * times
	}
	for access, n := range p.Accesses {
		c.Accesses[access] += float64(n) * times
	}
	c.Barriers += float64(p.Barriers) * times
}

// join adds others, none of which is less than nothing.
func (c *Counts) join(o *Counts) {
	for class, n := range o.Classes {
		c.Classes[class] += max(n, 0)
	}
	for access, n := range o.Accesses {
		c.Accesses[access] += max(n, 0)
	}
	c.Barriers += max(o.Barriers, 0)
}

// Execute counts what sub-groups execute of the code of a kernel. The error says why that is not sure.
func Execute(k *Kernel, code *samples.Code) (*Counts, error) {
	m := &matcher{kernel: k, joined: joinedIn(code)}
	m.root = m.tree(code)
	if err := m.match(); err != nil {
		return nil, err
	}
	out := newCounts()
	m.execute(m.root, k.Subgroups, out)
	return out, m.check(out)
}

// limits are how far the logarithms of what is executed and of what the kernel does may be apart, by the ranks of keys. Compilers leave out
// loads, or repeat them.
var limits = []float64{0.1, 0.1, 0.2, 0.6}

// check compares what is executed with what the kernel does.
func (m *matcher) check(c *Counts) error {
	done := Work{{Space: Barriers}: c.Barriers}
	for _, a := range c.Ways() {
		done[m.joined.key(Key{spaceOf(a), a.Action, a.Array})] += c.Accesses[a] * float64(a.Bytes)
	}
	want := m.joined.join(m.kernel.Work.Plus(m.skipped, 1))
	for _, key := range want.keys() {
		if key.rank() >= len(limits) {
			break
		}
		if far := math.Abs(math.Log(done[key] / want[key])); far > limits[key.rank()] {
			return fmt.Errorf("as the loops of its machine code are understood, they make other %s than the kernel", key)
		}
	}
	return nil
}
