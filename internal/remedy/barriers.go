package remedy

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
)

// barriers: barriers in a loop in which no work-item accesses what another one has written.
func barriers(x *study) []candidate {
	return x.outside("barrier", "so that what a work-item alone accesses is in a register", func(s *kernel.Stmt) (kernel.Space, bool) { return s.Memory, s.Kind == kernel.LocalBarrier })
}

// fences: the same of fences.
func fences(x *study) []candidate {
	return x.outside("fence", "so that a work-item does not wait each time until the device has seen what it stored", func(s *kernel.Stmt) (kernel.Space, bool) { return kernel.Global, x.Kernel.IsFence(s) })
}

// exchanges: work-items hand values on to each other in a few steps, by local memory with barriers in each, as in sums and prefix sums.
func exchanges(x *study) (out []candidate) {
	met := float64(x.Barriers) / float64(x.Groups*x.Items)
	for _, r := range x.those(func(r *Row) bool { return r.Space == kernel.Local && r.Store && !r.Data }) {
		steps := float64(r.Requests) / float64(x.Groups*x.subgroups())
		read := x.exchanged(r.Array)
		if steps < fewestSteps || steps > math.Log2(float64(x.Items))+1 || met < steps || read == nil {
			continue
		}
		edit := at(x.those(func(o *Row) bool { return o.Site == r.Site }), launch.Effect{Without: true})
		edit.Meetings = int64(met / 2)
		out = append(out, candidate{
			array: r.Array, at: read.At, share: r.Share, cures: []cure{{edit: edit}},
			defect: fmt.Sprintf("work-items hand on elements of %s to each other in %.0f steps, and meet at %.0f barriers", r.Array, steps, met),
			remedy: "exchange them within sub-groups, by shuffles, which need no barrier, and join what sub-groups have once",
		})
	}
	return out
}

// fewestSteps are those of sums and prefix sums from which on shuffles are worth their text.
const fewestSteps = 3

// exchanged is a statement in which work-items read other elements of an array than those that they write; nil where none does.
func (x *study) exchanged(array string) *kernel.Stmt {
	written := map[string]bool{}
	for _, s := range x.Kernel.Statements {
		for _, a := range x.Kernel.Writes(s) {
			written[a.Array+x.numbered(a)] = true
		}
	}
	for _, s := range x.Kernel.Statements {
		if slices.ContainsFunc(x.Kernel.Reads(s), func(a *expr.Access) bool { return a.Array == array && !written[a.Array+x.numbered(a)] }) && s.At.Line > 0 {
			return s
		}
	}
	return nil
}

// outside finds statements that order accesses to a memory, in loops that they may be behind.
func (x *study) outside(what, then string, orders func(*kernel.Stmt) (memory kernel.Space, ok bool)) []candidate {
	var c candidate
	var first *kernel.Stmt
	moved := map[string]string{} // the loop that each leaves
	for _, s := range x.Kernel.Statements {
		loop := x.innermost(s)
		memory, ok := orders(s)
		if !ok || loop == "" {
			continue
		}
		array, own := x.ownIn(loop, memory)
		if !own {
			continue
		}
		if moved[s.ID] = loop; len(moved) == 1 {
			first, c.array, c.at = s, array, s.At
		}
	}
	if len(moved) == 0 {
		return nil
	}
	outside := x.Kernel.Clone()
	outside.MapStmts(func(s *kernel.Stmt) {
		if loop := moved[s.ID]; loop != "" {
			s.Inames = slices.DeleteFunc(slices.Clone(s.Inames), func(n string) bool { return n == loop })
		}
	})
	kept := x.those(func(r *Row) bool { return r.Space == kernel.Local && x.inLoop(r, moved[first.ID]) })
	c.cures = []cure{{kernel: outside, edit: at(kept, launch.Effect{Once: true})}} // compilers keep what no barrier is between in registers
	c.defect = fmt.Sprintf("%s in each iteration of a loop, where work-items access no elements of %s but their own", format.Count(len(moved), what), c.array)
	c.remedy = "one " + what + " behind the loop, " + then
	return []candidate{c}
}

// innermost is the innermost loop around a statement; "" where it is in none.
func (x *study) innermost(s *kernel.Stmt) (loop string) {
	for _, n := range s.Inames {
		if !x.Kernel.Tags[n].Parallel() {
			loop = n
		}
	}
	return loop
}

// ownIn reports whether each element of the shared arrays that statements of a loop write is accessed there by one work-item alone, and names one of the arrays.
func (x *study) ownIn(loop string, memory kernel.Space) (array string, own bool) {
	indices, written := map[string][]string{}, map[string]bool{}
	for _, s := range x.Kernel.Statements {
		if !slices.Contains(s.Inames, loop) {
			continue
		}
		if s.Atomic {
			return "", false
		}
		for _, a := range x.Kernel.Writes(s) {
			written[a.Array] = true
		}
		for _, a := range slices.Concat(x.Kernel.Reads(s), x.Kernel.Writes(s)) {
			indices[a.Array] = append(indices[a.Array], x.numbered(a))
		}
	}
	for name := range written {
		space := x.Kernel.SpaceOf(name)
		if space != kernel.Local && (space != kernel.Global || memory != kernel.Global) {
			continue
		}
		if array == "" || name < array {
			array = name
		}
		if list := indices[name]; slices.ContainsFunc(list, func(text string) bool { return text != list[0] }) || !x.apart(name, loop) {
			return "", false
		}
	}
	return array, array != ""
}

// apart reports whether work-items of a group access elements of their own in the lines of a loop.
func (x *study) apart(array, loop string) bool {
	for _, r := range x.rows {
		if r.Array != array || !x.inLoop(&r, loop) {
			continue
		}
		reach := max(r.Bytes, 1)
		for axis, n := range x.Local {
			stride := max(r.Strides[axis], -r.Strides[axis])
			switch {
			case n == 1:
			case r.Data || stride < reach:
				return false
			default:
				reach = stride * n
			}
		}
	}
	return true
}

// inLoop reports whether an access is in a statement of a loop.
func (x *study) inLoop(r *Row, loop string) bool {
	return slices.ContainsFunc(x.Kernel.Statements, func(s *kernel.Stmt) bool {
		return slices.Contains(s.Inames, loop) && s.At.Line == r.At.Line &&
			slices.ContainsFunc(slices.Concat(x.Kernel.Reads(s), x.Kernel.Writes(s)), func(a *expr.Access) bool { return a.Array == r.Array })
	})
}
