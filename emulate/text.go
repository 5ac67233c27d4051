package emulate

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gpuperf/emulate/timing"
	"gpuperf/internal/format"
	"gpuperf/internal/terminal"
)

// shown is the least sensitivity or part that is printed.
const shown = 0.01

// Write prints the result.
func (r *Result) Write(w io.Writer) {
	clock := "the maximum"
	switch {
	case r.ClockGiven:
		clock = "as given"
	case r.Utilization[timing.Tensor]+r.Utilization[timing.Wide] > 0:
		clock = "the maximum less what tensor instructions take"
	}
	fmt.Fprintf(w, "%s on %s%s\n", strings.TrimSpace(r.Kernel+" "+format.Sizes(r.At)), r.Device, From(r.Origin))
	r.writeReasons(w)
	if !r.Status.Timed() {
		fmt.Fprintf(w, "  time        %s\n", r.Status.Text(r.Seconds))
		r.writeDoubts(w)
		return
	}
	fmt.Fprintf(w, "  time        %s%s: %.0f cycles at %.0f MHz, %s\n", r.Status.Text(r.Seconds), r.Status.Spread(r.Interval), r.Cycles, r.ClockMHz, clock)
	fmt.Fprintf(w, "  waves       %.2f, of %s a multiprocessor: limited by %s\n", r.Waves, format.Count(int(r.Blocks), "work-group"), r.limits())
	fmt.Fprintf(w, "  occupancy   %.0f %% of the room for sub-groups on average; %s instructions\n", 100*r.Occupancy, strings.TrimSpace(format.Rough(float64(r.Effort.Stands), "")))
	if r.Bottleneck.Kind != "" {
		fmt.Fprintf(w, "  bottleneck  %s\n", r.Bottleneck)
	}
	rate := ""
	if r.Work.GlobalBytes > 0 {
		rate = fmt.Sprintf(", %sB/s", format.Rough(r.Work.GlobalBytes/max(r.Seconds, 1e-12), ""))
	}
	fmt.Fprintf(w, "  memory      L1 serves %.0f %%, L2 %.0f %% of the rest; DRAM moves %s%s\n", 100*r.Memory.L1Hit, 100*r.Memory.L2Hit,
		format.Bytes(int64(r.Work.GlobalBytes)), rate)
	fmt.Fprintf(w, "  waiting     %s\n", r.waiting())
	r.writeAdvice(w)
	r.writeSensitivity(w)
	r.writeRegions(w)
	r.writeUtilization(w)
	r.writeHottest(w)
	r.writeLines(w)
	r.writeDoubts(w)
}

// From says where machine code comes from, "" where that is not known.
func From(origin string) string {
	if origin == "" {
		return ""
	}
	return ", code from " + origin
}

// headings say what reasons of a status are about.
var headings = map[Status]string{Supposed: "not known", AtLeast: "at least", Unknown: "no bound", Endless: "no time"}

// mostReasons is how many reasons are printed.
const mostReasons = 6

// WriteReasons prints why the time of a launch with a name has no interval.
func (r *Result) WriteReasons(w io.Writer, name string) {
	if len(r.Reasons) > 0 {
		fmt.Fprintf(w, "\n%s\n", name)
		r.writeReasons(w)
	}
}

// writeReasons prints why the time has no interval, before anything else.
func (r *Result) writeReasons(w io.Writer) {
	list := r.Grouped()
	for _, g := range list[:min(len(list), mostReasons)] {
		fmt.Fprintf(w, "  %-10s  %s\n", headings[g.Status], strings.Join(format.Wrap(g.Line, terminal.Room(w, 124)-14), "\n              "))
	}
	if n := len(list) - mostReasons; n > 0 {
		fmt.Fprintf(w, "  %-10s  %d more: --json has all\n", "", n)
	}
}

// limits says what limits the work-groups of a multiprocessor, and how many other resources would allow.
func (r *Result) limits() string {
	var others []string
	for _, l := range r.Limits {
		if l.Resource != r.LimitedBy && l.Groups < 1<<20 {
			others = append(others, fmt.Sprintf("%s %d", l.Resource, l.Groups))
		}
	}
	if len(others) == 0 {
		return r.LimitedBy
	}
	return r.LimitedBy + "; room by " + strings.Join(others, ", ")
}

// waiting says what sub-groups do with their time.
func (r *Result) waiting() string {
	issues := 1.0
	order := make([]timing.Reason, 0, timing.Reasons)
	for reason := range timing.Reasons {
		order = append(order, reason)
		issues -= r.Stalls[reason]
	}
	slices.SortStableFunc(order, func(a, b timing.Reason) int { return cmp.Compare(r.Stalls[b], r.Stalls[a]) })
	text := fmt.Sprintf("sub-groups issue %.0f %% of their time", 100*issues)
	for _, reason := range order[:3] {
		if r.Stalls[reason] >= shown {
			text += fmt.Sprintf(", %s %.0f %%", reason, 100*r.Stalls[reason])
		}
	}
	return text
}

// bars are parts of a block, by eighths.
var bars = []rune("▏▎▍▌▋▊▉█")

