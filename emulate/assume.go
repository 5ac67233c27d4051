package emulate

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gpuperf/emulate/exec"
	"gpuperf/launchfile"
	"gpuperf/sass"
)

// assumptions finds the instructions that assumptions are about.
func assumptions(f *sass.Function, list []launchfile.Assumption) (exec.Assumptions, error) {
	out := exec.Assumptions{Branches: map[int]float64{}, Loops: map[int]float64{}}
	for _, a := range list {
		switch {
		case a.Branch != "":
			at := find(f, a.Branch, func(i int) bool { return isBranch(f, i) })
			if at < 0 {
				return out, a.Errorf("%s has no branch at %s", f.Name, a.Branch)
			}
			out.Branches[at] = a.Value
		case a.Loop != "":
			at := find(f, a.Loop, func(i int) bool { return headerOf(f, i) >= 0 })
			if at < 0 {
				return out, a.Errorf("%s has no loop at %s", f.Name, a.Loop)
			}
			out.Loops[headerOf(f, at)] = a.Value
		case a.Region != "":
			if _, _, err := region(a.Region); err != nil {
				return out, a.Errorf("%v", err)
			}
		}
	}
	return out, nil
}

// isBranch reports whether an instruction goes one of two ways.
func isBranch(f *sass.Function, i int) bool {
	b := slices.IndexFunc(f.Blocks, func(b sass.Block) bool { return b.To == i+1 })
	return b >= 0 && conditional(f, b)
}

// CheckAssumption reports an error where a function has no place that an assumption is about.
func CheckAssumption(f *sass.Function, a launchfile.Assumption) error {
	_, err := assumptions(f, []launchfile.Assumption{a})
	return err
}

// find returns the first instruction of a kind at an address or a line; -1 for none.
func find(f *sass.Function, place string, is func(i int) bool) int {
	if address, err := strconv.ParseInt(place, 0, 64); err == nil {
		list := f.Instructions
		i := sort.Search(len(list), func(i int) bool { return list[i].Address >= address })
		if i < len(list) && list[i].Address == address && is(i) {
			return i
		}
		return -1
	}
	file, line, _ := strings.Cut(place, ":")
	n, err := strconv.Atoi(line)
	for i := range f.Instructions {
		if s := f.Instructions[i].Source; err == nil && s.Line == n && path.Base(s.File) == path.Base(file) && is(i) {
			return i
		}
	}
	return -1
}

// headerOf is the first instruction of the innermost loop that an instruction is in; -1 for none.
func headerOf(f *sass.Function, i int) int {
	for _, b := range f.Blocks {
		if i >= b.From && i < b.To && b.Loop != nil {
			return f.Blocks[b.Loop.Header].From
		}
	}
	return -1
}

// region reads a range of addresses.
func region(text string) (from, to int64, err error) {
	a, b, ok := strings.Cut(text, "-")
	from, err1 := strconv.ParseInt(a, 0, 64)
	to, err2 := strconv.ParseInt(b, 0, 64)
	if !ok || err1 != nil || err2 != nil || to < from {
		return 0, 0, fmt.Errorf("expected a range of addresses such as 0x300-0x7f0, found %q", text)
	}
	return from, to, nil
}

// Say is what a launch file would say under assume about something that is not known, with the number to be replaced; "" where nothing can be said.
func (r *Result) Say(d exec.Doubt) string {
	f := r.function
	if d.Index >= len(f.Instructions) {
		return ""
	}
	switch d.Kind {
	case exec.UnknownTrips, exec.UnknownBranch, exec.UnknownLeave, exec.UnlikelyWay:
		if loop := r.leaves(d.Index); loop >= 0 {
			return fmt.Sprintf("{loop: %q, trips: 1}", r.named(loop, func(i int) bool { return headerOf(f, i) >= 0 }))
		}
		if isBranch(f, d.Index) {
			part := "0.5"
			if d.Kind != exec.UnknownBranch {
				part = "0"
			}
			return fmt.Sprintf("{branch: %q, taken: %s}", r.named(d.Index, func(i int) bool { return isBranch(f, i) }), part)
		}
	case exec.UnknownAddress:
		at := r.address(d.Index)
		return fmt.Sprintf("{region: \"%s-%s\", l2_hit: 0.5}", at, at)
	}
	return ""
}

// leaves is the first instruction of the loop that a branch may leave; -1 for none.
func (r *Result) leaves(index int) int {
	p := profile{f: r.function}
	for b := range r.function.Blocks {
		if block := &r.function.Blocks[b]; block.To != index+1 || len(block.Next) != 2 {
			continue
		}
		for l := r.function.Blocks[b].Loop; l != nil; l = l.Outer {
			if p.decides(b, l) {
				return r.function.Blocks[l.Header].From
			}
		}
	}
	return -1
}

// named is the line of an instruction where that finds it, else its address.
func (r *Result) named(index int, is func(i int) bool) string {
	if place := r.place(index); place != "" {
		if line := path.Base(place); find(r.function, line, is) == index {
			return line
		}
	}
	return r.address(index)
}
