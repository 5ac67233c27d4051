package timing

import "slices"

// Constants is how constants come that are loaded by address.
type Constants struct {
	Apart int64    // by which each further address of a request comes later
	Bytes int64    // of the cache of the multiprocessor; 0 is without one: all are there
	Line  int64    // bytes of its lines
	Far   Resource // of lines that it lacks
}

// constant is a load of constants. It returns when they are there, and when the operands have been read. Addresses come one after the other.
func (p *multiprocessor) constant(part *partition, w *warp, t *Touched, at int64) (result, read int64) {
	start := p.address(part, at, 1)
	addresses := max(t.Waves, 1)
	missing := p.lacking(&w.cursor, t, start)
	busy := max(addresses-missing, 0)*p.Units[Constant].Gap + missing*p.Constants.Far.Gap
	begin := max(start, p.shared[Constant])
	p.shared[Constant] = begin + busy
	p.result.Busy[Constant] += busy
	result = max(begin+(addresses-1)*p.Constants.Apart, begin+busy) + p.Units[Constant].Latency
	if missing > 0 {
		result += p.Constants.Far.Latency
	}
	return result, start + p.Units[Address].Gap
}

// lacking is how many lines the cache of constants lacks of those that lanes ask for. They are there from then on.
func (p *multiprocessor) lacking(c *cursor, t *Touched, at int64) (n int64) {
	if p.constants == nil {
		return 0
	}
	all, each := c.shift(t)
	lines := p.sectors[:0]
	for i := range t.Lanes {
		address := t.Lanes[i] + all
		if each {
			address = c.lane(t, i) + all
		}
		line := address / p.Constants.Line * lineSectors // the first sector of a line of its own
		if slices.Contains(lines, line) {
			continue
		}
		lines = append(lines, line)
		if _, ok := p.constants.has(line); !ok {
			n++
			p.constants.fill([]int64{line}, nil, at)
		}
	}
	p.sectors = lines
	return n
}
