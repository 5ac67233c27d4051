// Package interp runs linearized kernels on small sizes, exactly and slowly: the oracle for transformations, counts and
// generated code.
//
// Run takes the work-groups one after the other and runs the work-items of each in lockstep: statement after statement
// over the work-items that loops and guards leave active. Every access is checked (memory.go): against the bounds of the
// array, for a value that nothing has written, and for races with other work-items since the last barrier and with other
// groups. A barrier that only some work-items reach is an error. Arithmetic is that of the element types, rounded after
// every operation (compile.go, operator.go, calls.go, vector.go, number.go); a device that contracts products and sums may differ by that.
package interp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// Report says what a run did, summed over all work-items.
type Report struct {
	Groups [3]int64
	// Runs counts the executions of each statement, by ID.
	Runs map[string]int64
	// Loads and Stores count the elements that accesses read and write, by array.
	Loads, Stores map[string]int64
	// Written lists the elements of each array in global memory that were written, in order.
	Written map[string][]int64
	// Barriers is the number of barriers that each work-item of a group passed, summed over the groups.
	Barriers int64
}

// Error is a fault of the kernel found while running it.
type Error struct {
	Stmt   string           // ID of the statement, "" for a barrier or bounds
	Access string           // the access or operation
	Msg    string           // what is wrong
	Item   string           // "group (1,0,0), local (3,2,0)"
	Point  map[string]int64 // values of the open loops
	loops  []string
}

func (e *Error) Error() string {
	where := e.Item
	for _, l := range e.loops {
		where += fmt.Sprintf(", %s = %d", l, e.Point[l])
	}
	what := e.Msg
	if e.Access != "" {
		what = e.Access + ": " + what
	}
	if e.Stmt != "" {
		what = "statement " + e.Stmt + ": " + what
	}
	return what + " (" + where + ")"
}

// Run executes the program with the given parameters. buffers holds the global arrays, and arguments passed by value that
// are no integer parameters as buffers of one element, by name; results are written into them. Global temporaries need
// none. On an error the buffers hold what was written until then.
func Run(n *linear.Nest, params map[string]int64, buffers map[string]*Buffer) (*Report, error) {
	return RunWith(n, params, buffers, Options{})
}

// Options of a run. The zero value runs all work-groups.
type Options struct {
	// Groups are the work-groups to run, numbered with axis 0 running fastest; nil is all. Groups do not depend on each other,
	// so what these write is what they write in a run of all.
	Groups []int64
	// Steps bounds the statements and iterations that are run, by each work-item; beyond them the error is ErrSteps. 0 is no bound.
	Steps int64
	// Visit is called for every access to an array in local or global memory, in the order in which the work-items make them.
	Visit func(Touch)
	// Random changes each result of an operation on floats by about its rounding error: results of several runs differ by about as much as those of
	// devices that round otherwise (Monte Carlo arithmetic: Parker 1997). nil rounds to nearest.
	Random *rand.Rand
}

// ErrSteps ends a run that takes more than Options.Steps.
var ErrSteps = errors.New("it takes too many steps to be interpreted")

// RunWith is Run with options.
func RunWith(n *linear.Nest, params map[string]int64, buffers map[string]*Buffer, opt Options) (report *Report, err error) {
	p, err := compile(n, params, buffers)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", n.Kernel.Name, err)
	}
	st := p.st
	st.visit, st.random, st.steps = opt.Visit, opt.Random, cmp.Or(opt.Steps, math.MaxInt64)
	all := make([]int, st.items)
	for i := range all {
		all[i] = i
	}
	run := func(group int64) {
		st.enter(st.groupAt(int32(group + 1)))
		p.run(st, all)
	}
	if err := throw.Try(func() {
		for _, group := range opt.Groups {
			run(group)
		}
		if opt.Groups == nil {
			for group := range st.groups[0] * st.groups[1] * st.groups[2] {
				run(group)
			}
		}
	}); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", n.Kernel.Name, err)
	}
	report = &Report{Groups: st.groups, Runs: map[string]int64{}, Loads: map[string]int64{}, Stores: map[string]int64{}, Barriers: st.barriers, Written: map[string][]int64{}}
	for i, s := range n.Kernel.Statements {
		report.Runs[s.ID] = st.runs[i]
	}
	for name, m := range p.mem {
		report.Loads[name], report.Stores[name] = m.loads, m.stores
		if m.array.Space == kernel.Global {
			for element, at := range m.buf.held() {
				if at < int64(len(m.marks)) && (m.marks[at].writeGroup != 0 || m.atomics[at] != nil) {
					report.Written[name] = append(report.Written[name], element)
				}
			}
		}
	}
	return report, nil
}

