package launches

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/emulate/timing"
	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
)

// Comparison tells how reports differ from the first of them.
type Comparison struct{ Reports []*Report }

// quantity is what reports are compared by.
type quantity struct {
	name  string
	of    func(*Report) float64
	text  func(float64) string
	whole bool // it is of all that the launches do: of a part of that it is a lower bound
}

func (q *quantity) written(r *Report) string {
	v, status := q.of(r), r.Status()
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "none"
	case q.whole && !status.Finite():
		return "≥ " + q.text(v)
	}
	return q.text(v)
}

func plain(v float64) string   { return strings.TrimSpace(format.Quantity(v, "")) }
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
func volume(v float64) string  { return format.Bytes(int64(v)) }

// sum adds up a quantity of all launches.
func sum(of func(*Launch) float64) func(*Report) float64 {
	return func(r *Report) (all float64) {
		for i := range r.Launches {
			all += float64(r.Launches[i].Times) * of(&r.Launches[i])
		}
		return all
	}
}

// mean is the mean of a quantity over the time of the launches.
func mean(of func(*Launch) float64) func(*Report) float64 {
	return func(r *Report) float64 {
		return sum(func(l *Launch) float64 { return l.Result.Seconds * of(l) })(r) / r.Seconds()
	}
}

var quantities = []quantity{
	{"time", (*Report).Seconds, format.Seconds, true},
	{"cycles", sum(func(l *Launch) float64 { return l.Cycles }), plain, true},
	{"waves", mean(func(l *Launch) float64 { return l.Waves }), func(v float64) string { return fmt.Sprintf("%.2f", v) }, false},
	{"work-groups at once", mean(func(l *Launch) float64 { return float64(l.Blocks) }), plain, false},
	{"achieved occupancy", mean(func(l *Launch) float64 { return l.Occupancy }), percent, false},
	{"instructions", sum(func(l *Launch) float64 { return float64(l.Effort.Stands) }), plain, true},
	{"requests of global memory", sum(func(l *Launch) float64 { return l.Memory.Requests }), plain, true},
	{"sectors of these", sum(func(l *Launch) float64 { return l.Memory.Sectors }), plain, true},
	{"sectors to and from L2", sum(func(l *Launch) float64 { return l.Memory.L2Sectors }), plain, true},
	{"moved by DRAM", sum(func(l *Launch) float64 { return l.Work.GlobalBytes }), volume, true},
}

// waits are the reasons for which warps wait, as parts of their time.
func waits() (all []quantity) {
	for reason := range timing.Reasons {
		all = append(all, quantity{"  " + reason.String(), mean(func(l *Launch) float64 { return l.Stalls[reason] }), percent, false})
	}
	return all
}

// Write prints how the times of two reports differ, the quantities of all, what the warps wait for, and what became of the lines of the source.
func (c Comparison) Write(w io.Writer) error {
	lines := c.lines()
	if len(c.Reports) == 2 {
		fmt.Fprintln(w, c.verdict(lines))
	}
	for i, r := range c.Reports {
		by := ""
		if r.Code != "" {
			by = " by " + r.Code
		}
		fmt.Fprintf(w, "%s  %s%s on %s%s\n", letter(i), r.Name, by, r.Device, emulate.From(r.Origin))
	}
	fmt.Fprintln(w)
	t := format.NewTable(c.head("")...)
	for _, q := range quantities {
		c.row(t, q, true)
	}
	cells := []string{"bottleneck"}
	for i, r := range c.Reports {
		if cells = append(cells, r.Longest().Bottleneck.String()); i > 0 {
			cells = append(cells, "")
		}
	}
	t.Row(cells...)
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = format.NewTable(c.head("sub-groups wait for")...)
	for _, q := range waits() {
		if slices.ContainsFunc(c.Reports, func(r *Report) bool { return q.of(r) >= 0.005 }) {
			c.row(t, q, false)
		}
	}
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return c.table(lines).Write(w)
}

func letter(i int) string { return string(rune('A' + i%26)) }

func (c Comparison) head(first string) []string {
	head := []string{first}
	for i := range c.Reports {
		if head = append(head, ">"+letter(i)); i > 0 {
			head = append(head, ">"+letter(i)+"/A")
		}
	}
	return head
}

// row adds a quantity, with how the others relate to the first.
func (c Comparison) row(t *format.Table, q quantity, over bool) {
	cells, first := []string{q.name}, c.Reports[0]
	for i, r := range c.Reports {
		if cells = append(cells, q.written(r)); i == 0 {
			continue
		}
		relation := ""
		if over {
			relation = related(r, first, q.of(r), q.of(first))
		}
		cells = append(cells, relation)
	}
	t.Row(cells...)
}

// JSON is the comparison for other programs: the reports, and each quantity of all of them.
func (c Comparison) JSON() any {
	type row struct {
		Name   string     `json:"name"`
		Values []*float64 `json:"values"`
	}
	var rows []row
	for _, q := range append(slices.Clone(quantities), waits()...) {
		one := row{Name: q.name}
		for _, r := range c.Reports {
			one.Values = append(one.Values, jsonvalue.Finite(q.of(r)))
		}
		rows = append(rows, one)
	}
	return map[string]any{"kernels": c.Reports, "compared": rows}
}
