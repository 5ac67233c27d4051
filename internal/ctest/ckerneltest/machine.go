// Package ckerneltest is for the tests of kernel functions: Run interprets the C text of a kernel function as it stands, without any
// analysis, and counts what it does by the rules by which features count; Program makes random kernel functions, and Corpus has the
// launches of those of the examples.
//
// All work-items of a work-group run in lock step, under masks (machine.go, statement.go, expression.go, calls.go), on values that
// know what they are made of (value.go), over arrays that grow (memory.go). Operations are counted where they are work: in what is stored,
// in floats, and in what is computed of data. Subscripts, the heads of loops, conditions that do not depend on data and the
// integer variables for these alone are free (count.go). Under a condition that depends on data all work-items count: those for
// which it does not hold only pretend, and what they do is undone.
package ckerneltest

import (
	"fmt"
	"slices"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/cvalue"
	"gpuperf/kernel/expr"
)

// Launch is a launch of a kernel function.
type Launch struct {
	File          *cfront.File
	Function      *cfront.Function
	Local, Groups [3]int64
	// Args are the values of arguments that are no pointers.
	Args map[string]float64
	// Start gives the elements of global and constant arrays their values before the launch.
	Start func(array string, i int64) float64
	// SubGroup is the number of work-items of a sub-group; 0 is 32. NoMadd counts multiply-adds as two operations.
	SubGroup int
	NoMadd   bool
	// Exact: a condition that depends on work-items and arguments alone holds where it does, whatever its form; the default counts it, if it
	// is no index form, as one on data.
	Exact bool
	// Symbolic: the number of work-groups along an axis is an expression in the arguments, not a number.
	Symbolic [3]bool
	// Used are the assignments to integers that values use in some launch of the function. Launches at several sizes share it: what the text
	// uses in one is work in all, once it is found.
	Used Used
	// Steps bounds the executions of expressions; 0 is a million.
	Steps int
}

// Used is a set of assignments.
type Used map[site]bool

// Report is what a run did.
type Report struct {
	Ops      map[Op]Count
	Accesses map[Access]*Accesses
	// Barriers that a work-item of the first work-group passes.
	Barriers int64
	// Read and Written count the elements of global arrays that are read and written.
	Read, Written map[string]int64
	// Memory has the arrays as they are left: by name, their elements.
	Memory map[string][]float64
	// Guessed: a condition depends on data, so that work is counted which does not run.
	Guessed bool
}

type failure string

// RunAll runs launches of one function at several sizes; with others, which tell more of what values use.
func RunAll(launches, others []Launch) (reports []*Report, err error) {
	for used := (Used{}); ; {
		before := len(used)
		reports = reports[:0]
		for _, l := range slices.Concat(launches, others) {
			l.Used = used
			r, err := Run(l)
			if err != nil {
				return nil, err
			}
			reports = append(reports, r)
		}
		if len(used) == before {
			shareByForm(reports)
			return reports[:len(launches)], nil
		}
	}
}

// shareByForm lets no access be shared that is not at all sizes: a form has what its conditions on sizes leave out at some.
func shareByForm(reports []*Report) {
	own := map[Access]bool{}
	for _, r := range reports {
		for key, n := range r.Accesses {
			own[key] = own[key] || !n.Shared
		}
	}
	for _, r := range reports {
		for key, n := range r.Accesses {
			n.Shared = !own[key]
		}
	}
}

// Run interprets a launch. It fails on C that kernels of tests have not, on accesses out of bounds and on barriers that only some work-items meet.
func Run(l Launch) (r *Report, err error) {
	defer func() {
		if e := recover(); e != nil {
			f, ok := e.(failure)
			if !ok {
				panic(e)
			}
			r, err = nil, fmt.Errorf("%s: %s", l.Function.Name, string(f))
		}
	}()
	if l.SubGroup == 0 {
		l.SubGroup = 32
	}
	if l.Used == nil {
		l.Used = Used{}
	}
	if l.Steps == 0 {
		l.Steps = 1_000_000
	}
	m := &machine{
		launch: l, items: int(l.Local[0] * l.Local[1] * l.Local[2]), arrays: map[string]*array{}, inner: map[*cfront.Binary]bool{},
		run: &Report{Ops: map[Op]Count{}, Accesses: map[Access]*Accesses{}, Read: map[string]int64{}, Written: map[string]int64{}, Memory: map[string][]float64{}},
	}
	for axis, n := range l.Local {
		if n > 1 {
			m.everyAxis |= 1 << axis
		}
	}
	for z := range l.Groups[2] {
		for y := range l.Groups[1] {
			for x := range l.Groups[0] {
				m.runGroup([3]int64{x, y, z})
			}
		}
	}
	for op, n := range m.run.Ops {
		if n == (Count{}) { // products that multiply-adds have taken
			delete(m.run.Ops, op)
		}
	}
	for name, a := range m.arrays {
		for i, x := range a.elems {
			m.run.Memory[name] = append(m.run.Memory[name], convert(x, a.dtype, expr.Float64).f)
			m.run.Read[name] += cvalue.Bit(a.read[i])
			m.run.Written[name] += cvalue.Bit(a.marked[i])
		}
	}
	return m.run, nil
}

