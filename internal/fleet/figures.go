package fleet

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// result is what a command has printed as JSON.
type result []byte

// Figure is a number by which devices are compared.
type Figure struct {
	What   string  // in the item of work
	Unit   string  // "s", "%", or that of a parameter
	Value  float64 // less is better where Lower
	Lower  bool    // of the parts of an item the least counts
	Choice string  // what gave it: a configuration or a variant
}

// read decodes a result. What it cannot read gives no figures.
func read[T any](r result, figures func(T) []Figure) []Figure {
	var into T
	if json.Unmarshal(r, &into) != nil {
		return nil
	}
	return figures(into)
}

// fitted has the parameters of the models and their errors.
func fitted(r result) []Figure {
	type model struct {
		Model      string
		Parameters map[string]struct {
			Value *float64
			Unit  string
		}
		Error *float64 `json:"geomean_relative_error"`
	}
	type profile struct{ Models []model }
	return read(r, func(p profile) (out []Figure) {
		for _, m := range p.Models {
			if m.Error != nil {
				out = append(out, Figure{What: m.Model + ": error of the fit", Unit: "%", Value: 100 * *m.Error})
			}
			for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
				if v := m.Parameters[name]; v.Value != nil {
					out = append(out, Figure{What: m.Model + ": " + name, Unit: v.Unit, Value: *v.Value})
				}
			}
		}
		return out
	})
}

// evaluated has the errors of the suites.
func evaluated(r result) []Figure {
	type suite struct {
		Name  string
		Error float64 `json:"geomean_relative_error"`
	}
	type report struct{ Suites []suite }
	return read(r, func(p report) (out []Figure) {
		return lists.Map(p.Suites, func(s suite) Figure {
			return Figure{What: s.Name + ": error of predictions", Unit: "%", Value: 100 * s.Error}
		})
	})
}

// measured has the median times of the kernels.
func measured(r result) []Figure {
	type list struct{ Samples []samples.Record }
	return read(r, func(l list) (out []Figure) {
		for _, s := range l.Samples {
			if s.Status == samples.OK && s.Summary != nil {
				out = append(out, Figure{What: s.Kernel.Key() + ", " + string(s.Mode), Unit: "s", Value: s.Summary.Median})
			}
		}
		return out
	})
}

// best has the least time that a search has found.
func best(r result) []Figure {
	type run struct {
		Seconds       float64
		Configuration json.RawMessage
	}
	type found struct{ Best []run }
	return read(r, func(f found) []Figure {
		if len(f.Best) == 0 {
			return nil
		}
		b := f.Best[0]
		return []Figure{{What: "best time", Unit: "s", Value: b.Seconds, Lower: true, Choice: choiceText(b.Configuration)}}
	})
}

// choiceText is a configuration as a text: a list of choices, or one already.
func choiceText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []struct{ Choice, Option string }
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var parts []string
	for _, c := range list {
		parts = append(parts, c.Choice+"="+c.Option)
	}
	return strings.Join(parts, ",")
}

// ranked has the least predicted time.
func ranked(r result) []Figure {
	type list struct {
		Configurations int
		Best           []struct {
			Configuration string
			Seconds       float64
		}
	}
	return read(r, func(l list) (out []Figure) {
		if len(l.Best) > 0 {
			out = append(out, Figure{What: "least predicted time", Unit: "s", Value: l.Best[0].Seconds, Lower: true, Choice: l.Best[0].Configuration})
		}
		return out
	})
}

// title names a figure of an item in the comparison.
func (u Unit) title(f Figure) string {
	if !f.Lower {
		return f.What
	}
	return fmt.Sprintf("%s %s: %s", u.Work.Kind.Name, filepath.Base(u.Work.Of[0]), f.What)
}
