package polycount

import (
	"slices"
	"testing"
)

func TestJoin(t *testing.T) {
	set := func(text string) *Set {
		s, err := ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		sets []string
		dims []string
		want string
	}{
		{[]string{"[n] -> {[i]: 0 <= i < n}", "[i,m] -> {[j]: i <= j < m}"}, []string{"i", "j"}, "[n,m] -> {[i,j]: 0 <= i < n and i <= j < m}"},
		{[]string{"{[j]: 0 <= j < 4}", "{[i]: 0 <= i < 3 or i = 7}"}, []string{"i", "j"}, "{[i,j]: 0 <= j < 4 and (0 <= i < 3 or i = 7)}"},
		{[]string{"{[i]: 0 <= i < 9 and i mod 2 = 0}", "{[i]: i mod 3 = 0}"}, []string{"i"}, "{[i]: i = 0 or i = 6}"},
		{[]string{"{[i]: i >= 5}", "{[i]: i < 5}"}, []string{"i"}, "{[i]: 1 = 0}"},
	} {
		var sets []*Set
		for _, s := range c.sets {
			sets = append(sets, set(s))
		}
		got, err := Join(c.dims, sets...)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := got.IsEqual(set(c.want)); err != nil || !same || !slices.Equal(got.Dims(), c.dims) {
			t.Errorf("%v: %v, not %v (%v)", c.sets, got, c.want, err)
		}
	}
	if _, err := Join([]string{"i"}, set("{[j]: j = 0}")); err == nil {
		t.Error("a dimension that is not asked for is no error")
	}
}

// A system has the solutions of the set of its constraints, also with names and floors that come later.
func TestSystem(t *testing.T) {
	i, j, k := Name("i"), Name("j"), Name("k")
	base := []Constraint{GE(i, Int(0)), GE(Int(7), i), EQ(j, i.Scale(3)), GE(i.FloorDiv(4), Int(1))}
	s, err := NewSystem(base...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		more []Constraint
		want bool
	}{
		{nil, true},
		{[]Constraint{GE(j, Int(21))}, true},
		{[]Constraint{GE(j, Int(22))}, false},
		{[]Constraint{GE(Int(11), j)}, false},
		{[]Constraint{EQ(j, Int(15))}, true},
		{[]Constraint{EQ(j, Int(16))}, false},
		{[]Constraint{GE(k, j), GE(Int(12), k)}, true},
		{[]Constraint{GE(k, j), GE(Int(11), k)}, false},
		{[]Constraint{EQ(i.Mod(4), Int(3)), GE(Int(20), j)}, false},
	} {
		if got, err := s.Solvable(c.more...); err != nil || got != c.want {
			t.Errorf("with %v: %v (%v)", c.more, got, err)
		}
		set, err := NewSet(nil, nil).Constrain(append(base[:len(base):len(base)], c.more...)...)
		if err != nil {
			t.Fatal(err)
		}
		if empty, err := set.IsEmpty(); err != nil || empty == c.want {
			t.Errorf("as a set, with %v: empty is %v (%v)", c.more, empty, err)
		}
	}
}