// machine runs one work-group after the other.
type machine struct {
	launch    Launch
	run       *Report
	items     int // of a work-group
	everyAxis uint8
	steps     int
	arrays    map[string]*array // in global and constant memory
	inner     map[*cfront.Binary]bool

	group    [3]int64
	vars     map[*cfront.Var]*values
	places   map[*cfront.Var]values // pointers to the first elements of arrays
	tally    tally
	returned []bool // of the function that runs
	gone     []bool // of the kernel
	finished []bool // returned on a condition on data, and pretend since
	result   values
	loops    []*loop
	depth    int       // of calls
	path     string    // of calls
	head     bool      // of a loop: what is assigned is free
	ghosts   []bool    // work-items that pretend; nil is none
	branches []*[]undo // that depend on data
}

// loop is where work-items leave a loop or an iteration; finished are those that do so on a condition on data, and then pretend.
type loop struct{ broke, continued, finished []bool }

func (m *machine) runGroup(group [3]int64) {
	m.group = group
	m.vars, m.places = map[*cfront.Var]*values{}, map[*cfront.Var]values{}
	all := make([]bool, m.items)
	for i := range all {
		all[i] = true
	}
	for _, p := range m.launch.Function.Params {
		m.argument(p)
	}
	m.returned = make([]bool, m.items)
	m.gone, m.finished = m.returned, make([]bool, m.items)
	m.block(m.launch.Function.Body, all)
}

// argument gives a parameter of the kernel its value.
func (m *machine) argument(p *cfront.Var) {
	if len(p.Dims) > 0 {
		v := newValues("", m.items)
		a := m.arrayOf(p)
		for i := range v.v {
			v.v[i] = number{at: a}
		}
		m.vars[p] = &v
		return
	}
	x, ok := m.launch.Args[p.Name]
	if !ok {
		panic(failure("no value for argument " + p.Name))
	}
	v := newValues(p.DType, m.items)
	for i := range v.v {
		v.v[i] = convert(number{f: x}, expr.Float64, p.DType)
		v.v[i].f = cvalue.Round(p.DType, x)
		if v.v[i].form = param; p.DType.IsFloat() {
			v.v[i].form, v.v[i].read = data, true
		}
	}
	m.vars[p] = &v
}

// arrayOf is the array that a pointer of the kernel's, or a variable in global or constant memory, stands for; local memory is each group's.
func (m *machine) arrayOf(p *cfront.Var) *array {
	space := p.Space
	if space == "" {
		space = cfront.GlobalSpace
	}
	if space == cfront.LocalSpace {
		return &array{name: p.Name, space: space, dtype: p.DType.Base()}
	}
	a := m.arrays[p.Name]
	if a == nil {
		a = &array{name: p.Name, space: space, dtype: p.DType.Base(), start: func(i int64) float64 { return m.launch.Start(p.Name, i) }}
		m.arrays[p.Name] = a
	}
	return a
}

// pretends reports whether a work-item runs a branch only to count it.
func (m *machine) pretends(item int) bool {
	if m.ghosts != nil && m.ghosts[item] || m.finished[item] {
		return true
	}
	return slices.ContainsFunc(m.loops, func(l *loop) bool { return l.finished[item] })
}

// spend bounds the work of a run.
func (m *machine) spend() {
	if m.steps++; m.steps > m.launch.Steps {
		panic(failure("it takes too many steps"))
	}
}

func anyOf(mask []bool) bool {
	return slices.ContainsFunc(mask, func(is bool) bool { return is })
}

// less is a mask without the work-items of others.
func less(mask []bool, others ...[]bool) []bool {
	out := make([]bool, len(mask))
	for i, is := range mask {
		out[i] = is
		for _, o := range others {
			out[i] = out[i] && !o[i]
		}
	}
	return out
}
