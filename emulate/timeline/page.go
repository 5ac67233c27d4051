package timeline

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/emulate/timing"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
)

//go:embed page.gohtml chart.gohtml
var texts embed.FS

var page = template.Must(template.ParseFS(texts, "page.gohtml", "chart.gohtml"))

// data is what the script of the page knows. Times are in tenths of cycles.
type data struct {
	Cycles       float64    `json:"cycles"`
	Instructions [][]any    `json:"instructions"` // address, text, place, kind
	Reasons      []string   `json:"reasons"`
	Kinds        []string   `json:"kinds"`
	Rows         [][]number `json:"rows"` // of each issue: when, since the one before; instruction, plus 1/2 where nothing is done; work-group; sub-group; reason and time of waits, one after the other, and -1
}

// number is written without a fraction where it has none.
type number float64

// tenths of a cycle.
func tenths(cycles float64) number { return number(math.Round(cycles * 10)) }

// Shown is what the page shows without its script, as it is written to files for others.
type Shown struct {
	Title   string   `json:"title"`
	Summary string   `json:"summary"`
	Time    string   `json:"time"`
	Reasons []string `json:"reasons"` // for which a sub-group waits
	Ticks   []tick   `json:"ticks"`
	Rows    []lane   `json:"rows"`
	Hot     []Hot    `json:"instructions"` // those that sub-groups wait for most first
}

// content is what the template of the page is given.
type content struct {
	Shown
	Kinds []string
	Data  data
}

type tick struct {
	Percent float64 `json:"percent"`
	Cycle   string  `json:"cycle"`
}

// lane is the picture of a row over all cycles: for each reason, what it fills of the row, and how densely instructions are issued.
type lane struct {
	Name   string `json:"name"`
	Waits  []part `json:"waits"`
	Issues string `json:"issues"`
}

type part struct {
	Class int    `json:"reason"`
	Path  string `json:"path"`
}

// Hot is an instruction, and how often and how long sub-groups were at it.
type Hot struct {
	Address string  `json:"address"`
	Text    string  `json:"text"`
	Place   string  `json:"place,omitempty"`
	Reason  string  `json:"reason,omitempty"` // that it mostly waits for
	Times   int     `json:"times"`
	Cycles  float64 `json:"cycles"`
}

// takes says how long the launch takes.
func takes(r *emulate.Result) string {
	if !r.Status.Timed() {
		return "The launch has no time: " + r.Why()[0] + "."
	}
	return fmt.Sprintf("The launch takes %s, %.0f cycles at %.0f MHz.", r.Status.Text(r.Seconds), r.Cycles, r.ClockMHz)
}

// shown is what the page shows.
func (t *Timeline) shown() Shown {
	s := Shown{
		Title:   fmt.Sprintf("%s on %s", t.Result.Kernel, t.Result.Device),
		Summary: t.Summary(),
		Time:    takes(t.Result),
		Ticks:   t.ticks(), Hot: t.hottest(),
	}
	for reason := range timing.Reasons {
		s.Reasons = append(s.Reasons, reason.String())
	}
	for i := range t.rows {
		s.Rows = append(s.Rows, t.picture(i))
	}
	return s
}

// Chart is the picture, with its legend, as a part of other pages. These have the colours --line and --ink.
func (s Shown) Chart() (template.HTML, error) {
	var text strings.Builder
	err := page.ExecuteTemplate(&text, "chart", s)
	return template.HTML(text.String()), err //nolint:gosec // the template escapes
}

// Write writes the page.
func (t *Timeline) Write(w io.Writer) error {
	c := content{t.shown(), kindNames[:], t.data()}
	c.Data.Reasons, c.Data.Kinds = c.Reasons, c.Kinds
	return page.Execute(w, c)
}

// WriteFile records the launch of a result, of which there must be one, and writes the page to a file, or where its name ends in .json what the page
// shows. It returns what that is.
func WriteFile(path string, results []*emulate.Result, o Options) (string, error) {
	switch {
	case len(results) != 1:
		return "", source.At("", "", source.Pos{}, "%s: there are %d kernels, sizes or devices, and a timeline shows one", path, len(results))
	case o.Cycles < 0 || o.Cycles > Most:
		return "", source.At("", "", source.Pos{}, "a timeline of %d cycles: expected 1 to %d", o.Cycles, Most)
	}
	t := Record(results[0], o)
	var text bytes.Buffer
	write, kind := t.Write, replace.Page
	if strings.HasSuffix(path, ".json") {
		kind = replace.Shown
		write = func(w io.Writer) error { return json.NewEncoder(w).Encode(map[string]Shown{"timeline": t.shown()}) }
	}
	if err := write(&text); err != nil {
		return "", err
	}
	return path + ": " + t.Summary(), kind.Bytes(path, text.Bytes())
}

// ticks are round numbers of cycles along the picture.
func (t *Timeline) ticks() (all []tick) {
	step := math.Pow(10, math.Floor(math.Log10(max(t.Cycles, 10)/2)))
	for _, more := range []float64{1, 2, 5} {
		if t.Cycles/(step*more) <= 6 {
			step *= more
			break
		}
	}
	for at := 0.0; at <= t.Cycles*0.96; at += step {
		all = append(all, tick{100 * at / max(t.Cycles, 1), fmt.Sprintf("%.0f", at)})
	}
	return all
}

