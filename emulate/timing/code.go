package timing

// codeCache is where instructions come from: caches by level, the nearest first.
type codeCache []*l1

func newCodeCache(levels []CodeLevel) (c codeCache) {
	for _, l := range levels {
		c = append(c, newL1(l.Bytes))
	}
	return c
}

// fetched is when the line of an instruction is there. A line that is not in the nearest cache comes from the first level that has it, or from
// behind all: as long after the line before as that level takes for each, where that one has been fetched as well; else with the latency of a jump.
func (p *multiprocessor) fetched(line, at int64) int64 {
	sector := line * lineSectors
	if there, ok := p.code[0].has(sector); ok {
		return there
	}
	from := p.Code.Far
	for i, c := range p.code[1:] {
		if _, ok := c.has(sector); ok {
			from = p.Code.Levels[i+1].From
			break
		}
	}
	if !p.begun[line] {
		p.begun[line] = true
		from = p.Code.First
		if last := len(p.Code.Levels) - 1; p.Code.Kept && len(p.begun) > 1 {
			from.Latency = p.Code.Levels[last].From.Latency
		}
	}
	there := at + from.Latency
	if before, ok := p.code[0].has(sector - lineSectors); ok {
		there = max(at, before+from.Gap)
	}
	for _, c := range p.code {
		c.fill([]int64{sector}, nil, there)
	}
	return there
}

func (c codeCache) delay(by int64) {
	for _, level := range c {
		level.delay(by)
	}
}
