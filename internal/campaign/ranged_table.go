package campaign

import (
	"gpuperf/internal/format"
	"gpuperf/samples"
)

// Table lists what a search for sizes has changed and what it left out; nil where that is nothing.
func (r *Ranged) Table() *format.Table {
	t, changed := format.NewTable("kernel", "sizes", ">time", "scaled to", ">time", ""), false
	for _, s := range r.Sizes {
		if s.To == nil && s.LeftOut == "" {
			continue
		}
		row := []string{s.Case.Program(), format.Sizes(s.Case.Sizes), TimeOf(s.Record), "", "", ""}
		if s.To != nil {
			row[3], row[4] = format.Sizes(s.To.Sizes), TimeOf(s.After)
		}
		if s.LeftOut != "" {
			row[5] = "left out: " + s.LeftOut
		}
		changed = true
		t.Row(row...)
	}
	if !changed {
		return nil
	}
	return t
}

// TimeOf is the time of a record as text, or why it has none.
func TimeOf(r samples.Record) string {
	switch r.Status {
	case "":
		return ""
	case samples.OK:
		return format.Seconds(r.Seconds())
	}
	return string(r.Status)
}
