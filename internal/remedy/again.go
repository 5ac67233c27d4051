package remedy

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
)

// again: a work-item loads in one line what it has loaded in another, as in the passes of a normalization over its row.
func again(x *study) (out []candidate) {
	var groups [][]Row
	var texts []string
	for _, r := range x.those(func(r *Row) bool { return r.Space == kernel.Global && !r.Store && !r.Atomic && !r.Data }) {
		if len(x.Kernel.Writers(r.Array)) > 0 || float64(r.Items) > mostKept*float64(x.Groups*x.Items) {
			continue
		}
		index := x.index(r.Site)
		if index == "" {
			continue
		}
		text := fmt.Sprint(r.Array, " ", index, " ", r.Items)
		i := slices.Index(texts, text)
		if i < 0 {
			i, texts, groups = len(texts), append(texts, text), append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	for _, list := range groups {
		if len(list) < 2 {
			continue
		}
		slices.SortFunc(list, func(a, b Row) int { return a.At.Line - b.At.Line })
		first, rest := list[0], list[1:]
		lines := lists.Map(rest, func(r Row) string { return fmt.Sprint(r.At.Line) })
		where := "line"
		if len(lines) > 1 {
			where = "lines"
		}
		out = append(out, candidate{
			array: first.Array, at: rest[0].At, share: rest[0].Share, cures: []cure{{edit: at(rest, launch.Effect{Without: true})}},
			defect: fmt.Sprintf("a work-item loads in %s %s what it has loaded in line %d", where, format.First(lines, 3), first.At.Line),
			remedy: fmt.Sprintf("keep its elements of %s, %d, in registers, or those of the work-group in local memory", first.Array, first.Items/(x.Groups*x.Items)),
		})
	}
	return out
}

// mostKept is how many elements a work-item keeps in registers: a quarter of those that it may have.
const mostKept = 64

// index is the text of the index of the accesses at a site, with numbers for the counters of loops; "" where they have several.
func (x *study) index(site launch.Site) (index string) {
	for _, s := range x.Kernel.Statements {
		all := lists.Flat(s.Exprs(), expr.Accesses)
		for i, a := range all {
			at := s.At
			if len(s.Places) == len(all) && s.Places[i].Line > 0 {
				at = s.Places[i]
			}
			if a.Array != site.Array || at.Line != site.At.Line {
				continue
			}
			text := x.numbered(a)
			if index != "" && text != index {
				return ""
			}
			index = text
		}
	}
	return index
}

// numbered is the text of the indices of an access, in which the counters of loops are called by when they come, and others by their axis.
func (x *study) numbered(a *expr.Access) string {
	var counters, parts []string
	for _, e := range a.Index {
		e = expr.Rewrite(e, func(e expr.Expr) expr.Expr {
			v, ok := e.(expr.Var)
			if !ok || !x.Kernel.IsIname(v.Name) {
				return e
			}
			if tag := x.Kernel.Tags[v.Name]; tag.Parallel() {
				return expr.Var{Name: tag.String()}
			}
			n := slices.Index(counters, v.Name)
			if n < 0 {
				n, counters = len(counters), append(counters, v.Name)
			}
			return expr.Var{Name: fmt.Sprint("#", n)}
		})
		parts = append(parts, e.String())
	}
	return strings.Join(parts, ", ")
}