// bar is a bar for a part of 1, of so many characters at most.
func bar(part float64, width int) string {
	eighths := max(1, min(8*width, int(part*float64(8*width)+0.5)))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string(bars[rest-1])
	}
	return text
}

func (r *Result) writeSensitivity(w io.Writer) {
	list := slices.DeleteFunc(slices.Clone(r.Sensitivity), func(s Sensitivity) bool {
		byChance := s.Kind != Capacity && s.Value < 0
		return byChance || math.Abs(s.Value) < max(shown, r.Scatter)
	})
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\nwhat the time depends on: its change over that of a parameter, both in parts")
	if r.Scatter >= shown {
		fmt.Fprintf(w, " (off by %.2f by chance)", r.Scatter)
	}
	fmt.Fprintln(w)
	const width = 40 // characters of the longest bar: half of a line
	for _, s := range list {
		fmt.Fprintf(w, "  %-24s %5.2f  %s\n", s.Name(), s.Value, bar(math.Abs(s.Value), width))
	}
}

// mostPrinted is how many lines of the source are printed.
const mostPrinted = 8

// writeLines prints which lines of the source take the time, where they are known.
func (r *Result) writeLines(w io.Writer) {
	list := slices.DeleteFunc(slices.Clone(r.Lines), func(l Line) bool { return l.Part < shown || strings.HasPrefix(l.Place, "0x") })
	if len(list) < 2 {
		return
	}
	fmt.Fprintf(w, "\nthe same by line\n")
	for _, l := range list[:min(len(list), mostPrinted)] {
		fmt.Fprintf(w, "  %5.1f %%  %-18s  %-24s %s\n", 100*l.Part, l.Reason, l.Place[strings.LastIndexByte(l.Place, '/')+1:], bar(l.Part, 30))
	}
}

// writeRegions prints where in the code what the time depends on is, parts of a region below it.
func (r *Result) writeRegions(w io.Writer) {
	if len(r.Regions) == 0 {
		return
	}
	fmt.Fprintf(w, "\nthe same by region: each parameter raised for its instructions alone\n")
	columns := []string{"", ">time"}
	for _, s := range r.Regions[0].Sensitivity {
		columns = append(columns, ">"+s.Name())
	}
	t := format.NewTable(columns...)
	addRegions(t, r.Regions, "  ")
	t.Write(w)
}

func (r *Result) writeAdvice(w io.Writer) {
	if len(r.Advice) == 0 {
		return
	}
	fmt.Fprintf(w, "\nwhat to change\n")
	for _, a := range r.Advice {
		text := a.Text
		if !a.Confirmed {
			text += " (which cannot be emulated)"
		}
		fmt.Fprintf(w, "  - %s\n", strings.Join(format.Wrap(text, terminal.Room(w, 124)-4), "\n    "))
	}
}

func addRegions(t *format.Table, list []*Region, indent string) {
	for _, g := range list {
		place := fmt.Sprintf("0x%x-0x%x", g.From, g.To)
		if g.Source != "" {
			place = g.Source
		}
		row := []string{fmt.Sprintf("%s%s %s", indent, g.Kind, place), fmt.Sprintf("%.0f %%", 100*g.Part)}
		for _, s := range g.Sensitivity {
			row = append(row, fmt.Sprintf("%.2f", s.Value))
		}
		t.Row(row...)
		addRegions(t, g.Inside, indent+"  ")
	}
}

func (r *Result) writeUtilization(w io.Writer) {
	var list []string
	units := timing.Units()
	slices.SortStableFunc(units, func(a, b timing.Unit) int {
		switch x, y := r.Utilization[a], r.Utilization[b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, u := range units {
		if part := r.Utilization[u]; part >= shown {
			list = append(list, fmt.Sprintf("%s %.0f %%", u, 100*part))
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "\nbusy: %s\n", strings.Join(list, ", "))
	}
}

func (r *Result) writeHottest(w io.Writer) {
	if len(r.Hottest) == 0 {
		return
	}
	fmt.Fprintf(w, "\nwhere sub-groups spend their time, and what they wait for\n")
	for _, h := range r.Hottest {
		fmt.Fprintf(w, "  %5.1f %%  %-18s  %s\n", 100*h.Part, h.Reason, r.line(h.Index))
	}
}

// line is an instruction with its place.
func (r *Result) line(i int) string {
	text := r.address(i) + "  " + r.text(i)
	if p := r.place(i); p != "" {
		text += "  (" + p[strings.LastIndexByte(p, '/')+1:] + ")"
	}
	return text
}

func (r *Result) writeDoubts(w io.Writer) {
	if len(r.Doubts) == 0 {
		return
	}
	fmt.Fprintf(w, "\nnot known; `assume` in the launch file can say it, with a better number\n")
	for i, d := range r.Doubts {
		fmt.Fprintf(w, "  %s: %s\n", r.line(d.Index), d.Kind)
		say := r.Say(d)
		if again := i+1 < len(r.Doubts) && r.Say(r.Doubts[i+1]) == say; say != "" && !again {
			fmt.Fprintf(w, "      - %s\n", say)
		}
	}
}
