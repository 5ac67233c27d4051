package timing

import (
	"slices"

	"gpuperf/internal/intmath"
)

// constantCache is the cache of constants of a multiprocessor that are loaded by address: sets of lines, of which a new one takes the place of any. Behind it is a second one,
// whose lines are longer: each of their parts, as long as a line here, has a way of its own to the multiprocessors.
type constantCache struct {
	sets   [][]constantLine
	ways   int
	drawn  uint32          // the last number drawn
	far    int64           // when the next line may be asked for
	parts  []int64         // when each part of the second cache has sent what was asked for, by others too
	asked  map[int64]int64 // when a line was asked for last
	second map[int64]int64 // when lines of the second cache are there
	phase  int64           // where in its line there the last access was
}

// constantLine is a line by its number in memory.
type constantLine struct {
	number, came int64
	by           *Touched
}

func newConstantCache(c *Constants) *constantCache {
	lines := c.Bytes / c.Line
	ways := lines
	if c.Ways > 0 {
		ways = min(c.Ways, lines)
	}
	return &constantCache{
		sets: make([][]constantLine, lines/ways), ways: int(ways), parts: make([]int64, max(c.SecondLine/c.Line, 1)), asked: map[int64]int64{}, second: map[int64]int64{},
	}
}

func (c *constantCache) set(number int64) *[]constantLine {
	return &c.sets[intmath.Mod(number, int64(len(c.sets)))]
}

// find is a line that is there or under way, nil where it is neither.
func (c *constantCache) find(number int64) *constantLine {
	set := *c.set(number)
	for i := range set {
		if set[i].number == number {
			return &set[i]
		}
	}
	return nil
}

// enter takes a line, in place of one at random of its set where there is no room. It was chosen among that, the one that was used least recently, and trees of
// bits, by uniform_lines.csv.gz: walks are off by 9, 13 and 12 % in the mean.
func (c *constantCache) enter(l constantLine) {
	set := c.set(l.number)
	if len(*set) < c.ways {
		*set = append(*set, l)
		return
	}
	c.drawn = c.drawn*1664525 + 1013904223 // Numerical Recipes
	(*set)[(c.drawn>>16)%uint32(c.ways)] = l
}

// move lets the lines follow the accesses that have loaded them, as those of l1.
func (c *constantCache) move(trips map[*warp]int64, depth int, times, line int64) {
	n, alike := same(trips)
	if !alike {
		return
	}
	old := c.sets
	c.sets = make([][]constantLine, len(old))
	for _, l := range slices.Concat(old...) {
		if l.by != nil && depth-1 < len(l.by.Steps) {
			l.number += l.by.Steps[depth-1].All * n * times / line
		}
		c.enter(l)
	}
}

func (c *constantCache) delay(by int64) {
	c.far += by
	for i := range c.parts {
		c.parts[i] += by
	}
	for _, set := range c.sets {
		for i := range set {
			set[i].came += by
		}
	}
	for _, times := range []map[int64]int64{c.asked, c.second} {
		for line := range times {
			times[line] += by
		}
	}
}

// state adds what decides when lines come from now on, but for which are there.
func (c *constantCache) state(latency int64, add, when func(int64)) {
	when(c.far)
	for _, t := range c.parts {
		when(t + latency)
	}
	add(c.phase)
}

// constant is a load of constants. It returns when they are there, and when the operands have been read. Addresses come one after the other.
func (p *multiprocessor) constant(part *partition, w *warp, t *Touched, at int64) (result, read int64) {
	start := p.address(part, at, 1)
	addresses := max(t.Waves, 1)
	busy := addresses * p.Units[Constant].Gap
	begin := max(start, p.shared[Constant])
	p.shared[Constant] = begin + busy
	p.result.Busy[Constant] += busy
	result = max(begin+(addresses-1)*p.Constants.Apart, begin+busy, p.constantLines(&w.cursor, t, begin)) + p.Units[Constant].Latency
	return result, start + p.Units[Address].Gap
}

// constantLines is when the lines are there that lanes ask for from a time on. Lanes that ask for what is not known are taken to want a line each that is not there.
func (p *multiprocessor) constantLines(c *cursor, t *Touched, at int64) (there int64) {
	there = at
	if p.constants == nil {
		return there
	}
	all, each := c.shift(t)
	numbers := p.sectors[:0]
	for i := range t.Lanes {
		address := t.Lanes[i] + all
		if each {
			address = c.lane(t, i) + all
		}
		number := intmath.FloorDiv(address, p.Constants.Line)
		p.constants.phase = intmath.Mod(address, max(p.Constants.SecondLine, p.Constants.Line))
		if slices.Contains(numbers, number) {
			continue
		}
		numbers = append(numbers, number)
		l := p.constants.find(number)
		if l == nil {
			l = &constantLine{number, p.farConstant(number, t, at), t}
			p.constants.enter(*l)
		} else {
			p.met(t, l.came)
		}
		there = max(there, l.came)
	}
	p.sectors = numbers
	for i := range t.Unknown {
		there = max(there, p.sent(int64(i), p.Constants.Second.Gap, at))
	}
	return there
}

// farConstant is when a line comes that is asked for at a time. Others that share the second cache ask for lines at random, each about as often as this multiprocessor: where they are
// about to ask for the same, it is sent once for all.
func (p *multiprocessor) farConstant(number int64, t *Touched, at int64) int64 {
	c, k := p.constants, &p.Constants
	gap := k.Second.Gap
	if last, ok := c.asked[number]; ok {
		gap = int64(float64(gap) / (1 + k.Sharing*float64(k.Far.Latency)/float64(max(at-last, k.Far.Latency))))
	}
	c.asked[number] = at
	came := p.sent(number, gap, at)
	if k.SecondLine == 0 || t.Given {
		return came
	}
	line := intmath.FloorDiv(number*k.Line, k.SecondLine)
	first, ok := c.second[line]
	if !ok {
		first = came + k.Second.Latency
		c.second[line] = first
	}
	return max(came, first)
}

// sent is when the part of the second cache for a line sends it that is asked for at a time. While it is on its way, others are served: what is asked for beyond that waits for
// the share of the multiprocessor.
func (p *multiprocessor) sent(number, gap, at int64) int64 {
	c, k := p.constants, &p.Constants
	at = max(at, c.far)
	c.far = at + k.Far.Gap
	n := int64(len(c.parts))
	share := &c.parts[intmath.Mod(number, n)]
	*share = max(*share, at-k.Far.Latency) + n*gap
	p.result.Busy[Constant] += max(k.Far.Gap, gap)
	return max(at+k.Far.Latency, *share)
}
