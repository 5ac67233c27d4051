package timing

import "math/bits"

// lineIndex tells where in a cache the line with a tag is: a table in which the places of a tag follow each other, at most half of them taken.
type lineIndex struct {
	places []indexed
	taken  int
}

// indexed is a place of the table. One whose line is 0 is free.
type indexed struct {
	tag  int64
	line int32 // plus 1
}

// fewPlaces is how many places a table has at first.
const fewPlaces = 64

// home is the place at which a tag is looked for first.
func (x *lineIndex) home(tag int64) int {
	return int(uint64(tag) * 0x9e3779b97f4a7c15 >> (bits.LeadingZeros64(uint64(len(x.places))) + 1) & uint64(len(x.places)-1))
}

// find is the line with a tag.
func (x *lineIndex) find(tag int64) (line int32, ok bool) {
	if x.taken == 0 {
		return 0, false
	}
	for i := x.home(tag); x.places[i].line != 0; i = (i + 1) & (len(x.places) - 1) {
		if x.places[i].tag == tag {
			return x.places[i].line - 1, true
		}
	}
	return 0, false
}

// set says which line has a tag.
func (x *lineIndex) set(tag int64, line int32) {
	if 2*x.taken >= len(x.places) {
		x.grow()
	}
	i := x.home(tag)
	for x.places[i].line != 0 && x.places[i].tag != tag {
		i = (i + 1) & (len(x.places) - 1)
	}
	if x.places[i].line == 0 {
		x.taken++
	}
	x.places[i] = indexed{tag, line + 1}
}

// drop forgets a tag. What was looked for further on because of it moves to its place.
func (x *lineIndex) drop(tag int64) {
	if x.taken == 0 {
		return
	}
	n := len(x.places) - 1
	i := x.home(tag)
	for ; x.places[i].tag != tag || x.places[i].line == 0; i = (i + 1) & n {
		if x.places[i].line == 0 {
			return
		}
	}
	x.taken--
	for j := (i + 1) & n; x.places[j].line != 0; j = (j + 1) & n {
		if (j-x.home(x.places[j].tag))&n >= (j-i)&n {
			x.places[i], i = x.places[j], j
		}
	}
	x.places[i] = indexed{}
}

// clear forgets all tags.
func (x *lineIndex) clear() {
	clear(x.places)
	x.taken = 0
}

func (x *lineIndex) grow() {
	old := x.places
	x.places, x.taken = make([]indexed, max(2*len(old), fewPlaces)), 0
	for _, p := range old {
		if p.line != 0 {
			x.set(p.tag, p.line-1)
		}
	}
}
