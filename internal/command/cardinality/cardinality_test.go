package cardinality_test

import (
	"errors"
	"strings"
	"testing"

	"gpuperf/internal/command/cardinality"
	"gpuperf/polycount"
)

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		text    string
		ofRange bool
		at      map[string]int64
		want    string
	}{
		{"[n] -> { [i,j] : 0 <= i <= j < n }", false, map[string]int64{"n": 64}, "[n] -> { 1/2*n + 1/2*n^2 : n > 0 }\nn=64: 2080\n"},
		{"[n] -> { [i] -> [j] : 0 <= j <= i < n }", false, map[string]int64{"n": 10, "i": 4}, "[n, i] -> { 1 + i : 0 <= i < n }\ni=4,n=10: 5\n"},
		{"{ [i,j] -> [i+j] : 0 <= i,j < 10 }", true, map[string]int64{}, "{ 19 }\n: 19\n"},
		{"{ A[i] -> [j] : 0 <= j <= i < 9; B[] -> [j] : 0 <= j < 3 }", false, nil, "A[i]: [i] -> { 1 + i : 0 <= i <= 8 }\nB[]: { 3 }\n"},
	} {
		counts, err := cardinality.Options{}.Count(t.Context(), c.text, c.ofRange)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		var points []map[string]int64
		if c.at != nil {
			points = append(points, c.at)
		}
		if err := cardinality.CheckPoints(counts, points); err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		cards, err := cardinality.Cards(counts, points)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		var got strings.Builder
		if err := cardinality.Write(&got, cards); err != nil || got.String() != c.want {
			t.Errorf("%s: %v, %q; want %q", c.text, err, &got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := cardinality.Count("{ [i] : 0 <= i < 3 }", true); !errors.Is(err, cardinality.ErrNotMap) {
		t.Errorf("the range of a set: %v, want %v", err, cardinality.ErrNotMap)
	}
	_, err := cardinality.Options{Limit: 2000}.Count(t.Context(), "[n,m] -> { [i,j] : 0 <= i,j and 3i + 5j <= n and 7i + 2j <= m }", false)
	if !errors.Is(err, polycount.ErrBudget) || !strings.HasSuffix(err.Error(), "(--limit 20000 allows ten times the work)") {
		t.Errorf("too much work: %v", err)
	}
	counts, err := cardinality.Count("[n] -> { [i] : 0 <= i < n }", false)
	if err != nil {
		t.Fatal(err)
	}
	const want = "k=4: no parameter is called k, and no value is given for n; the parameters are n"
	if err := cardinality.CheckPoints(counts, []map[string]int64{{"n": 3}, {"k": 4}}); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}
