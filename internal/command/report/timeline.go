package report

import (
	"encoding/json"

	"gpuperf/emulate/timeline"
)

// shownInstructions is how many instructions of a timeline are listed.
const shownInstructions = 40

// timeline shows what perf emulate --timeline FILE.json has written.
func (s *Section) timeline(file []byte) error {
	var all struct{ Timeline timeline.Shown }
	if err := json.Unmarshal(file, &all); err != nil {
		return err
	}
	line := all.Timeline
	s.Title = line.Title
	s.fact("shown", "%s", line.Summary)
	s.fact("time", "%s", line.Time)
	chart, err := line.Chart()
	if err != nil {
		return err
	}
	s.Pictures = append(s.Pictures, chart)
	t := Table{Title: "Instructions of these cycles", Header: columns(">cycles", ">issued", "mostly waits for", "address", "instruction", "source")}
	for _, h := range line.Hot[:min(len(line.Hot), shownInstructions)] {
		t.Rows = append(t.Rows, []Cell{quantity(h.Cycles, ""), quantity(float64(h.Times), ""), text(h.Reason), text(h.Address), text(h.Text), text(h.Place)})
	}
	s.table(t)
	return nil
}
