package calibrate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/jsonvalue"
	"gpuperf/models"
)

// TestReportedFits fits models and tables of testdata/fits, as users have reported them.
func TestReportedFits(t *testing.T) {
	for _, c := range []struct {
		name, table string
		values      map[string]float64 // within a per cent
		verdict     Verdict
		warnings    []string // all of them, by parts
	}{
		{"product_of_parameters", "product_of_parameters", map[string]float64{"p_a": 9, "p_b": 0.05}, GoodFit, nil},
		{"step", "step_with_zeros", map[string]float64{"p_b": 1.073}, NotIdentified, []string{
			"p_c and p_d: cannot be identified separately", "16 rows of 27 with an output of 0", "cross-validation skips",
		}},
	} {
		m, rows := loadFit(t, c.name, c.table)
		fit, err := FitRows(context.Background(), m, rows, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for name, want := range c.values {
			if got := fit.Estimate(name).Value; math.Abs(got-want) > 0.01*want {
				t.Errorf("%s: %s = %g, want %g", c.name, name, got, want)
			}
		}
		if fit.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s", c.name, fit.Verdict, c.verdict)
		}
		for _, w := range fit.Warnings {
			if !slices.ContainsFunc(c.warnings, func(part string) bool { return strings.Contains(w, part) }) {
				t.Errorf("%s: unwanted %s", c.name, w)
			}
		}
		for _, part := range c.warnings {
			if !slices.ContainsFunc(fit.Warnings, func(w string) bool { return strings.Contains(w, part) }) {
				t.Errorf("%s: no warning %q among\n%s", c.name, part, strings.Join(fit.Warnings, "\n"))
			}
		}
		if jsonvalue.Finite(fit.GeomeanRelErr) == nil {
			t.Errorf("%s: relative error %g", c.name, fit.GeomeanRelErr)
		}
		fitted, err := FittedRows(m, fit, rows)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(fitted); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	m, rows := loadFit(t, "root", "negative")
	if _, err := FitRows(context.Background(), m, rows, Options{}); err == nil || !strings.Contains(err.Error(), "negative.csv:4: sqrt(f_x) at f_x = -9 is NaN") {
		t.Errorf("a root of a negative number: %v", err)
	}
}

func loadFit(t *testing.T, name, table string) (*models.Model, []Row) {
	t.Helper()
	m, err := models.Load("testdata/fits/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := LoadTable("testdata/fits/" + table + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := data.Rows(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, rows
}

// TestPoorFits: a model that cannot be that of the rows is said to fit badly, in the fit and with each prediction.
func TestPoorFits(t *testing.T) {
	rows := plainRows(24, 8, 0.01, func(x, y float64) float64 { return 2*x*x + y })
	for _, text := range []string{
		"expression: p_a / (1 + p_b * f_x)\n",
		"expression: p_a * f_y\nfit: {scale_by_output: true}\n",
		"expression: p_a * exp(-p_b * f_x)\nfit: {scale_by_output: true}\n",
	} {
		m := model(t, text)
		fit := fitRows(t, m, rows)
		if fit.Verdict == GoodFit || !strings.Contains(fmt.Sprint(fit.Warnings), "[poor-fit]") {
			t.Errorf("%s: %s, %s", text, fit.Verdict, fit.Warnings)
		}
		p, err := fit.Predict(m, map[string]float64{"f_x": 2, "f_y": 3})
		if err != nil || !strings.Contains(fmt.Sprint(p.Warnings), "[poor-fit]") {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
}

// TestMostRowsMetExactly: rounding errors are no spread by which other rows are far off.
func TestMostRowsMetExactly(t *testing.T) {
	m := model(t, "expression: p_a * f_x\n")
	rows := plainRows(20, 9, 0, func(x, _ float64) float64 { return 3 * x })
	for i := range rows { // 12 rows that nothing can miss, and 8 with noise
		if i < 12 {
			rows[i].Features["f_x"], rows[i].Output = 0, 0
		} else {
			rows[i].Output *= 1 + 0.1*float64(i%3-1)
		}
	}
	for _, w := range fitRows(t, m, rows).Warnings {
		if strings.Contains(w, "[outlier]") {
			t.Errorf("rows of the usual noise: %s", w)
		}
	}
	for i := range rows { // two rows that contradict each other
		if i < 18 {
			rows[i].Features["f_x"], rows[i].Output = 0, 0
		} else {
			rows[i].Features["f_x"], rows[i].Output = 1, float64(i-17)
		}
	}
	rows[19].Label = "off"
	if all := fmt.Sprint(fitRows(t, m, rows).Warnings); !strings.Contains(all, "off: away from the fit, which meets most other rows exactly") {
		t.Errorf("two rows off: %s", all)
	}
}
