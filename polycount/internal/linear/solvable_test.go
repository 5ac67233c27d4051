package linear

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
)

// questions are boxes with constraints across, as domains of loops and pairs of accesses give them. Half of them hold at a point that is drawn first.
func questions(t *rapid.T) question {
	n := rapid.IntRange(1, 6).Draw(t, "n")
	small, wide := rapid.Int64Range(-3, 3), rapid.Int64Range(-20, 20)
	coefficient := rapid.OneOf(rapid.Just[int64](0), small, rapid.SampledFrom([]int64{4, -4, 8, -8, 10, -10, 40, -40}))
	holds := rapid.Bool().Draw(t, "holds")
	at := Row{1}
	c := &Conj{N: n}
	for i := 1; i <= n; i++ {
		below, extent := wide.Draw(t, "lo"), rapid.Int64Range(-1, 9).Draw(t, "extent")
		at = append(at, -below+max(extent, 0)/2)
		if rapid.IntRange(0, 5).Draw(t, "open") == 0 {
			continue
		}
		if holds {
			extent = max(extent, 0)
		}
		lo, hi := make(Row, c.Width()), make(Row, c.Width())
		lo[0], lo[i] = below, 1
		hi[0], hi[i] = -below+extent, -1
		c.AddGE(lo)
		c.AddGE(hi)
	}
	value := func(r Row) (v int64) {
		for i := range r {
			v += r[i] * at[i]
		}
		return v
	}
	// across is a row that is slack at the point, where the question holds there.
	across := func(slack int64) Row {
		r := make(Row, c.Width())
		r[0] = wide.Draw(t, "constant")
		for i := 1; i < len(r); i++ {
			r[i] = coefficient.Draw(t, "k")
		}
		if holds {
			r[0] += slack - value(r)
		}
		return r
	}
	slack := rapid.Int64Range(0, 9)
	for range rapid.IntRange(0, 1).Draw(t, "floors") {
		d := Div{across(slack.Draw(t, "slack")), rapid.Int64Range(2, 5).Draw(t, "den")}
		at = append(at, arith.FloorDiv(value(d.Num), d.Den))
		c.addColumn(d)
	}
	for range rapid.IntRange(0, 2).Draw(t, "eq") {
		c.AddEQ(across(0))
	}
	for range rapid.IntRange(0, 3).Draw(t, "ge") {
		c.AddGE(across(slack.Draw(t, "slack")))
	}
	var extra []Row
	if rapid.Bool().Draw(t, "more") {
		extra = append(extra, across(slack.Draw(t, "slack")))
	}
	return c.Question(extra...)
}

// What presolve, its guesses and its digits decide is what the Omega test decides of all rows together.
func TestPresolve(t *testing.T) {
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := questions(t)
		before := q.system()
		want := false
		if done := AnyWork().Within(1_000_000, func(w *Work) { want = w.search(q.system(), nil) }); !done {
			t.Skip("the Omega test alone overflows")
		}
		if got := AnyWork().Solvable(q); got != want {
			t.Fatalf("%v = 0, %v >= 0, %v >= 0, floors %v: solvable is %v, not %v", q.eq, q.ge, q.Extra, q.divs, got, want)
		}
		if after := q.system(); !slices.EqualFunc(before.Ge, after.Ge, slices.Equal) || !slices.EqualFunc(before.Eq, after.Eq, slices.Equal) {
			t.Fatal("the question has changed")
		}
		if want {
			yes++
		} else {
			no++
		}
	})
	if yes == 0 || no == 0 {
		t.Errorf("%d questions have a solution, %d have none", yes, no)
	}
}

// Questions that are hard by parts, and easy as a whole.
func TestHardParts(t *testing.T) {
	for _, q := range []question{
		{
			eq: []Row{{-1, 1, -3, -10, 8, 0, 8, 0}, {12, 0, 3, -40, 0, -10, -4, -40}},
			ge: []Row{
				{-19, 1, 0, 0, 0, 0, 0, 0},
				{22, -1, 0, 0, 0, 0, 0, 0},
				{14, 0, 0, 0, 1, 0, 0, 0},
				{-13, 0, 0, 0, -1, 0, 0, 0},
				{9, -10, 0, -2, 0, -8, 3, -8},
				{4, 0, 10, 0, 0, 4, -1, 0},
			},
			divs: []Div{{Row{-14, 0, 4, 0, 0, -1, 0}, 2}},
			n:    6,
		},
		{
			eq:    []Row{{3, 1, 3, 40, 8, -3, 0}, {1, 3, 2, 10, -1, -10, 0}},
			ge:    []Row{{2, 0, 0, 0, 0, 1, 0}, {5, 0, 0, 0, 0, -1, 0}, {17, 0, 0, -3, 8, -3, -10}, {11, 10, -4, -40, 10, 4, 0}},
			Extra: []Row{{-8, -3, -10, -1, 0, -2, 10}},
			divs:  []Div{{Row{-20, 10, -2, 0, 0, 0}, 5}},
			n:     5,
		},
	} {
		want := false
		if !AnyWork().Within(1_000_000, func(w *Work) { want = w.search(q.system(), nil) }) {
			t.Fatal("the question is not easy as a whole")
		}
		if got := AnyWork().Solvable(q); got != want {
			t.Errorf("solvable is %v, not %v", got, want)
		}
	}
}

// TestSplintersAreWork: bounds with large coefficients have more splinters than memory holds; looking at them ends by its work.
func TestSplintersAreWork(t *testing.T) {
	w := NewWork(t.Context(), 1000)
	seen := 0
	err := throw.Try(func() {
		for range w.splinters([]Row{{0, 1 << 30, 1}}, []Row{{0, -1 << 30, 1}}, 1) {
			seen++
		}
	})
	if !errors.Is(err, ErrBudget) || seen == 0 || seen > 1000 {
		t.Errorf("%d splinters with 1,000 units of work: %v", seen, err)
	}
}
