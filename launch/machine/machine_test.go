package machine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/samples"
)

// body is what an iteration of a loop does, beside the loop in it.
type body struct {
	array         string
	loads, stores int
	logic         int
	loop          *nest
}

// nest is a loop of a kernel, and how it is compiled.
type nest struct {
	body
	trips  int64
	by     int64 // iterations in a round of its first loop
	copies bool  // what is left is done by copies of the body, not by a second loop
}

// compiler makes machine code, and counts what one sub-group executes of it.
type compiler struct {
	code     *samples.Code
	executed Counts
}

// part adds instructions to the code and to the loop i, -1 for none, and executes them so often.
func (c *compiler) part(i int, b *body, n int, times float64) {
	parts := []samples.CodePart{c.code.CodePart}
	if i >= 0 {
		parts = append(parts, c.code.Loops[i].CodePart)
	}
	counts := newCounts()
	for _, p := range parts {
		p.Classes["logic"] += n * b.logic
		p.Classes["memory"] += n * (b.loads + b.stores)
		p.Accesses[samples.CodeAccess{Space: "global", Action: Load, Bytes: 4, Array: b.array}] += n * b.loads
		p.Accesses[samples.CodeAccess{Space: "global", Action: Store, Bytes: 4, Array: b.array}] += n * b.stores
	}
	counts.Classes["logic"], counts.Classes["memory"] = float64(n*b.logic), float64(n*(b.loads+b.stores))
	for class, k := range counts.Classes {
		c.executed.Classes[class] += k * times
	}
}

// counter adds what a loop needs to come back.
func (c *compiler) counter(i int, times float64) {
	for _, p := range []samples.CodePart{c.code.CodePart, c.code.Loops[i].CodePart} {
		for _, class := range []string{"integer", "compare", "flow"} {
			p.Classes[class]++
		}
	}
	for _, class := range []string{"integer", "compare", "flow"} {
		c.executed.Classes[class] += times
	}
}

// loop compiles a loop that is entered so often, inside of the loop outer.
func (c *compiler) loop(l *nest, outer, depth int, times float64) *Loop {
	out := &Loop{Name: l.array, Trips: []Trips{{Count: l.trips, Times: times}}}
	begin := func(rounds int64, by int) {
		c.code.Loops = append(c.code.Loops, samples.CodeLoop{Depth: depth, CodePart: emptyPart()})
		i := len(c.code.Loops) - 1
		c.part(i, &l.body, by, times*float64(rounds))
		c.counter(i, times*float64(rounds))
		if l.loop != nil {
			inner := c.loop(l.loop, i, depth+1, times*float64(rounds))
			out.Inner = append(out.Inner, inner)
		}
	}
	begin(l.trips/l.by, int(l.by))
	switch left := l.trips % l.by; {
	case l.by == 1:
	case l.copies:
		c.part(outer, &l.body, int(left), times)
		c.part(outer, &l.body, int(l.by-1-left), 0)
	default:
		begin(left, 1)
	}
	out.Work = Work{}
	for _, inner := range out.Inner {
		out.Work = out.Work.Plus(inner.Work, 1)
	}
	n := out.iterations()
	for action, k := range map[string]int{Load: l.loads, Store: l.stores} {
		out.Work[Key{global, action, l.array}] = 4 * float64(k) * n
	}
	return out
}

func emptyPart() samples.CodePart {
	return samples.CodePart{Classes: map[string]int{}, Accesses: map[samples.CodeAccess]int{}}
}

// compile makes the machine code of loops that follow one another.
func compile(list []*nest) (*Kernel, *compiler) {
	c := &compiler{code: &samples.Code{CodePart: emptyPart()}, executed: *newCounts()}
	k := &Kernel{Subgroups: 7, Work: Work{}}
	for _, l := range list {
		loop := c.loop(l, -1, 1, k.Subgroups)
		k.Loops, k.Work = append(k.Loops, loop), k.Work.Plus(loop.Work, 1)
	}
	for i := range c.code.Loops {
		l := &c.code.Loops[i].CodePart
		for _, n := range l.Classes {
			l.Instructions += n
		}
	}
	return k, c
}

// TestExecute compares what is found with what was executed, for kernels and ways to compile them.
func TestExecute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
		var list []*nest
		copies := false
		for i := range small("loops", 1, 3) {
			l := &nest{body: body{array: fmt.Sprint("a", i), loads: small("loads", 0, 3), stores: small("stores", 1, 3), logic: small("logic", 0, 9)}}
			l.trips, l.by = int64(small("trips", 1, 70)), int64(1)<<small("by", 0, 4)
			if l.copies = small("copies", 0, 1) == 1; l.copies {
				l.by = min(l.by, 4)
				copies = copies || l.by > 1
			}
			if small("nested", 0, 2) == 0 {
				outer := &nest{body: body{array: fmt.Sprint("o", i), stores: small("stores", 0, 2), logic: small("logic", 0, 9), loop: l}, trips: int64(small("trips", 1, 9)), by: 1}
				list = append(list, outer)
				continue
			}
			list = append(list, l)
		}
		k, c := compile(list)
		got, err := Execute(k, c.code)
		if err != nil {
			t.Fatal(err)
		}
		for class, want := range c.executed.Classes {
			near := 1e-9
			if copies && class != "logic" && class != "memory" { // what counts iterations is taken for a part of the copies, too
				near = 0.5
			}
			if math.Abs(got.Classes[class]-want) > near*want+7*near*float64(c.code.Classes[class]) {
				t.Errorf("%s: %g, want %g", class, got.Classes[class], want)
			}
		}
	})
}

