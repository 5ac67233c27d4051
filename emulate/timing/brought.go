package timing

// outlasted is after how many iterations a loop goes on as in the last ones, though it still finds data that it will not find at its end.
const outlasted = 1024

// outlasts notes for the loops around an access that finds data, which came before they began or is loaded outside of them, whether their last iteration lies beyond
// what the first-level cache has.
func (p *multiprocessor) outlasts(w *warp, sector int64, t *Touched, came int64) {
	line, _ := p.l1.index.find(sector / lineSectors)
	by := p.l1.all[line].by
	for level, s := range t.Steps {
		depth := level + 1
		if depth >= len(p.records) || depth >= len(w.frames) || s.All == 0 {
			continue
		}
		r := p.records[depth]
		if r == nil || came >= r.began && (by == nil || len(by.Steps) > level) {
			continue
		}
		if _, there := p.l1.index.find((sector + s.All*p.left(w, depth)/sectorBytes) / lineSectors); !there {
			r.ends = r.epochs
		}
	}
}

// settled is after how many iterations data that the first-level cache had before a loop is taken to be there for all of its iterations.
const settled = 64

// met is called when an access finds data in the first-level cache that came at a time.
func (p *multiprocessor) met(t *Touched, came int64) {
	for level, s := range t.Steps {
		if depth := level + 1; depth < len(p.records) && (s.All != 0 || s.Each != nil) {
			if r := p.records[depth]; r != nil && came < r.began {
				r.old = r.epochs
			}
		}
	}
}
