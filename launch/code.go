package launch

import (
	"slices"

	hw "gpuperf/device/machine"

	"gpuperf/internal/lists"
	"gpuperf/launch/machine"
	"gpuperf/samples"
)

// NoCode says why it is not known how often the instructions of a kernel's machine code are executed.
type NoCode struct{ Reason string }

func (e *NoCode) Error() string { return "with the binary nothing is known: " + e.Reason }

// codeTotals are totals that count instructions of machine code.
var codeTotals = func() (list []Total) {
	add := func(name, doc string, of func(*estimate) float64) {
		list = append(list, Total{
			Name: "code_" + name, Doc: "with the binary: " + doc + "; by sub-groups", Busiest: true, Code: true,
			walked: func(e *estimate) float64 { return of(e) * e.excess(e.byMultiprocessor()) },
		})
	}
	classes := func(name, doc string, of ...string) {
		add(name, doc, func(e *estimate) (n float64) {
			return lists.Sum(of, func(class string) float64 { return e.code.Classes[class] })
		})
	}
	add("accesses", "loads, stores and atomic operations, in all memories", (*estimate).codeAccesses)
	classes("half", "arithmetic of float16", machine.Half)
	classes("single", "arithmetic of float32", machine.Single)
	classes("double", "arithmetic of float64", machine.Double)
	classes("integer", "sums and products of integers, addresses among them", "integer")
	classes("logic", "logic and shifts, comparisons and selects, minima and maxima", "logic", "compare")
	classes("conversions", "conversions", "conversion")
	classes("special", "reciprocals, roots, exponentials, sines", machine.Special)
	add("barriers", "barriers", func(e *estimate) float64 { return e.code.Barriers })
	return list
}()

// ofCode reports whether some of the totals with these identifiers count instructions of machine code.
func ofCode(totals []string) bool {
	return slices.ContainsFunc(codeTotals, func(t Total) bool { return slices.Contains(totals, t.Feature()) })
}

// executed is what sub-groups execute of the machine code.
func (r *result) executed() (*machine.Counts, error) {
	c := r.stream.compiled
	switch {
	case c == nil || c.Code == nil:
		return nil, &NoCode{"the machine code of the kernel is not at hand"}
	case r.issued[issuePeriodic] > 0:
		return nil, &NoCode{"sines, cosines and tangents have code of their own for large arguments, and nothing tells how often it is executed"}
	}
	code, err := machine.Execute(r.shape(), c.Code)
	if err != nil {
		return nil, &NoCode{err.Error()}
	}
	if r.rarely(c.Code) > mostRare*code.Instructions() {
		return nil, &NoCode{"quotients and roots have subroutines for rare cases, and nothing tells how often they are executed"}
	}
	return code, nil
}

// mostRare of the executed instructions may be taken for executed and are not: that is less than what predictions are off by.
const mostRare = 0.1

// rarely is how many instructions of the code may be taken for executed, though they are for rare cases of quotients and roots: a subroutine for each kind, outside of all loops.
func (r *result) rarely(code *samples.Code) (sum float64) {
	outside := func(class string) int {
		n := code.Classes[class]
		for _, l := range code.Loops {
			n -= l.Classes[class]
		}
		return n
	}
	if outside("flow") < r.p.compiler.Calls || code.Classes[machine.Special] == 0 {
		return 0
	}
	for _, kind := range []issue{issueDivide, issueDivideDouble, issueRoot, issueRootDouble} {
		if r.issued[kind] > 0 {
			sum += r.p.compiler.Rare * float64(r.numGroups()*r.subgroups())
		}
	}
	return sum
}

// codeAccesses are the executed accesses of which some work-items do not have their guards against them.
func (e *estimate) codeAccesses() (sum float64) {
	there, opened := e.p.workOf(&e.stream.parts.whole.done), e.shape().Work
	for _, a := range e.code.Ways() {
		part := 1.0
		for _, key := range []machine.Key{{Space: a.Space, Action: a.Action, Array: a.Array}, {Space: a.Space, Action: a.Action}} {
			if all := opened[key]; all > 0 {
				part = min(there[key]/all, 1)
			}
		}
		sum += e.code.Accesses[a] * part
	}
	return sum
}

// residents are the groups that run at once on a multiprocessor: as the driver told of the compiled kernel, by the registers that it has, or by
// those estimated.
func (r *result) residents() int64 {
	if r.stream != nil && r.stream.compiled != nil && r.stream.compiled.GroupsPerUnit > 0 {
		return r.stream.compiled.GroupsPerUnit
	}
	return hw.Held(r.p.opt.Device, r.group())
}

// group is what a work-group takes of a multiprocessor.
func (r *result) group() hw.Group {
	g := hw.Group{Items: r.items, Registers: r.p.registers, Local: r.shared, Subgroup: int64(r.p.opt.SubgroupSize)}
	if r.stream != nil && r.stream.compiled != nil && r.stream.compiled.Registers > 0 {
		g.Registers = r.stream.compiled.Registers
	}
	return g
}
