package rows_test

import (
	"slices"
	"testing"

	"gpuperf/internal/rows"
)

func TestOf(t *testing.T) {
	got := slices.Collect(rows.Of("# of two\na | b c |d\n\n  e ||\nf"))
	want := []rows.Row{{"a", "b c", "d"}, {"e", "", ""}, {"f"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := want[2].At(0) + want[2].At(1) + want[0].At(1); got != "fb c" {
		t.Errorf("%q", got)
	}
}
