package timing

// Constants is how constants come that are loaded by address.
type Constants struct {
	Apart int64    // by which each further address of a request comes later
	Bytes int64    // of the cache of the multiprocessor; 0 is without one: all are there
	Line  int64    // bytes of its lines
	Ways  int64    // lines of a set, which is the place of those that lie as many lines apart as there are sets; 0 is all
	Far   Resource // of lines that it lacks and the second cache has, which serves several multiprocessors
	// Second is of the second cache, which multiprocessors share: Gap between two lines to this one where all that are busy ask at once, Latency of the first constants of its lines.
	Second     Resource
	SecondLine int64   // bytes of its lines; 0 is without one: all are there
	Sharing    float64 // how many others may ask for the same line while it is on its way
	// Those that a warp wants once come from a cache of each sub-partition, before the instruction issues. It keeps pieces of lines.
	Uniform    int64    // pieces there; 0 is without one
	UniformFar Resource // of lines that no piece is there of, and between two of them
}

// pieceBytes is what the cache of constants of a sub-partition keeps of a line: 16 of them, of 16, 32 or 64 B of the bank each, fit on an H200, and 24 or
// 32 do not (testdata/h200/measurement/constants.csv.gz, walks).
const pieceBytes = 16

// uniforms is the cache of constants of a sub-partition that a warp wants once. The line that came last serves its other pieces, and so does the last one of each warp: eight warps that
// go through constants at different places do not take each other's lines away (constants.csv.gz, walks of 1024 places, 1009 cycles apart by 32 warps: 51 cycles a place where every
// other one begins a line, 47 together, and 68 where each does).
type uniforms struct {
	pieces *l1
	last   brought
	phase  int64 // the place in its line that was wanted last
}

// brought is a line of constants that came.
type brought struct {
	place int64 // for which it came
	came  int64
	by    *Touched // what asked for it
}

// of reports whether the line has a place.
func (b *brought) of(place, line int64) bool { return b.by != nil && b.place/line == place/line }

// move lets the place follow so many iterations of a warp.
func (b *brought) move(depth int, iterations int64) {
	if b.by != nil && depth-1 < len(b.by.Steps) {
		b.place += b.by.Steps[depth-1].All * iterations
	}
}

// move lets the cache follow what has loaded it, as l1 does.
func (u *uniforms) move(trips map[*warp]int64, depth int, times int64) {
	if n, alike := same(trips); alike && u.last.by != nil {
		u.pieces.move(trips, depth, times, pieceBytes)
		u.last.move(depth, n*times)
	}
}

// wanted is when the constants are there that a warp wants once from a time on.
func (p *multiprocessor) wanted(w *warp, t *Touched, at int64) (there int64) {
	u, there := &p.parts[w.part].uniforms, at
	all, _ := w.shift(t)
	if len(t.Lanes) == 0 || u.pieces == nil {
		return at
	}
	from := t.Lanes[0] + all
	u.phase = from % p.Constants.Line
	for piece := from / pieceBytes; piece <= (from+t.Width-1)/pieceBytes; piece++ {
		key, place := []int64{piece * lineSectors}, piece*pieceBytes // the first sector of a line of its own
		if came, ok := u.pieces.has(key[0]); ok {
			p.met(t, came)
			if there = max(there, came); came > at { // on its way to others as well
				w.constants = brought{place, came, t}
			}
			continue
		}
		switch {
		case u.last.of(place, p.Constants.Line):
			w.constants = u.last
		case !w.constants.of(place, p.Constants.Line):
			start := max(at, p.uniformFar)
			p.uniformFar = start + p.Constants.UniformFar.Gap
			p.result.Busy[Constant] += p.Constants.UniformFar.Gap
			u.last = brought{place, start + p.Constants.UniformFar.Latency, t}
			w.constants = u.last
		}
		if came, full := u.pieces.oldest(); full {
			p.met(t, came)
		} else {
			p.met(t, -1)
		}
		u.pieces.fill(key, t, w.constants.came)
		there = max(there, w.constants.came)
	}
	return there
}
