package exec

import (
	"sync"

	"gpuperf/sass"
)

// row is a register: a word for each lane.
type row [WarpSize]uint32

// all are all lanes, as bits.
const all = 0xffffffff

// The registers of a file by number: general ones, RZ, uniform ones, URZ, and one that takes what is written to RZ and URZ. The numbers are those of machine code, and go on from there.
const (
	zeroRow      = 255
	firstUniform = 256
	uniformZero  = 511
	sinkRow      = 512
	rows         = 513
)

// The predicates of a file by number: P0 to P6, PT, UP0 to UP6, UPT, and one that takes what is written to PT and UPT. The numbers are those of machine code, and go on from there.
const (
	truePredicate    = 7
	uniformPredicate = 8
	alwaysTrue       = 15
	sinkPredicate    = 16
	predicates       = 17
)

// truth is a predicate: its value for each lane and whether that is known. What is not known has the value 0.
type truth struct{ value, known uint32 }

func (b truth) not() truth { return truth{b.known &^ b.value, b.known} }

// file holds the registers of a sub-group. Uniform registers hold their value in every lane.
type file struct {
	rows  [rows]row
	known [rows]uint32 // the lanes of each row that are known; what is not known is 0
	preds [predicates]truth
	from  origins
	// used and uniforms are the rows that whoever has it may have written, from the first general and the first uniform one.
	used, uniforms int
}

// files are those of sub-groups that have ended, of any launch.
var files sync.Pool

// newFile is a file in which nothing is known, of a sub-group that has ended if there is one.
func (l *Launch) newFile() *file {
	f, _ := files.Get().(*file)
	if f == nil {
		f = &file{}
	} else {
		clear(f.rows[:f.used])
		clear(f.rows[firstUniform : firstUniform+f.uniforms])
		f.known, f.preds, f.from = [rows]uint32{}, [predicates]truth{}, origins{}
	}
	f.used, f.uniforms = l.used, l.uniforms
	f.known[zeroRow], f.known[uniformZero] = all, all
	f.preds[truePredicate], f.preds[alwaysTrue] = truth{all, all}, truth{all, all}
	return f
}

// anything gives general registers, so many, values that they may have when a sub-group begins: zeros. Compilers merge a half of one with what was there before, which does not matter.
func (f *file) anything(used int) {
	for n := range used {
		f.known[n] = all
	}
}

// reads is the number of the row or predicate that a register is read from, writes that which it is written to.
func reads(r sass.Register) int {
	switch r.File {
	case sass.Uniform:
		if r.Index == sass.Constant {
			return uniformZero
		}
		return firstUniform + r.Index
	case sass.Predicate:
		if r.Index == sass.Constant {
			return truePredicate
		}
	case sass.UniformPredicate:
		if r.Index == sass.Constant {
			return alwaysTrue
		}
		return uniformPredicate + r.Index
	default:
		if r.Index == sass.Constant {
			return zeroRow
		}
	}
	return r.Index
}

func writes(r sass.Register) int {
	switch {
	case r.Index != sass.Constant:
		return reads(r)
	case r.File == sass.Predicate || r.File == sass.UniformPredicate:
		return sinkPredicate
	}
	return sinkRow
}

// set writes a row in lanes. Lanes that are not known become 0.
func (f *file) set(n int, lanes uint32, values *row, known uint32) {
	r := &f.rows[n]
	for i := range r {
		if lanes>>i&1 != 0 {
			r[i] = values[i] & -(known >> i & 1)
		}
	}
	f.known[n] = f.known[n]&^lanes | known&lanes
}

// spread writes a value to all lanes.
func (f *file) spread(n int, v uint32, known bool) {
	f.known[n] = 0
	if known {
		f.known[n] = all
	} else {
		v = 0
	}
	r := &f.rows[n]
	for i := range r {
		r[i] = v
	}
}

// setPredicate writes a predicate in lanes.
func (f *file) setPredicate(n int, lanes uint32, b truth) {
	p := &f.preds[n]
	p.value = p.value&^lanes | b.value&b.known&lanes
	p.known = p.known&^lanes | b.known&lanes
}

// meet leaves known in lanes what another file has too.
func (f *file) meet(g *file, lanes uint32, used int) {
	for n := range rows {
		if n >= used && n < firstUniform {
			continue
		}
		f.known[n] &= ^lanes | g.known[n]
		for i := range WarpSize {
			if lanes>>i&1 != 0 && f.known[n]>>i&1 != 0 && f.rows[n][i] != g.rows[n][i] {
				f.known[n] &^= 1 << i
			}
		}
		f.wipe(n)
	}
	f.from.add(&g.from, lanes)
	for n := range f.preds {
		p, q := &f.preds[n], g.preds[n]
		p.known &= ^lanes | q.known&^(p.value^q.value)
		p.value &= p.known
	}
}

// take copies lanes from another file.
func (f *file) take(g *file, lanes uint32, used int) {
	for n := range rows {
		if n < used || n >= firstUniform {
			for i := range WarpSize {
				if lanes>>i&1 != 0 {
					f.rows[n][i] = g.rows[n][i]
				}
			}
			f.known[n] = f.known[n]&^lanes | g.known[n]&lanes
		}
	}
	for n := range f.from.of {
		f.from.set(n, lanes, 0)
	}
	f.from.add(&g.from, lanes)
	for n := range f.preds {
		f.setPredicate(n, lanes, g.preds[n])
	}
}

// wipe sets what is not known to 0.
func (f *file) wipe(n int) {
	for i := range WarpSize {
		f.rows[n][i] &= -(f.known[n] >> i & 1)
	}
}
