package emit

import (
	_ "embed"
	"fmt"
	"maps"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/matrix"
	"gpuperf/polycount"
)

// product is the statement that matrix instructions make in the place of loops; nil where they make none, or the language has none.
func (w *writer) product(l *linear.Loop) *matrix.Product {
	if w.matrices == "" || w.k.Tags[l.Iname].Kind != kernel.Matrix {
		return nil
	}
	for {
		if len(l.Body) != 1 {
			w.fail("there is more than a matrix instruction in loop %s", l.Iname)
			return nil
		}
		switch x := l.Body[0].(type) {
		case *linear.Loop:
			l = x
		case *linear.Exec:
			p, err := matrix.Of(w.k, x.Stmt)
			w.check(err)
			return p
		default:
			w.fail("a condition is on a part of a matrix instruction")
			return nil
		}
	}
}

// multiply writes a statement that matrix instructions make: for some terms at a time, all rows and columns that their instructions share, and these.
func (w *writer) multiply(p *matrix.Product, depth int) {
	w.multiplies = true
	w.use(p.DType)
	rows, columns := combinations(p.Rows, p.Extent), combinations(p.Columns, p.Extent)
	f := &factors{w, p, depth + 1}
	defer func(fixed map[string]polycount.Affine) { w.fixed = fixed }(w.fixed)
	w.fixed = maps.Clone(w.fixed)
	w.names[ownLane] = axisOfLanes
	w.assume(kernel.Within(ownLane, 0, matrix.Lanes-1), func() { f.multiply(rows, columns) })
}

// multiply writes the instructions.
func (f *factors) multiply(rows, columns []map[string]polycount.Affine) {
	w, p, depth := f.writer, f.p, f.depth-1
	steps := p.Terms / matrix.OfTerms
	w.line(depth, "{")
	held := min(2, steps) // the factors of the next terms are loaded before the instructions of those before
	w.line(depth+1, "uint4 %s[%d], %s[%d];", firstFactors, held*int64(len(rows)), secondFactors, held*int64((len(columns)+1)/2))
	f.load(0, rows, columns)
	for step := range steps {
		if step+1 < steps {
			f.load(step+1, rows, columns)
		}
		f.instructions(step, rows, columns)
	}
	w.line(depth, "}")
}

// load writes that the factors of a step come.
func (f *factors) load(step int64, rows, columns []map[string]polycount.Affine) {
	for i, row := range rows {
		f.rows(i+int(step%2)*len(rows), row, step*matrix.OfTerms)
	}
	for j := 0; j < len(columns); j += 2 {
		f.columns(j/2+int(step%2)*((len(columns)+1)/2), columns[j:min(j+2, len(columns))], step*matrix.OfTerms)
	}
}

// instructions writes those of a step.
func (f *factors) instructions(step int64, rows, columns []map[string]polycount.Affine) {
	w, p := f.writer, f.p
	for i, row := range rows {
		for j, column := range columns {
			var sums []string
			for r := range int64(matrix.Sums) {
				w.fix(row, column, map[string]polycount.Affine{p.Register: polycount.Int(r)})
				c, _ := w.expr(p.Sum)
				sums = append(sums, c.text)
			}
			delete(w.fixed, p.Register)
			half := [][2]string{{"x", "y"}, {"z", "w"}}[j%2]
			first := fmt.Sprintf("%s[%d]", firstFactors, i+int(step%2)*len(rows))
			pair := fmt.Sprintf("%s[%d]", secondFactors, j/2+int(step%2)*((len(columns)+1)/2))
			w.line(f.depth, "multiply_%s(%s, %s, %s.%s, %s.%s);", w.types[p.DType], strings.Join(sums, ", "), first, pair, half[0], pair, half[1])
		}
	}
}

// Names of the factors of instructions.
const (
	firstFactors  = "matrix_rows"
	secondFactors = "matrix_columns"
)

// fix gives names values at the current place.
func (w *writer) fix(list ...map[string]polycount.Affine) {
	for _, m := range list {
		maps.Copy(w.fixed, m)
	}
}

// combinations are all values of inames.
func combinations(inames []string, extent map[string]int64) []map[string]polycount.Affine {
	all := []map[string]polycount.Affine{{}}
	for _, n := range inames {
		var next []map[string]polycount.Affine
		for _, m := range all {
			for v := range extent[n] {
				one := maps.Clone(m)
				one[n] = polycount.Int(v)
				next = append(next, one)
			}
		}
		all = next
	}
	return all
}

// factors writes how work-items get the factors of instructions: matrices of 8 by 8 from local memory, of which each of 8 work-items says where a line is, or else element by element.
type factors struct {
	*writer
	p     *matrix.Product
	depth int
}

