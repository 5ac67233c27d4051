package features

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gpuperf/polycount"
)

// TestLongFormulas: a formula that nobody reads is not in a table that has its value, and it is where it has none.
func TestLongFormulas(t *testing.T) {
	s, err := Count(tiledMatmul(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "[n] -> { n"
	for i := range 100 {
		text += fmt.Sprintf(" + %d*floor((n + %d)/%d)", i+1, i, i+2)
	}
	if s.Records[0].Count, err = polycount.ParsePoly(text + " }"); err != nil {
		t.Fatal(err)
	}
	v, err := s.Values("value", map[string]int64{"n": 64}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][]Values{nil, {v}} {
		var table bytes.Buffer
		if err := s.Write(&table, nil, at...); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"+ 90*floor(", "which --json has"} {
			if strings.Contains(table.String(), part) != (part == "which --json has" == (at != nil)) {
				t.Errorf("%d columns of values: %q\n%s", len(at), part, table.String())
			}
		}
	}
}
