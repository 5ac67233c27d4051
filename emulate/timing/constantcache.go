package timing

import (
	"math"
	"slices"

	"gpuperf/internal/intmath"
)

// constantCache is the cache of constants of a multiprocessor that are loaded by address: sets of lines, of which the one that came in first gives way to a new one, once it has come. Behind
// it is a second one, whose lines are longer.
type constantCache struct {
	sets   [][]constantLine
	ways   int
	far    int64           // when the next line may be asked for
	share  int64           // when the second cache has sent what was asked for, by others too
	asked  map[int64]int64 // when a line was asked for last
	second map[int64]int64 // when lines of the second cache are there
	phase  int64           // where in its line there the last access was
}

// constantLine is a line by its number in memory. It is in the cache from the time on when it is asked for, until it has given way.
type constantLine struct {
	number, asked, came int64
	until               int64 // stays is for ever
	by                  *Touched
}

const stays = math.MaxInt64

func newConstantCache(c *Constants) *constantCache {
	lines := c.Bytes / c.Line
	ways := lines
	if c.Ways > 0 {
		ways = min(c.Ways, lines)
	}
	return &constantCache{sets: make([][]constantLine, lines/ways), ways: int(ways), asked: map[int64]int64{}, second: map[int64]int64{}}
}

func (c *constantCache) set(number int64) *[]constantLine {
	return &c.sets[intmath.Mod(number, int64(len(c.sets)))]
}

// find is a line that is there or under way at a time, nil where it is neither.
func (c *constantCache) find(number, at int64) *constantLine {
	set := *c.set(number)
	for i := range set {
		if l := &set[i]; l.number == number && l.asked <= at && at < l.until {
			return l
		}
	}
	return nil
}

// room is from when on the set of a line has room for it: at a time, or when the first line there has come.
func (c *constantCache) room(number, at int64) int64 {
	set := c.set(number)
	*set = slices.DeleteFunc(*set, func(l constantLine) bool { return l.until <= at })
	n, came := 0, int64(math.MaxInt64)
	for _, l := range *set {
		if l.until == stays {
			n++
			came = min(came, l.came)
		}
	}
	if n < c.ways {
		return at
	}
	return max(at, came)
}

// enter takes a line, where its set has room for it.
func (c *constantCache) enter(l constantLine) {
	set := c.set(l.number)
	first, n := -1, 0
	for i, o := range *set {
		if o.until == stays {
			n++
			if first < 0 && o.came <= l.asked {
				first = i
			}
		}
	}
	if n >= c.ways && first >= 0 {
		(*set)[first].until = l.asked
	}
	*set = append(*set, l)
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
		if l.until < stays {
			continue
		}
		if l.by != nil && depth-1 < len(l.by.Steps) {
			l.number += l.by.Steps[depth-1].All * n * times / line
		}
		c.enter(l)
	}
}

func (c *constantCache) delay(by int64) {
	c.far += by
	c.share += by
	for _, set := range c.sets {
		for i := range set {
			l := &set[i]
			l.asked, l.came = l.asked+by, l.came+by
			if l.until < stays {
				l.until += by
			}
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
	when(c.share + latency)
	add(c.phase)
}

// constant is a load of constants. It returns when they are there, and when the operands have been read. Addresses come one after the other. The address unit of the sub-partition keeps a load
// until it begins, and until there is room for its lines: others that come by another unit meanwhile do not know of these, and ask for them, too.
func (p *multiprocessor) constant(part *partition, w *warp, t *Touched, at int64) (result, read int64) {
	start := p.address(part, at, 1)
	addresses := max(t.Waves, 1)
	busy := addresses * p.Units[Constant].Gap
	begin := max(start, p.shared[Constant])
	p.shared[Constant] = begin + busy
	p.result.Busy[Constant] += busy
	there, room := p.constantLines(&w.cursor, t, begin)
	part.units[Address] = max(part.units[Address], room)
	result = max(begin+(addresses-1)*p.Constants.Apart, begin+busy, there) + p.Units[Constant].Latency
	return result, start + p.Units[Address].Gap
}

// constantLines is when the lines are there that lanes ask for from a time on, and when there is room for all of them. A load is tried again for each line that it lacks, and waits for one after the other
// (constant_random of testdata/h200/emulator.jsonl.gz: 32 addresses at random in 16 KB take one sub-group 2412 cycles, 8 take 634 and one takes 127), while those of other sub-groups go on. Lanes that ask for
// what is not known are taken to want a line each that is not there.
func (p *multiprocessor) constantLines(c *cursor, t *Touched, at int64) (there, room int64) {
	there, room = at, at
	last := at // when the line before is there, as the load is tried again
	if p.constants == nil {
		return there, room
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
		at := at + int64(len(numbers))*p.Units[Constant].Gap
		if len(numbers) > 0 {
			last += p.Constants.Apart
		}
		numbers = append(numbers, number)
		l := p.constants.find(number, at)
		if l == nil {
			from := p.constants.room(number, at)
			room = max(room, from)
			l = &constantLine{number, from, p.farConstant(number, t, at, from), stays, t}
			p.constants.enter(*l)
			last += p.Constants.Far.Latency
		} else {
			p.met(t, l.came)
		}
		there = max(there, l.came)
	}
	p.sectors = numbers
	for range t.Unknown {
		there = max(there, p.sent(p.Constants.Second.Gap, at, at))
		last += p.Constants.Far.Latency + p.Constants.Apart
	}
	return max(there, last), room
}

// mostUnder is for how many times its latency a line counts as under way at most, where the second cache is busy. Chosen among 1, 2 and no bound on walks, and on kernels of
// testdata/emulate/kinds, which look up places by data: these share less.
const mostUnder = 2

// farConstant is when a line comes that is asked for at a time, and for which there is room from another on. Others that share the second cache ask for lines at random, each about as often
// as this multiprocessor: those that ask for the same line while it is under way are sent it with this one.
func (p *multiprocessor) farConstant(number int64, t *Touched, at, from int64) int64 {
	c, k := p.constants, &p.Constants
	gap := k.Second.Gap
	if last, ok := c.asked[number]; ok {
		under := min(max(c.share-at, k.Far.Latency), mostUnder*k.Far.Latency)
		gap = int64(float64(gap) / (1 + k.Sharing*float64(under)/float64(max(at-last, under))))
	}
	c.asked[number] = at
	came := p.sent(gap, at, from)
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

// sent is when the second cache sends a line that is asked for at a time. While it is on its way, others are served: what is asked for beyond that waits for the share of the multiprocessor.
func (p *multiprocessor) sent(gap, at, from int64) int64 {
	c, k := p.constants, &p.Constants
	c.far = max(at, c.far)
	at = max(c.far, from)
	c.far += k.Far.Gap
	c.share = max(c.share, at-k.Far.Latency) + gap
	p.result.Busy[Constant] += max(k.Far.Gap, gap)
	return max(at+k.Far.Latency, c.share)
}
