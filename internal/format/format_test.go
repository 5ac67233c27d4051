package format

import (
	"slices"
	"strings"
	"testing"
)

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0 s", 1.5: "1.5 s", 0.99999: "1 s", 2.6489e-3: "2.649 ms", -3e-6: "-3 µs", 5e-12: "5 ps"} {
		if got := Seconds(s); got != want {
			t.Errorf("%g: %s, want %s", s, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := NewTable("name", ">n", "")
	table.Row("µs", "1", "")
	table.Row("a", "1000", "x")
	var out strings.Builder
	if err := table.WriteIndented(&out, "  "); err != nil {
		t.Fatal(err)
	}
	if want := "  name     n\n  µs       1\n  a     1000  x\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestNarrowTable: columns that do not fit follow below, beside those that tell the rows apart.
func TestNarrowTable(t *testing.T) {
	table := NewTable("kernel", "size", ">predicted", ">measured", "verdict")
	table.Row("a", "n=1", "1 ms", "2 ms", "slow")
	table.Row("a", "n=2", "3 ms", "4 ms", "> 1")
	for room, want := range map[int][][]int{
		0: {{0, 1, 2, 3, 4}}, 80: {{0, 1, 2, 3, 4}}, 42: {{0, 1, 2, 3, 4}}, 41: {{0, 1, 2, 3}, {0, 1, 4}}, 24: {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}, 15: {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}, 14: {{0, 1, 2, 3, 4}},
	} {
		if got := table.parts(table.widths(), room); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("in %d columns: %v, want %v", room, got, want)
		}
	}
	var out strings.Builder
	if err := table.write(&out, "", table.widths(), []int{0, 1, 4}, false); err != nil || out.String() != "kernel  size  verdict\na       n=1   slow\na       n=2   > 1\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestBrokenCells: texts that are too long for a terminal are broken, and columns beside them get the room that is left.
func TestBrokenCells(t *testing.T) {
	table := NewTable("kernel", "verified", ">trials")
	table.Row("a.star#one n=512", "n=32: all results; n=512: 5 of 1024 work-groups", "30")
	table.Row("a.star#two n=512", "no", "7")
	for room, want := range map[int]string{
		75: `
kernel            verified                                         trials
a.star#one n=512  n=32: all results; n=512: 5 of 1024 work-groups      30
a.star#two n=512  no                                                    7
`, 60: `
kernel            verified                            trials
a.star#one n=512  n=32: all results; n=512: 5 of          30
                   1024 work-groups
a.star#two n=512  no                                       7
`, 30: `
kernel      verified
a.star#one  n=32: all results;
 n=512       n=512: 5 of 1024
             work-groups
a.star#two  no
 n=512

kernel            trials
a.star#one n=512      30
a.star#two n=512       7
`,
	} {
		var out strings.Builder
		if err := table.writeWithin(&out, "", room); err != nil || "\n"+out.String() != want {
			t.Errorf("in %d columns:\n%s\nwant%s", room, out.String(), want)
		}
	}
}

// TestLongCell: where there is no terminal, a very long text is in one line, and does not widen the others.
func TestLongCell(t *testing.T) {
	table, long := NewTable("what", "count", ">value"), strings.Repeat("n + ", 40)+"1"
	table.Row("load", "n", "4")
	table.Row("store", long, "161")
	var out strings.Builder
	if want := "what   count  value\nload   n          4\nstore  " + long + "    161\n"; table.Write(&out) != nil || out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

func TestWords(t *testing.T) {
	if got := strings.Join(Wrap("one two  three", 7), "|"); got != "one two|three" {
		t.Error(got)
	}
	if got := First([]string{"a", "b", "c"}, 2) + ", " + First([]string{"a"}, 2); got != "a, b and 1 more, a" {
		t.Error(got)
	}
	if got := Count(1, "kind") + ", " + Count(0, "kind") + ", " + Count(2, "launch"); got != "1 kind, 0 kinds, 2 launches" {
		t.Error(got)
	}
	if got := Sizes(map[string]int64{"n": 2, "m": 1}); got != "m=1,n=2" {
		t.Error(got)
	}
}

func TestFactor(t *testing.T) {
	for by, want := range map[float64]string{0.25: "0.25", 1.04: "1.0", 1.63: "1.6", 9.9: "9.9", 21.3: "21", 163: "163"} {
		if got := Factor(by); got != want {
			t.Errorf("%g is %s, not %s", by, got, want)
		}
	}
}