// columns is how finely a row is pictured.
const columns = 1000

// picture shows what each of the columns of a row is mostly: the reason for which the warp waits. Issues are a curve of how many of the cycles
// issue.
func (t *Timeline) picture(n int) lane {
	var waits [columns][timing.Reasons]float64
	var issues [columns]float64
	width := max(t.Cycles, 1) / columns
	fill := func(from, to float64, add func(column int, part float64)) {
		for c := max(int(from/width), 0); c < columns && float64(c)*width < to; c++ {
			if part := min(to, float64(c+1)*width) - max(from, float64(c)*width); part > 0 {
				add(c, part)
			}
		}
	}
	for _, e := range t.rows[n].events {
		end := e.at
		for i := len(e.waits) - 1; i >= 0; i-- {
			from := end - float64(e.waits[i].Time)/timing.Cycle
			fill(from, end, func(c int, part float64) { waits[c][e.waits[i].Reason] += part })
			end = from
		}
		fill(e.at, e.at+1, func(c int, part float64) { issues[c] += part / width })
	}
	p := lane{Name: fmt.Sprint(n + 1)}
	for reason := range timing.Reasons {
		if text := runs(func(c int) bool { return mostly(&waits[c]) == reason && waits[c][reason] > 0 }); text != "" {
			p.Waits = append(p.Waits, part{int(reason), text})
		}
	}
	p.Issues = curve(&issues)
	return p
}

func mostly(times *[timing.Reasons]float64) (most timing.Reason) {
	for reason := range timing.Reasons {
		if times[reason] > times[most] {
			most = reason
		}
	}
	return most
}

// runs is a path of the columns of a kind.
func runs(is func(c int) bool) string {
	var b strings.Builder
	for c := 0; c < columns; {
		from := c
		for c < columns && is(c) {
			c++
		}
		if c > from {
			fmt.Fprintf(&b, "M%d 0h%dv10h-%dz", from, c-from, c-from)
			continue
		}
		c++
	}
	return b.String()
}

// curve is a path whose height above the lower edge is the part of the cycles of a column in which an instruction is issued.
func curve(parts *[columns]float64) string {
	var b strings.Builder
	for c := 0; c < columns; c++ {
		if parts[c] <= 0 {
			continue
		}
		from, height := c, math.Round(100*max(min(parts[c], 1), 0.08))/10
		for c+1 < columns && math.Round(100*max(min(parts[c+1], 1), 0.08))/10 == height && parts[c+1] > 0 {
			c++
		}
		fmt.Fprintf(&b, "M%d 10v-%gh%dv%gz", from, height, c+1-from, height)
	}
	return b.String()
}

// hottest lists the instructions, those that warps wait for most first.
func (t *Timeline) hottest() []Hot {
	type sum struct {
		times  int
		cycles float64
		waits  [timing.Reasons]float64
	}
	sums := make([]sum, len(t.instructions))
	for _, r := range t.rows {
		for _, e := range r.events {
			s, end := &sums[e.instruction], e.at
			if e.at < t.Cycles {
				s.times++
				s.cycles++
			}
			for i := len(e.waits) - 1; i >= 0; i-- {
				from := end - float64(e.waits[i].Time)/timing.Cycle
				part := min(end, t.Cycles) - min(from, t.Cycles)
				s.cycles, s.waits[e.waits[i].Reason] = s.cycles+part, s.waits[e.waits[i].Reason]+part
				end = from
			}
		}
	}
	order := make([]int, len(sums))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b].cycles, sums[a].cycles) })
	var all []Hot
	for _, i := range order {
		if sums[i].cycles == 0 {
			continue
		}
		in, s := t.instructions[i], &sums[i]
		h := Hot{Address: in.address, Text: in.text, Place: in.place, Times: s.times, Cycles: s.cycles}
		if most := mostly(&s.waits); s.waits[most] > 0 {
			h.Reason = most.String()
		}
		all = append(all, h)
	}
	return all
}

// data is the timeline for the script.
func (t *Timeline) data() data {
	d := data{Cycles: t.Cycles}
	for _, in := range t.instructions {
		d.Instructions = append(d.Instructions, []any{in.address, in.text, in.place, int(in.kind)})
	}
	for _, r := range t.rows {
		list, before := []number{}, number(0)
		for _, e := range r.events {
			at, index := tenths(e.at), number(e.instruction)
			if e.off {
				index += 0.5
			}
			list = append(list, at-before, index, number(e.block), number(e.warp))
			for _, w := range e.waits {
				if n := tenths(float64(w.Time) / timing.Cycle); n > 0 {
					list = append(list, number(w.Reason), n)
				}
			}
			list, before = append(list, -1), at
		}
		d.Rows = append(d.Rows, list)
	}
	return d
}

var _ json.Marshaler = number(0)

// MarshalJSON writes the number.
func (n number) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%g", float64(n)), nil }
