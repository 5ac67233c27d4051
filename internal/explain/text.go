package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/remedy"
	"gpuperf/internal/terminal"
	"gpuperf/models"
)

// Write writes the explanation as text, with the terms and costs of the model by name if terms says it.
func (e *Explanation) Write(w io.Writer, terms bool) {
	form := ""
	if e.Form != "" {
		form = ", " + e.Form
	}
	fmt.Fprintf(w, "%s on %s (model %s%s)\n\n", strings.TrimSpace(e.Kernel+" "+format.Sizes(e.At)), e.Device, e.Model, form)
	fmt.Fprintf(w, "  predicted  %s (%s)\n", format.Seconds(e.Predicted), e.Interval)
	if e.Error != nil {
		fmt.Fprintf(w, "  measured   %s, the model is %+.2f %% off\n", format.Seconds(e.Measured), 100**e.Error)
	}
	fmt.Fprintf(w, "  bound by   %s\n", e.Bound)
	if e.Caches != nil {
		fmt.Fprintf(w, "  caches     %s (estimated)\n", e.Caches)
	}
	if e.Compiled != nil {
		fmt.Fprintf(w, "  compiled   %s\n", e.Compiled)
	}
	if list := e.changes(); len(list) > 0 {
		fmt.Fprintf(w, "\nwhat to change\n")
		writeList(w, list)
	} else if len(e.Lines) > 0 {
		fmt.Fprintf(w, "\nwhat to change: of the defects that are known here, removing none would gain %.0f %%\n", 100*(remedy.Worth-1))
	}
	fmt.Fprintln(w)
	if terms {
		e.writeTerms(w)
		e.writeCosts(w)
	} else {
		e.writeParts(w)
	}
	e.writeLines(w)
	if e.Code != nil {
		e.writeCode(w)
	}
	if c := e.Check; c != nil && (c.FullMeasured || c.RemovedMeasured) { // what is only predicted is no evidence
		c.write(w)
	}
	if e.Roof != nil {
		e.writeRoof(w)
	}
	if len(e.Unpriced) > 0 {
		fmt.Fprintf(w, "\nwork that the model leaves out\n")
		t := format.NewTable(">count", "what")
		for _, u := range e.Unpriced {
			t.Row(format.Quantity(u.Count, ""), u.What)
		}
		t.WriteIndented(w, "  ")
	}
}

const barWidth = 30 // characters of a whole bar

// bar draws a share.
func bar(share float64) string {
	n := min(int(math.Round(barWidth*max(share, 0))), barWidth)
	return strings.Repeat("█", n) + strings.Repeat("·", barWidth-n)
}

// writeParts writes the costs in words, those of the parts of the model that take time.
func (e *Explanation) writeParts(w io.Writer) {
	t := format.NewTable("what takes the time", "by", ">time", ">share", "", ">count")
	for _, c := range e.Costs {
		if c.Share < leastPart {
			continue
		}
		count, by := "", inWords(c.Term)
		if c.Term == models.WholeTerm {
			by = ""
		}
		if c.Parameter != "" {
			count = format.Rough(c.Work.Count, "")
		}
		t.Row(c.Words, by, format.Rough(c.Seconds, "s"), fmt.Sprintf("%.0f %%", 100*c.Share), bar(c.Share), count)
	}
	t.WriteIndented(w, "  ")
}

// leastPart is the share under which a part is not printed without the terms of the model.
const leastPart = 0.01

// writeLines writes the accesses with the time that goes with them.
func (e *Explanation) writeLines(w io.Writer) {
	t, rows := format.NewTable("where", "access", "neighbours are apart", ">share of the time"), 0
	for _, l := range e.Lines {
		if l.Share >= leastPart {
			t.Row(place(l.File, l.Line), fmt.Sprintf("%s of %s in %s memory", l.Action, l.Array, l.Space), l.strideText(), fmt.Sprintf("%.0f %%", 100*l.Share))
			rows++
		}
	}
	if rows > 0 {
		fmt.Fprintln(w)
		t.WriteIndented(w, "  ")
	}
}

// strideText says how far apart neighbours along the axes of a work-group access the array.
func (l *Line) strideText() string {
	if l.Data {
		return "as data says"
	}
	var list []string
	for _, s := range l.Strides {
		list = append(list, fmt.Sprintf("%d B", s))
	}
	for len(list) > 1 && list[len(list)-1] == "0 B" {
		list = list[:len(list)-1]
	}
	return strings.Join(list, ", ")
}

func (e *Explanation) writeTerms(w io.Writer) {
	t := format.NewTable("term", ">alone", ">time", ">share", "", ">saved if halved")
	for _, term := range e.Terms {
		if term.Alone == 0 {
			continue
		}
		share, shown := fmt.Sprintf("%.1f %%", 100*term.Share), "of "+strings.Join(term.Joins, " and ")
		if len(term.Joins) == 0 {
			shown = bar(term.Share)
		}
		t.Row(term.Name, format.Seconds(term.Alone), partText(term.Seconds, term.Alone), share, shown, savedText(term.Halved, e.Predicted))
	}
	t.WriteIndented(w, "  ")
	fmt.Fprintln(w)
}

