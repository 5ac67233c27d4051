package search

import (
	"math/rand/v2"
	"slices"

	"gpuperf/internal/lists"
)

// simplex is the downhill simplex of Nelder and Mead over genes: the slowest of some points is mirrored at the others, further where that is good, and less where it is
// not; where nothing helps all move towards the best.
type simplex struct {
	space  Space
	r      *rand.Rand
	points []member
	stage  int // what was asked: 0 a first point, 1 the mirrored one, 2 further, 3 nearer
	asked  genes
	key    string
	first  member // the mirrored point, while one further on is tried
}

func newSimplex(s Space, r *rand.Rand) Strategy { return &simplex{space: s, r: r} }

// corners of the simplex. There are fewer than choices, as each costs a run.
const corners = 6

func (s *simplex) Ask() Config {
	g := genes{}
	if len(s.points) >= corners {
		slices.SortStableFunc(s.points, func(a, b member) int { return compare(a.seconds, b.seconds) })
		if s.stage == 0 {
			s.stage = 1
		}
		g = s.along([]float64{0, 1, 2, -0.5}[s.stage])
	}
	c := g.express(s.space, s.r)
	s.asked, s.key = g, c.String()
	return c
}

// along is a point on the line from the slowest through the middle of the others, that far beyond this.
func (s *simplex) along(far float64) genes {
	last := s.points[len(s.points)-1].genes
	out := genes{}
	others := s.points[:len(s.points)-1]
	all := lists.Map(s.points, func(p member) genes { return p.genes })
	for _, n := range names(all...) {
		middle := lists.Sum(others, func(p member) float64 { return p.genes.or(n, s.r) / float64(len(others)) })
		out[n] = mirrored(middle + far*(middle-last.or(n, s.r)))
	}
	return out
}

func (s *simplex) Tell(t Trial) {
	if s.asked == nil || t.Config.String() != s.key {
		return // of another technique
	}
	m := member{s.asked, orInfinite(t.Result.Seconds)}
	s.asked = nil
	if s.stage == 0 {
		s.points = append(s.points, m)
		return
	}
	last := len(s.points) - 1
	switch s.stage {
	case 1:
		switch {
		case m.seconds < s.points[0].seconds:
			s.first, s.stage = m, 2
		case m.seconds < s.points[last].seconds:
			s.points[last], s.stage = m, 1
		default:
			s.stage = 3
		}
	case 2:
		if s.first.seconds < m.seconds {
			m = s.first
		}
		s.points[last], s.stage = m, 1
	case 3:
		s.stage = 1
		if m.seconds < s.points[last].seconds {
			s.points[last] = m
			return
		}
		s.points, s.stage = s.points[:1], 0 // new points around the best one would be asked for; any will do
	}
}
