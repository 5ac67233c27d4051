package counters

import (
	"fmt"
	"io"

	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/internal/parallel"
	"gpuperf/launch"
	"gpuperf/memory"
	"gpuperf/samples"
)

// Result is what is compared for a kernel.
type Result struct {
	Kernel string           `json:"kernel"`
	Kind   string           `json:"kind,omitempty"`
	At     map[string]int64 `json:"at"`
	Caches samples.Mode     `json:"caches"`
	Rows   []Compared       `json:"rows"`
	// Metrics are all that were counted.
	Metrics map[string]samples.Metric `json:"metrics"`
	Code    []Instruction             `json:"code,omitempty"`
}

// Results compares the counts of works, as Take has answered them for each state of the caches.
func Results(works []Work, byMode [][]Counted) ([]Result, error) {
	counts := make([]*launch.Counts, len(works))
	traffic := make([]*memory.Traffic, len(works))
	failed := make([]error, len(works))
	parallel.For(len(works), func(i int) {
		if counts[i], failed[i] = works[i].counts(); failed[i] == nil {
			traffic[i], failed[i] = works[i].traffic(deviceOf(i, byMode))
		}
	})
	var all []Result
	for _, counted := range byMode {
		for i, c := range counted {
			if c.Record.Status == "" {
				continue
			}
			w := &works[i]
			if failed[i] != nil {
				return nil, fmt.Errorf("%s: %w", w.Kernel, failed[i])
			}
			all = append(all, Result{w.Kernel, w.Kind, c.Record.Kernel.Sizes, c.Record.Mode, compare(counts[i], traffic[i], c), c.Record.Metrics, c.Code})
		}
	}
	return all, nil
}

// deviceOf is what is known of the device on which a work was counted.
func deviceOf(work int, byMode [][]Counted) *facts.Device {
	for _, counted := range byMode {
		if r := counted[work].Record; r.Status != "" {
			return facts.Of(r.Device)
		}
	}
	return nil
}

// Write writes the comparisons, a table for each kernel, and below it the instructions behind what is off.
func Write(w io.Writer, results []Result) error {
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s %s, caches %s\n\n", r.Kernel, format.Sizes(r.At), r.Caches)
		if err := r.write(w); err != nil {
			return err
		}
	}
	return nil
}

func (r Result) write(w io.Writer) error {
	const indent = "  "
	t := format.NewTable("what", ">hardware", ">counted", ">ratio")
	off := format.NewTable("what", "instructions", "such as", ">of the hardware's")
	some := false
	for _, row := range r.Rows {
		counted, ratio := "-", "-"
		if row.Counted != nil {
			counted = format.Rough(*row.Counted, row.Unit)
		}
		if v, ok := row.Ratio(); ok {
			ratio = fmt.Sprintf("%.3f", v)
		}
		if row.Estimated != nil {
			counted = "about " + format.Rough(*row.Estimated, row.Unit)
			if row.Hardware != 0 {
				ratio = fmt.Sprintf("%.2f", *row.Estimated/row.Hardware)
			}
		}
		t.Row(row.What, format.Rough(row.Hardware, row.Unit), counted, ratio)
		for _, s := range row.Shares {
			some = true
			off.Row(row.What, fmt.Sprintf("%d × %s", s.Instructions, s.Mnemonic), s.Example, format.Rough(s.Value, ""))
		}
	}
	if err := t.WriteIndented(w, indent); err != nil || !some {
		return err
	}
	fmt.Fprintf(w, "\n%sinstructions behind the numbers that are off by more than %.0f %%\n\n", indent, 100*Off)
	return off.WriteIndented(w, indent)
}
