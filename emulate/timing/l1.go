package timing

// l1 is a first-level cache: lines of sectors, of which those used least recently leave. Stores pass it and update what it holds.
type l1 struct {
	lines int // at most
	index lineIndex
	all   []line
	first int32 // the line used last
	last  int32
	lost  int64 // lines that have left
}

type line struct {
	tag        int64
	filled     [lineSectors]int64
	there      uint8
	by         *Touched // what loaded it
	prev, next int32
}

const none = -1

func newL1(bytes int64) *l1 {
	return &l1{lines: int(bytes / (sectorBytes * lineSectors)), first: none, last: none}
}

// empty drops all lines.
func (c *l1) empty() {
	c.index.clear()
	c.lost += int64(len(c.all))
	c.all, c.first, c.last = c.all[:0], none, none
}

// has reports whether a sector is there or under way, and when it comes.
func (c *l1) has(sector int64) (int64, bool) {
	i := c.first
	if i == none || c.all[i].tag != sector/lineSectors {
		var ok bool
		if i, ok = c.index.find(sector / lineSectors); !ok {
			return 0, false
		}
		c.use(i)
	}
	l := &c.all[i]
	s := sector & (lineSectors - 1)
	return l.filled[s], l.there>>s&1 != 0
}

// oldest is when the line came whose place the next one takes; false while there is room.
func (c *l1) oldest() (came int64, full bool) {
	if len(c.all) < c.lines {
		return 0, false
	}
	return c.all[c.last].filled[0], true
}

// fill enters sectors that come at a time.
func (c *l1) fill(sectors []int64, by *Touched, at int64) {
	if c.lines == 0 {
		return
	}
	i, ok := int32(none), false
	for _, sector := range sectors {
		if i == none || c.all[i].tag != sector/lineSectors {
			if i, ok = c.index.find(sector / lineSectors); !ok {
				i = c.enter(sector/lineSectors, by)
			}
		}
		l := &c.all[i]
		if s := sector & (lineSectors - 1); l.there>>s&1 == 0 {
			l.there |= 1 << s
			l.filled[s] = at
		}
	}
}

// enter takes a line, in place of the one that was used least recently where there is no room.
func (c *l1) enter(tag int64, by *Touched) int32 {
	i := int32(len(c.all))
	if len(c.all) < c.lines {
		c.all = append(c.all, line{prev: none, next: none})
	} else {
		i = c.last
		c.unlink(i)
		c.index.drop(c.all[i].tag)
		c.lost++
	}
	c.all[i] = line{tag: tag, by: by, prev: none, next: none}
	c.index.set(tag, i)
	c.push(i)
	return i
}

func (c *l1) use(i int32) {
	if c.first != i {
		c.unlink(i)
		c.push(i)
	}
}

func (c *l1) push(i int32) {
	l := &c.all[i]
	l.prev, l.next = none, c.first
	if c.first != none {
		c.all[c.first].prev = i
	}
	c.first = i
	if c.last == none {
		c.last = i
	}
}

func (c *l1) unlink(i int32) {
	l := &c.all[i]
	if l.prev != none {
		c.all[l.prev].next = l.next
	} else {
		c.first = l.next
	}
	if l.next != none {
		c.all[l.next].prev = l.prev
	} else {
		c.last = l.prev
	}
}