// TestUnsure: where loops cannot be told apart, or the code does other work than the kernel, there are no counts.
func TestUnsure(t *testing.T) {
	loop := func() []*nest {
		return []*nest{{body: body{array: "a", loads: 1, stores: 1, logic: 2}, trips: 64, by: 4}}
	}
	for _, test := range []struct {
		name   string
		change func(*Kernel, *samples.Code)
		want   string
	}{
		{"none of the kernel", func(k *Kernel, _ *samples.Code) { k.Loops = nil }, "loops that are none of the kernel"},
		{"fixed", func(k *Kernel, _ *samples.Code) { k.Loops[0].Fixed, k.Loops[0].Trips[0].Count = true, 1 }, "loops that are none of the kernel"},
		{"other stores", func(k *Kernel, c *samples.Code) {
			k.Work = k.Work.Plus(Work{{global, Store, "a"}: 4 * 7 * 64}, 1)
		}, "they make other stores of a than the kernel"},
		{"no work", func(_ *Kernel, c *samples.Code) {
			for i := range c.Loops {
				clear(c.Loops[i].Accesses)
			}
			c.Loops = c.Loops[:1]
		}, "no work tells how many iterations of a"},
	} {
		k, c := compile(loop())
		if _, err := Execute(k, c.code); err != nil {
			t.Fatal(err)
		}
		test.change(k, c.code)
		if _, err := Execute(k, c.code); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestRounds counts the rounds of loops by 16, 4 and 1, with and without a block of 8 between them.
func TestRounds(t *testing.T) {
	steps := []int64{16, 4, 1}
	for _, test := range []struct {
		n, copies int64
		want      string
	}{{64, 0, "4 0 0 0"}, {31, 0, "1 3 3 0"}, {31, 8, "1 1 3 8"}, {7, 8, "0 1 3 0"}} {
		got := ""
		for i := range steps {
			got += fmt.Sprint(roundsOf(test.n, steps, i, test.copies), " ")
		}
		if got += fmt.Sprint(leftOf(test.n, steps, test.copies)); got != test.want {
			t.Errorf("%d iterations, %d copies: %s, want %s", test.n, test.copies, got, test.want)
		}
	}
}

// TestSharedIterations: work-items of a sub-group that leave a loop at different times make its rounds one after the other.
func TestSharedIterations(t *testing.T) {
	l := &Loop{Trips: []Trips{{0, 5, 10}, {5, 4, 3}}}
	if l.iterations() != 62 || l.entries() != 10 {
		t.Errorf("%g iterations, %g entries", l.iterations(), l.entries())
	}
	if by4 := l.sum(func(n int64) int64 { return n / 4 }); by4 != 13 {
		t.Errorf("%g rounds of 4", by4)
	}
}

// TestKeys: what a compiler changes least comes first.
func TestKeys(t *testing.T) {
	const local = "local"
	want := []Key{
		{Barriers, "", ""},
		{global, Store, "a"},
		{global, Store, "b"},
		{local, Store, ""},
		{global, Load, "a"},
		{local, Load, ""},
		{Single, "", ""},
		{Double, "", ""},
		{Integers, "", ""},
		{Special, "", ""},
	}
	work := Work{}
	for _, key := range want {
		work[key] = 1
	}
	if got := work.keys(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAlike: equal work counts two, other work less; arithmetic of one alone counts nothing, since compilers remove and add it.
func TestAlike(t *testing.T) {
	loads, single, special := Key{global, Load, "a"}, Key{Space: Single}, Key{Space: Special}
	for _, test := range []struct {
		name              string
		has, want, others Work
		score             float64
	}{
		{"equal", Work{loads: 8, single: 4}, Work{loads: 8, single: 4}, nil, 4},
		{"within a tenth", Work{loads: 105}, Work{loads: 100}, nil, 2},
		{"more", Work{loads: 12}, Work{loads: 8}, nil, -0.5},
		{"loads of one alone", Work{loads: 8}, Work{}, nil, -1},
		{"arithmetic of the code alone", Work{single: 8}, Work{}, nil, 0},
		{"arithmetic of the kernel alone", Work{}, Work{single: 8}, nil, 0},
		{"functions of both", Work{special: 3}, Work{special: 1}, nil, 1},
		{"functions of one alone", Work{special: 3}, Work{}, nil, -1},
		{"in other loops, too", Work{loads: 8}, Work{}, Work{loads: 1}, 0},
		{"integers", Work{{Space: Integers}: 8}, Work{}, nil, 0},
	} {
		if got := similarity(test.has, test.want, test.others); got != test.score {
			t.Errorf("%s: %g, want %g", test.name, got, test.score)
		}
	}
}