// Touch is an access to memory that others share.
type Touch struct {
	Group, Item int64 // group of the launch and work-item of the group, numbered with axis 0 running fastest
	Stmt        string
	Array       string
	Write       bool
	// Access is the access as the kernel has it, Element the flat index that it came to.
	Access  expr.Expr
	Element int64
	// Run numbers the executions of statements and guards, each by all work-items that take part in it.
	Run int64
}

// state is the state of a run. vars are the axes and loops of the current work-item, by the slots of linear.Nest.
type state struct {
	item   int
	vars   []int64
	stmt   string
	frames [][]int64 // vars per work-item

	items         int // per group
	local, groups [3]int64
	group         [3]int64
	groupID       int32 // from 1, in the order of the launch
	localEpoch    int32
	globalEpoch   int32
	barriers      int64
	runs          []int64
	run           int64 // executions of statements and guards so far
	open          []*linear.Loop
	scratch       []*memory // local and private memory, undefined at the start of a group
	visit         func(Touch)
	err           float64 // bound of the error of the float that was computed last
	random        *rand.Rand
	steps         int64 // left
}

func (st *state) spend(steps int) {
	if st.steps -= int64(steps); st.steps < 0 {
		panic(throw.Of(ErrSteps))
	}
}

func (st *state) at(item int) {
	st.item = item
	st.vars = st.frames[item]
}

func (st *state) id() int32 { return (st.groupID-1)*int32(st.items) + int32(st.item) + 1 }

func (st *state) epoch(space kernel.Space) int32 {
	if space == kernel.Local {
		return st.localEpoch
	}
	return st.globalEpoch
}

// enter starts a group.
func (st *state) enter(group [3]int64) {
	st.group = group
	st.groupID = int32(group[0]+st.groups[0]*(group[1]+st.groups[1]*group[2])) + 1
	st.localEpoch++
	st.globalEpoch++
	for i, f := range st.frames {
		rest := int64(i)
		for axis := range 3 {
			f[linear.LocalSlot+axis] = rest % st.local[axis]
			f[linear.GroupSlot+axis] = group[axis]
			rest /= st.local[axis]
		}
	}
	for _, m := range st.scratch {
		clear(m.buf.defined)
	}
}

func (st *state) groupAt(id int32) [3]int64 {
	n := int64(id - 1)
	return [3]int64{n % st.groups[0], n / st.groups[0] % st.groups[1], n / st.groups[0] / st.groups[1]}
}

func (st *state) name(item int) string {
	n := int64(item)
	return fmt.Sprintf("(%d,%d,%d)", n%st.local[0], n/st.local[0]%st.local[1], n/st.local[0]/st.local[1])
}

// fail ends the run with an error at what is being done.
func (st *state) fail(access expr.Expr, format string, args ...any) {
	e := &Error{Stmt: st.stmt, Msg: fmt.Sprintf(format, args...), Point: map[string]int64{}}
	if access != nil {
		e.Access = access.String()
	}
	e.Item = fmt.Sprintf("group (%d,%d,%d), local %s", st.group[0], st.group[1], st.group[2], st.name(st.item))
	for depth, l := range st.open {
		e.loops = append(e.loops, l.Iname)
		e.Point[l.Iname] = st.vars[linear.LoopSlot+depth]
	}
	panic(throw.Of(e))
}
