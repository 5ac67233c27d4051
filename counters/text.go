package counters

import (
	"fmt"
	"io"

	"gpuperf/internal/format"
)

// Result is what is compared for a kernel.
type Result struct {
	Kernel string           `json:"kernel"`
	At     map[string]int64 `json:"at"`
	Rows   []Compared       `json:"rows"`
}

// Write writes the comparisons as a table.
func Write(w io.Writer, results []Result) error {
	t := format.NewTable("kernel", "sizes", "what", ">hardware", ">counted", ">ratio", "feature")
	for _, r := range results {
		for _, row := range r.Rows {
			counted, ratio := "-", "-"
			if row.Counted != nil {
				counted = format.Rough(*row.Counted, row.Unit)
			}
			if v, ok := row.Ratio(); ok {
				ratio = fmt.Sprintf("%.3f", v)
			}
			t.Row(r.Kernel, format.Sizes(r.At), row.What, format.Rough(row.Hardware, row.Unit), counted, ratio, row.Feature)
		}
	}
	return t.Write(w)
}
