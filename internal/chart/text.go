package chart

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Text draws the curves with characters, so many columns and rows for the plot itself: lines as / and -, points by the first letter of their labels. A line of the
// axis upwards stands before each row that has a tick.
func (f *Curves) Text(columns, rows int) string {
	x, y := f.axes()
	cells := make([][]rune, rows)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", columns))
	}
	column := func(v float64) int { return int(math.Round(x.at(v) * float64(columns-1))) }
	row := func(v float64) int { return rows - 1 - int(math.Round(y.at(v)*float64(rows-1))) }
	for _, s := range f.Series {
		for i := 1; i < len(s.Points) && s.Style.Mark == NoMark; i++ {
			from, to := s.Points[i-1], s.Points[i]
			mark := '/'
			if from.Y == to.Y {
				mark = '-'
			}
			first, last := column(from.X), column(to.X)
			for k := first; k <= last; k++ {
				t := float64(k-first) / float64(max(last-first, 1))
				cells[row(from.Y*math.Pow(to.Y/from.Y, t))][k] = mark
			}
		}
	}
	for _, s := range f.Series {
		for _, p := range s.Points {
			if s.Style.Mark != NoMark && drawable(p.X) && drawable(p.Y) {
				mark, _ := utf8.DecodeRuneInString(p.Label + "o")
				cells[row(p.Y)][column(p.X)] = mark
			}
		}
	}
	texts, width := map[int]string{}, 0
	for _, v := range y.ticks() {
		texts[row(v)] = f.y(v)
		width = max(width, utf8.RuneCountInString(f.y(v)))
	}
	var b strings.Builder
	pad := func(text string) {
		b.WriteString(strings.Repeat(" ", width-utf8.RuneCountInString(text)) + text + " |")
	}
	for i, line := range cells {
		pad(texts[i])
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	b.WriteString(strings.Repeat(" ", width+1) + "+" + strings.Repeat("-", columns) + "\n")
	under := []rune(strings.Repeat(" ", columns+8))
	free := 0
	for _, v := range x.ticks() {
		text := []rune(f.x(v))
		if at := max(column(v)-len(text)/2, 0); at >= free && at+len(text) <= len(under) {
			copy(under[at:], text)
			free = at + len(text) + 1
		}
	}
	b.WriteString(strings.Repeat(" ", width+2) + strings.TrimRight(string(under), " ") + "\n" + strings.Repeat(" ", width+2) + f.XLabel + "\n")
	return b.String()
}
