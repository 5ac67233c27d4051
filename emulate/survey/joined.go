package survey

import (
	"fmt"
	"math"

	"gpuperf/launchfile"
)

// group is launch files that share a row of a table: launches of one kernel that take about as long.
type group struct {
	Row       // of all their launches, named as the one that takes most of the time
	files int // besides that one
}

// likeness is how far the times of launches that share a row are apart, in parts of the first one's.
const likeness = 0.1

// groups are the rows of a table, in the order of those of the survey.
func (s *Survey) groups() (all []*group) {
rows:
	for _, r := range s.Rows {
		for _, g := range all {
			if g.likes(r) {
				g.add(r)
				continue rows
			}
		}
		all = append(all, &group{Row: *r})
	}
	return all
}

// likes reports whether a row tells nothing that the group's does not.
func (g *group) likes(r *Row) bool {
	return g.Kernel == r.Kernel && g.Status == r.Status && (g.Application == nil) == (r.Application == nil) &&
		(g.Seconds() == r.Seconds() || math.Abs(g.Seconds()-r.Seconds()) <= likeness*g.Seconds())
}

// add joins the launches of a row: predicted is the mean of all, measured the median.
func (g *group) add(r *Row) {
	outcome := *g.Outcome
	if g.Each != nil {
		mean := (float64(g.Times)*g.Seconds() + float64(r.Times)*r.Seconds()) / float64(g.Times+r.Times)
		outcome.Each = &mean
	}
	g.Outcome, g.Times, g.files = &outcome, g.Times+r.Times, g.files+1
	if a, b := g.Application, r.Application; a != nil {
		g.Application = &launchfile.Application{Times: append(a.Warm(), b.Warm()...), Timed: a.Timed + b.Timed, Total: a.Total + b.Total}
	}
}

// name is that of the launch file, and how many others there are.
func (g *group) name() string {
	if g.files == 0 {
		return g.File
	}
	return fmt.Sprintf("%s and %d more", g.File, g.files)
}