// partText is the part of the prediction that something takes which takes a time by itself.
func partText(seconds, alone float64) string {
	if alone > 0 && seconds < leastShare*alone {
		return "hidden"
	}
	return format.Seconds(seconds)
}

// short cuts a long expression; JSON has all of it.
func short(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}

func savedText(saved, of float64) string {
	if saved <= 0.0005*of {
		return "nothing"
	}
	return fmt.Sprintf("%s (%.1f %%)", format.Seconds(saved), 100*saved/of)
}

// leastShare is the share under which a cost is not printed; JSON has all.
const leastShare = 0.001

func (e *Explanation) writeCosts(w io.Writer) {
	t := format.NewTable("cost", "term", ">alone", ">time", ">share", ">count", "of", ">implied rate")
	rest, n := 0.0, 0
	for _, c := range e.Costs {
		if c.Share < leastShare && c.Alone < leastShare*e.Predicted {
			rest += c.Seconds
			n++
			continue
		}
		rate, count := "", ""
		if c.RateUnit != "" {
			rate = format.Rough(c.Rate, c.RateUnit)
		}
		if c.Parameter != "" {
			count = format.Quantity(c.Work.Count, "")
		}
		t.Row(cmp.Or(c.Parameter, c.Term), c.Term, format.Seconds(c.Alone), partText(c.Seconds, c.Alone), fmt.Sprintf("%.1f %%", 100*c.Share), count, short(c.Work.What), rate)
		if c.Work.Formula != "" {
			t.Row("", "", "", "", "", "", short("= "+c.Work.Formula), "")
		}
	}
	t.WriteIndented(w, "  ")
	if n > 0 {
		fmt.Fprintf(w, "  and %s, %s together\n", format.Count(n, "smaller cost"), format.Seconds(rest))
	}
}

func (c *Check) write(w io.Writer) {
	fmt.Fprintf(w, "\ndoes on-chip work hide behind global memory?\n")
	t := format.NewTable("", ">time", "")
	t.Row("kernel without arithmetic and local memory", format.Seconds(c.Removed), origin(c.RemovedMeasured))
	t.Row("the removed work", format.Seconds(c.Onchip), "by calibrated costs")
	t.Row("their sum", format.Seconds(c.Sum()), "")
	t.Row("the larger", format.Seconds(c.Max()), "")
	t.Row("whole kernel", format.Seconds(c.Full), origin(c.FullMeasured))
	t.WriteIndented(w, "  ")
	for _, line := range format.Wrap(c.Verdict, terminal.Room(w, 112)-2) {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

// origin says where a time comes from.
func origin(measured bool) string {
	if measured {
		return "measured"
	}
	return "predicted"
}

func (e *Explanation) writeRoof(w io.Writer) {
	fmt.Fprintf(w, "\nroof: %s for what the kernel cannot do without, by %s", format.Seconds(e.Roof.Seconds), e.Roof.Resource)
	if e.Roof.Reached > 0 {
		fmt.Fprintf(w, ", %.1f %% of the %s time", 100*e.Roof.Reached, origin(e.Measured > 0))
	}
	fmt.Fprintln(w)
	t := format.NewTable("resource", ">least time", ">amount", ">achieved", ">fastest", ">of it")
	for _, r := range e.Roof.Resources {
		t.Row(r.Name, format.Seconds(r.Seconds), format.Quantity(r.Amount, r.Unit), format.Rough(r.Rate, r.Unit+"/s"),
			format.Rough(r.Peak, r.Unit+"/s"), fmt.Sprintf("%.1f %%", 100*r.Rate/r.Peak))
	}
	t.WriteIndented(w, "  ")
}

func (e *Explanation) writeCode(w io.Writer) {
	c := e.Code
	fmt.Fprintf(w, "\nmachine code: ")
	if c.Looped {
		fmt.Fprintf(w, "a main loop of %s, in %s rounds for each work-item, by the count of %s", format.Count(c.Size, "instruction"), format.Quantity(c.Rounds, ""), c.By)
		if c.Executed > 0 {
			fmt.Fprintf(w, "; %s executed in all", format.Quantity(c.Executed, ""))
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintf(w, "%s and no loop\n", format.Count(c.Size, "instruction"))
	}
	for _, line := range format.Wrap(classText(c.Classes), terminal.Room(w, 112)-2) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	t := format.NewTable("access", ">counted", ">in the code", ">elsewhere")
	for _, a := range c.Accesses {
		widths := lists.Map(a.Widths, func(width CodeWidth) string { return fmt.Sprintf("%d × %d B", width.Instructions, width.Bytes) })
		t.Row(a.what(), fmt.Sprintf("%s × %d B", format.Quantity(a.Counted, ""), a.Bytes), cmp.Or(strings.Join(widths, ", "), "none"), format.Known(float64(a.Elsewhere), fmt.Sprint(a.Elsewhere)))
	}
	t.WriteIndented(w, "  ")
	writeList(w, c.Notes)
}

// writeList writes sentences as items of a list.
func writeList(w io.Writer, items []string) {
	for _, item := range items {
		for i, line := range format.Wrap(item, terminal.Room(w, 114)-4) {
			fmt.Fprintf(w, "  %s %s\n", map[bool]string{true: "-", false: " "}[i == 0], line)
		}
	}
}
