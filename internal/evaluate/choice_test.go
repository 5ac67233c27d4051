package evaluate

import (
	"math"
	"strings"
	"testing"
)

// TestChoice judges predictions of three variants at one size and of two at another.
func TestChoice(t *testing.T) {
	variant := func(name string, times ...[2]float64) VariantReport { // predicted, measured
		v := VariantReport{Name: name}
		for i, x := range times {
			v.Points = append(v.Points, Point{At: map[string]int64{"n": int64(i)}, Predicted: x[0], Measured: x[1]})
		}
		return v
	}
	r := Report{Suites: []SuiteReport{
		{Name: "s", Variants: []VariantReport{
			variant("a", [2]float64{1, 1.1}, [2]float64{2, 2}), variant("b", [2]float64{2, 1}, [2]float64{3, 2.02}), variant("c", [2]float64{3, 2}),
		}},
		{Name: "alone", Variants: []VariantReport{variant("d", [2]float64{1, 2})}},
	}}
	r.Summarize()
	want := Choice{Apart: Pairs{2, 3}, FarApart: Pairs{2, 2}, Loss: 0.05, Of: 2}
	if got := *r.Choice; math.Abs(got.Loss-want.Loss) > 1e-12 || got.Apart != want.Apart || got.FarApart != want.FarApart || got.Of != want.Of {
		t.Errorf("%+v, want %+v", got, want)
	}
	var text strings.Builder
	r.Choice.write(&text)
	const says = "pairs of variants that differ by more than 5 %: 2 of 3 in the right order; by more than 15 %: 2 of 2\n" +
		"the variant that is predicted to be the fastest is 5.00 % slower than the fastest, in the mean of 2 choices\n"
	if text.String() != says {
		t.Errorf("%s\nwant\n%s", &text, says)
	}
	if got := r.Points().Percentile(0.95); got != 1 {
		t.Errorf("95th percentile %g, want 1", got)
	}
	if got := r.Points().Percentile(0.5); math.Abs(got-0.98/2.02) > 1e-12 {
		t.Errorf("median %g", got)
	}
	r = Report{Suites: r.Suites[1:]}
	if r.Summarize(); r.Choice != nil {
		t.Errorf("a choice from one variant: %+v", r.Choice)
	}
}