// axisOfLanes is the axis of work-items on which the 32 of an instruction are. A work-item has the places of elements that others use, so that its own number is under another name here.
var axisOfLanes = linear.Axis(kernel.Tag{Kind: kernel.LocalAxis})

const ownLane = "lane(0)"

// Of 4 matrices, a work-item has the place of a line of one.
var (
	lane                 = polycount.Name(ownLane)
	inLine               = lane.Mod(8)
	nextMatrix, nextPair = lane.FloorDiv(8).Mod(2).Scale(8), lane.FloorDiv(16)
)

// rows writes the factors of 16 rows and as many terms: by matrices, of 8 rows and then the next, of 8 terms and then the next.
func (f *factors) rows(i int, at map[string]polycount.Affine, first int64) {
	f.fix(at)
	term := polycount.Int(first).AddScaled(8, nextPair)
	to := fmt.Sprintf("%s[%d]", firstFactors, i)
	switch f.p.FirstAlong {
	case matrix.Terms:
		f.matrices(to, "matrices", f.p.First, nextMatrix.Add(inLine), term)
	case matrix.Places:
		f.matrices(to, "matrices_across", f.p.First, nextMatrix, term.Add(inLine))
	default:
		for q, part := range []string{"x", "y", "z", "w"} {
			f.pair(to+"."+part, f.p.First, lane.FloorDiv(4).AddInt(int64(q%2*8)), first+int64(q/2*8))
		}
	}
}

// columns writes those of 8 columns, and of the next 8.
func (f *factors) columns(j int, at []map[string]polycount.Affine, first int64) {
	f.fix(at[0])
	to := fmt.Sprintf("%s[%d]", secondFactors, j)
	term := polycount.Int(first).Add(nextMatrix)
	if next, ok := f.next(at); ok && f.p.SecondAlong != matrix.Apart {
		f.fix(next)
		if f.p.SecondAlong == matrix.Terms {
			f.matrices(to, "matrices", f.p.Second, inLine, term)
		} else {
			f.matrices(to, "matrices_across", f.p.Second, polycount.Int(0), term.Add(inLine))
		}
		return
	}
	for q, part := range []string{"x", "y", "z", "w"} {
		if q/2 < len(at) {
			f.fix(at[q/2])
			f.pair(to+"."+part, f.p.Second, lane.FloorDiv(4), first+int64(q%2*8))
		}
	}
}

// next are the values of inames of which half of the work-items have the second ones.
func (f *factors) next(at []map[string]polycount.Affine) (map[string]polycount.Affine, bool) {
	if len(at) < 2 {
		return nil, false
	}
	both := map[string]polycount.Affine{}
	for n, v := range at[0] {
		both[n] = v.AddScaled(at[1][n].Constant()-v.Constant(), nextPair)
	}
	return both, true
}

// put puts a factor at a row or column, and a term.
func (f *factors) put(a *expr.Access, at, term polycount.Affine) {
	f.fix(f.p.At(a, at, term))
	f.fixed[axisOfLanes] = f.fixed[f.p.Lane]
}

// done: sums have work-items of their own again.
func (f *factors) done() {
	for _, n := range []string{f.p.Term, f.p.Register, f.p.Lane, axisOfLanes} {
		delete(f.fixed, n)
	}
}

// matrices writes that 4 of them come from local memory: at is the row or column of the line of a work-item, term its term.
func (f *factors) matrices(to, by string, a *expr.Access, at, term polycount.Affine) {
	defer f.done()
	f.put(a, at, term)
	line := *a
	line.Lanes = 8
	if !f.aligned(f.k.Array(a.Array), &line) {
		f.fail("lines of %s for matrix instructions do not begin at multiples of 16 bytes; give it rows of a multiple of 8 elements", a.Array)
		return
	}
	f.line(f.depth, "%s = %s(&%s);", to, by, f.element(a.Array, a.Index).text)
}

// pair writes that a register has two factors, of a term that work-items have each and the next one.
func (f *factors) pair(to string, a *expr.Access, at polycount.Affine, first int64) {
	defer f.done()
	var both []string
	for next := range int64(2) {
		f.put(a, at, lane.Mod(4).Scale(2).AddInt(first+next))
		both = append(both, f.element(a.Array, a.Index).text)
	}
	f.line(f.depth, "%s = *(const ushort *) &%s | (uint) *(const ushort *) &%s << 16;", to, both[0], both[1])
}

// cudaMatrices are matrix instructions, and loads of 4 matrices of 8 by 8: as they are, and with lines for columns.
//
//go:embed text/matrices.cuh
var cudaMatrices string
