package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/internal/format"
)

// Difference is what two kernels spend on the same: a kind of work, or the accesses to an array.
type Difference struct {
	What   string  `json:"what"`
	First  float64 `json:"first"` // seconds of the first kernel
	Second float64 `json:"second"`
	Where  string  `json:"where,omitempty"` // of accesses: the lines in the first kernel, then those in the second
}

// Comparison is what differs between two kernels, the largest difference first. Both lists are of whole times, each divided in its way.
type Comparison struct {
	Kernels [2]*Explanation `json:"kernels"`
	Work    []Difference    `json:"work"`
	Lines   []Difference    `json:"lines"`
}

// Compare says what differs between two kernels.
func Compare(first, second *Explanation) *Comparison {
	out := &Comparison{Kernels: [2]*Explanation{first, second}}
	work, lines := differences{}, differences{}
	for side, e := range out.Kernels {
		for _, c := range e.Costs {
			what := c.Words
			if c.By != "" && c.By != what {
				what += ", by " + c.By
			}
			work.add(what, side, c.Seconds, "")
		}
		rest := e.Predicted
		for _, l := range e.Lines {
			lines.add(fmt.Sprintf("%s of %s in %s memory", l.Action, l.Array, l.Space), side, l.Share*e.Predicted, place(l.File, l.Line))
			rest -= l.Share * e.Predicted
		}
		lines.add("what else they do", side, max(rest, 0), "")
	}
	out.Work, out.Lines = work.sorted(), lines.sorted()
	return out
}

// Together explains launches that follow each other as one: their times and costs are added up, and what binds is that of the longest.
func Together(list []*Explanation) *Explanation {
	all := *list[0]
	if len(list) == 1 {
		return &all
	}
	all.Predicted, all.Interval, all.Costs, all.Lines, all.Warnings = 0, calibrate.Interval{}, nil, nil, nil
	longest := list[0]
	for _, e := range list {
		all.Predicted += e.Predicted
		if e.Predicted > longest.Predicted {
			longest = e
		}
	}
	all.Bound = longest.Bound
	for i, e := range list {
		if i > 0 {
			all.Kernel += ", " + e.Kernel
		}
		for side := range e.Interval {
			all.Interval[side] += e.Interval[side]
		}
		all.Costs, all.Warnings = append(all.Costs, e.Costs...), append(all.Warnings, e.Warnings...)
		for _, l := range e.Lines {
			l.Share *= e.Predicted / all.Predicted
			all.Lines = append(all.Lines, l)
		}
	}
	return &all
}

// differences are those found so far, by what they are of.
type differences map[string]*Difference

func (d differences) add(what string, side int, seconds float64, where string) {
	x := d[what]
	if x == nil {
		x = &Difference{What: what}
		d[what] = x
	}
	if side == 0 {
		x.First += seconds
	} else {
		x.Second += seconds
	}
	switch {
	case where == "":
	case x.Where == "":
		x.Where = where
	case x.Where != where:
		x.Where += ", " + where
	}
}

// sorted lists them, the largest first.
func (d differences) sorted() (list []Difference) {
	for _, x := range d {
		list = append(list, *x)
	}
	slices.SortFunc(list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Second-b.First), math.Abs(a.Second-a.First)), cmp.Compare(a.What, b.What))
	})
	return list
}

// Write writes the comparison as text, without what differs by less than a hundredth of the longer time.
func (c *Comparison) Write(w io.Writer) {
	longer := max(c.Kernels[0].Predicted, c.Kernels[1].Predicted)
	fmt.Fprintf(w, "B takes %s× the time of A\n", format.Times(c.Kernels[1].Predicted/c.Kernels[0].Predicted))
	for i, e := range c.Kernels {
		name := strings.TrimSpace(filepath.Base(e.Script) + " " + e.Kernel + " " + format.Sizes(e.At))
		fmt.Fprintf(w, "%s  %s: %s (%s), bound by %s\n", []string{"A", "B"}[i], strings.TrimPrefix(name, ". "), format.Seconds(e.Predicted), e.Interval, e.Bound)
	}
	for _, part := range []struct {
		title string
		list  []Difference
		where bool
	}{{"what differs", c.Work, false}, {"accesses that differ", c.Lines, true}} {
		columns := []string{part.title, ">A", ">B", ">B - A"}
		if part.where {
			columns = append(columns, "where")
		}
		t := format.NewTable(columns...)
		rows := 0
		for _, d := range part.list {
			by := d.Second - d.First
			if math.Abs(by) < leastPart*longer {
				continue
			}
			sign := map[bool]string{true: "+"}[by > 0]
			row := []string{d.What, worth(d.First, longer), worth(d.Second, longer), sign + format.Rough(by, "s")}
			if part.where {
				row = append(row, d.Where)
			}
			t.Row(row...)
			rows++
		}
		if rows > 0 {
			fmt.Fprintln(w)
			t.WriteIndented(w, "  ")
		}
	}
}

// worth is a part of a time as text, "-" where it is none of it in the digits that others have.
func worth(seconds, of float64) string {
	if seconds < of/10000 {
		return "-"
	}
	return format.Rough(seconds, "s")
}
