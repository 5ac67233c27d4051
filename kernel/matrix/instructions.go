package matrix

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Instructions is a prepared kernel for analyses, not to be run: in the place of statements that matrix instructions make are these instructions and the loads of their factors, as often as CUDA C
// has them.
func Instructions(k *kernel.Kernel) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	out := k
	for _, s := range k.Statements {
		p := throw.Get(Of(k, s))
		if p == nil {
			continue
		}
		if out == k {
			out = k.Clone()
			out.Functions = append(slices.Clip(out.Functions), matrixInstruction(out.FreshName("mma"), p.DType))
		}
		m := &multiplied{k: out, of: s, p: p, step: out.FreshName(p.Term + "_step"), function: out.Functions[len(out.Functions)-1].Name}
		m.replace()
	}
	return out, nil
}

// matrixInstruction is a function that stands for one.
func matrixInstruction(name string, of expr.DType) *kernel.Function {
	return &kernel.Function{
		Name: name, Params: []kernel.FunctionParam{{Name: "sum", DType: expr.Float32}, {Name: "first", DType: of}, {Name: "second", DType: of}}, Result: expr.Float32, Body: "return sum;",
		Counts: map[expr.DType]map[string]int64{of: {"mma": 1}},
	}
}

// multiplied makes the instructions of a statement.
type multiplied struct {
	k        *kernel.Kernel
	of       *kernel.Stmt
	p        *Product
	function string
	step     string // the iname of terms, as many at a time as an instruction has
	around   []string
	list     []*kernel.Stmt
}

func (m *multiplied) replace() {
	p := m.p
	m.around = slices.DeleteFunc(slices.Clone(m.of.Inames), func(n string) bool { return m.k.Tags[n].Kind == kernel.Matrix })
	m.loop(m.step, p.Terms/OfTerms)
	m.around = append(m.around, m.step)
	first := m.loads(p.First, p.Rows, p.FirstAlong, 2)
	second := m.loads(p.Second, p.Columns, p.SecondAlong, 1)
	product := *m.of
	product.Inames = slices.Clone(m.around)
	by := map[string]expr.Expr{p.Register: expr.Int{}}
	for _, n := range slices.Concat(p.Rows, p.Columns) {
		name := m.k.FreshName(n)
		m.loop(name, p.Extent[n])
		product.Inames = append(product.Inames, name)
		by[n] = expr.Var{Name: name}
	}
	product.Inames = nameset.Sorted(product.Inames)
	product.LHS = expr.Subst(p.Sum, by)
	product.RHS = &expr.Call{Func: m.function, Args: []expr.Expr{product.LHS, expr.Var{Name: first}, expr.Var{Name: second}}}
	product.Deps = slices.Clone(m.of.Deps)
	for _, s := range m.list {
		product.Deps = nameset.Add(product.Deps, s.ID)
	}
	i := slices.IndexFunc(m.k.Statements, func(s *kernel.Stmt) bool { return s.ID == m.of.ID })
	m.k.Statements = slices.Replace(slices.Clone(m.k.Statements), i, i+1, append(m.list, &product)...)
	for _, n := range slices.Concat(p.Rows, p.Columns, []string{p.Register, p.Term}) {
		at := m.k.DomainIndex(n)
		keep := slices.DeleteFunc(m.k.Domains[at].Dims(), func(d string) bool { return d == n })
		m.k.Domains[at] = throw.Get(m.k.Domains[at].Project(keep...))
		delete(m.k.Tags, n)
	}
}

func (m *multiplied) loop(name string, extent int64) {
	m.k.Domains = append(m.k.Domains, polycount.NewSet(nil, []string{name}, kernel.Within(name, 0, extent-1)...))
	m.k.Tags[name] = kernel.Tag{Kind: kernel.Unroll}
}

// loads adds the statement that loads a factor, of so many matrices of 8 by 8 along its rows or columns, and returns what stands for it in the instruction: matrices 4 at a time, whose lines work-items have
// the places of, or else element by element. Where these are columns, 4 matrices are of two instructions.
func (m *multiplied) loads(a *expr.Access, further []string, along Along, matrices int64) string {
	const most = 4 // of a load
	p, k := m.p, m.k
	lane := polycount.Name(p.Lane)
	together := along != Apart && (matrices == 2 || len(further) > 0 && p.Extent[further[len(further)-1]]%2 == 0)
	s := &kernel.Stmt{ID: k.FreshID(m.of.ID + "_" + a.Array), Inames: slices.Clone(m.around), Deps: m.of.Deps, NoSync: m.of.NoSync, At: m.of.At}
	by := map[string]polycount.Affine{}
	for i, n := range further {
		name := k.FreshName(n)
		extent, at := p.Extent[n], polycount.Name(name)
		if together && matrices == 1 && i == len(further)-1 {
			extent, at = extent/2, at.Scale(2).Add(lane.FloorDiv(most*most))
		}
		m.loop(name, extent)
		s.Inames = append(s.Inames, name)
		by[n] = at
	}
	term, place := polycount.Name(m.step).Scale(OfTerms), polycount.Int(0)
	load := &expr.Access{Array: a.Array, Tag: a.Tag}
	held := &kernel.Array{Name: k.FreshName(a.Array + "_factor"), DType: p.DType, Space: kernel.Private, Shape: []expr.Expr{}}
	if together {
		load.Lanes, held.DType = Line, p.DType.Vector(Line)
		next, pair, own := lane.FloorDiv(8).Mod(2).Scale(8), lane.FloorDiv(16).Scale(8), lane.Mod(8)
		if matrices == 1 {
			next, pair = polycount.Int(0), next
		}
		term, place = term.Add(pair), place.Add(next)
		if along == Terms {
			place = place.Add(own)
		} else {
			term = term.Add(own)
		}
	} else {
		element := k.FreshName(a.Array + "_element")
		m.loop(element, 4*matrices)
		s.Inames = append(s.Inames, element)
		e := polycount.Name(element)
		term = term.AddScaled(2, lane.Mod(4)).Add(e.Mod(2)).AddScaled(8, e.FloorDiv(2*matrices))
		place = lane.FloorDiv(4).AddScaled(8, e.FloorDiv(2).Mod(matrices))
	}
	for name, at := range p.At(a, place, term) {
		by[name] = at
	}
	for _, index := range a.Index {
		x := throw.Get(k.AffineOf(index))
		load.Index = append(load.Index, expr.FromAffine(x.Subst(by)))
	}
	k.Temps = append(slices.Clip(k.Temps), held)
	s.LHS, s.RHS, s.Inames = expr.Var{Name: held.Name}, load, nameset.Sorted(s.Inames)
	m.list = append(m.list, s)
	return held.Name
}
