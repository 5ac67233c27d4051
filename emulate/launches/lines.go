package launches

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/format"
)

const (
	shownLines = 20   // lines are printed at most,
	leastLine  = 0.01 // that differ by so much of the longest time
	alike      = 0.5  // parts of their words that lines have in common which are versions of each other
)

// line is a line of the source, or of the sources of versions, with its time in each report; NaN where that has no such line.
type line struct {
	name, text string
	seconds    []float64
}

// spread is by how much the times of a line differ.
func (l *line) spread() float64 {
	least, most := math.Inf(1), 0.0
	for _, s := range l.seconds {
		if math.IsNaN(s) {
			s = 0
		}
		least, most = min(least, s), max(most, s)
	}
	return most - least
}

// grows reports whether the second of two reports has more time in a line.
func (l *line) grows() bool { return math.IsNaN(l.seconds[0]) || l.seconds[1] > l.seconds[0] }

// lines are those whose times differ most, divided among lines as that of the warps is. Lines of the same text are one, so that versions of a source can be compared, and so are
// two that have most of their words in common, of which each version has one.
func (c Comparison) lines() []*line {
	known := map[string]*line{}
	var all []*line
	for i, r := range c.Reports {
		for _, launch := range r.Launches {
			for _, one := range launch.Lines {
				place := path.Base(one.Place)
				text := r.text(place)
				l := known[cmp.Or(text, place)]
				if l == nil {
					l = &line{place, text, slices.Repeat([]float64{math.NaN()}, len(c.Reports))}
					known[cmp.Or(text, place)], all = l, append(all, l)
				}
				if math.IsNaN(l.seconds[i]) {
					l.seconds[i] = 0
				}
				l.seconds[i] += float64(launch.Times) * launch.Result.Seconds * one.Part
			}
		}
	}
	if len(c.Reports) == 2 {
		all = paired(all)
	}
	slices.SortStableFunc(all, func(a, b *line) int { return cmp.Or(cmp.Compare(b.spread(), a.spread()), cmp.Compare(a.name, b.name)) })
	return all
}

// paired joins lines of which each of two versions has one, those first that have most in common.
func paired(all []*line) []*line {
	type pair struct {
		a, b   *line
		common float64
	}
	var pairs []pair
	for _, a := range all {
		for _, b := range all {
			if math.IsNaN(a.seconds[1]) && math.IsNaN(b.seconds[0]) {
				if n := common(a.text, b.text); n >= alike {
					pairs = append(pairs, pair{a, b, n})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.common, a.common) })
	joined := map[*line]bool{}
	for _, p := range pairs {
		if math.IsNaN(p.a.seconds[1]) && !joined[p.b] {
			p.a.seconds[1], joined[p.b] = p.b.seconds[1], true
			p.a.name += ", " + p.b.name
		}
	}
	return slices.DeleteFunc(all, func(l *line) bool { return joined[l] })
}

var words = regexp.MustCompile(`\w+|[^\w\s]`)

// common is the part of their words that two texts have in common.
func common(a, b string) float64 {
	of, n, same := words.FindAllString(a, -1), 0, 0
	left := map[string]int{}
	for _, w := range of {
		left[w]++
	}
	for _, w := range words.FindAllString(b, -1) {
		if n++; left[w] > 0 {
			left[w]--
			same++
		}
	}
	if n+len(of) == 0 {
		return 0
	}
	return 2 * float64(same) / float64(n+len(of))
}

// verdict says of two reports how the times differ, and in which line most.
func (c Comparison) verdict(lines []*line) string {
	a, b := c.Reports[0], c.Reports[1]
	if !a.Status().Finite() || !b.Status().Finite() {
		return fmt.Sprintf("A takes %s, B %s", a.Text(), b.Text())
	}
	text := fmt.Sprintf("B takes %.3g× the time of A: %s and %s", b.Seconds()/a.Seconds(), b.Text(), a.Text())
	matter := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.spread() < leastLine*max(a.Seconds(), b.Seconds()) })
	slower := b.Seconds() > a.Seconds()
	for _, more := range []bool{slower, !slower} { // first what makes the difference, then what there is against it
		if at := slices.IndexFunc(matter, func(l *line) bool { return l.grows() == more }); at >= 0 {
			than := map[bool]string{true: "more", false: "less"}[more]
			text += fmt.Sprintf("; %s %s in %s", format.Seconds(matter[at].spread()), than, matter[at].name)
		}
	}
	return text
}

// widest is how much of a line's text is printed.
const widest = 48

// table is a table of lines.
func (c Comparison) table(lines []*line) *format.Table {
	t, longest := format.NewTable(c.head("share of the time by line")...), 0.0
	for _, r := range c.Reports {
		longest = max(longest, r.Seconds())
	}
	for i, l := range lines[:min(len(lines), shownLines)] {
		if i > 0 && l.spread() < leastLine*longest {
			break
		}
		name := l.name
		if text := []rune(l.text); len(text) > 0 {
			name += "  " + string(text[:min(len(text), widest)])
		}
		cells := []string{name}
		for i, s := range l.seconds {
			over := ""
			q := quantity{of: func(*Report) float64 { return s }, text: format.Seconds, whole: true}
			if math.IsNaN(s) {
				cells = append(cells, "-")
			} else if cells = append(cells, q.written(c.Reports[i])); i > 0 && !math.IsNaN(l.seconds[0]) {
				over = related(c.Reports[i], c.Reports[0], s, l.seconds[0])
			}
			if i > 0 {
				cells = append(cells, over)
			}
		}
		t.Row(cells...)
	}
	return t
}

// text is what stands in a line of the source, remarks aside; "" where that is not known.
func (r *Report) text(place string) string {
	file, line, _ := strings.Cut(place, ":")
	n, err := strconv.Atoi(line)
	if err != nil || file != r.file || n < 1 || n > len(r.source) {
		return ""
	}
	text, _, _ := strings.Cut(r.source[n-1], "//")
	return strings.TrimSpace(text)
}
