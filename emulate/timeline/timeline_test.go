package timeline

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/timing"
)

func result(t *testing.T, sizes map[string]int64) *emulate.Result {
	t.Helper()
	s, err := launches.Load("../../examples/launch/matmul-sass.yaml", sizes)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listing(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), l, launches.Options{Device: d})
	if err != nil {
		t.Fatal(err)
	}
	return r.Launches[0].Result
}

// A warp does one thing after the other, a sub-partition issues one instruction in a cycle, and as many rows are needed as warps are there at once.
func TestRecord(t *testing.T) {
	for _, cycles := range []int64{0, 37, 50_000} {
		line := Record(result(t, map[string]int64{"n": 256}), Options{Cycles: cycles})
		if len(line.rows) > 16 || cycles == 0 && len(line.rows) < 4 {
			t.Errorf("%d rows", len(line.rows))
		}
		if cycles > 0 && line.Cycles > float64(cycles) {
			t.Errorf("%g cycles of %d", line.Cycles, cycles)
		}
		var issues []float64
		for _, r := range line.rows {
			before := 0.0
			for _, e := range r.events {
				from := e.at
				for _, w := range e.waits {
					from -= float64(w.Time) / timing.Cycle
				}
				if from < before-1e-6 {
					t.Fatalf("sub-group %d waits from %g on, and issued until %g", e.warp, from, before)
				}
				before = e.at + 1
				if e.at < line.Cycles {
					issues = append(issues, e.at)
				}
			}
		}
		slices.Sort(issues)
		for i := 1; i < len(issues); i++ {
			if issues[i]-issues[i-1] < 1-1e-6 {
				t.Fatalf("two instructions at %g and %g", issues[i-1], issues[i])
			}
		}
		if len(issues) != line.Issued {
			t.Errorf("%d issues, and %d are said", len(issues), line.Issued)
		}
	}
}

// Warps of later work-groups take the rows of those that have ended.
func TestRows(t *testing.T) {
	line := Record(result(t, map[string]int64{"n": 512}), Options{Cycles: Most})
	if line.warps() != len(line.rows) && len(line.rows) > 16 {
		t.Errorf("%d sub-groups in %d rows", line.warps(), len(line.rows))
	}
	large := Record(result(t, map[string]int64{"n": 1024}), Options{Cycles: 300_000, Partition: 2})
	if large.warps() <= len(large.rows) || len(large.rows) > 16 || large.Partition != 2 {
		t.Errorf("%d sub-groups in %d rows", large.warps(), len(large.rows))
	}
}

// The page holds everything itself, and its data are those of the timeline.
func TestPage(t *testing.T) {
	line := Record(result(t, map[string]int64{"n": 256}), Options{Cycles: 3000})
	var first, second bytes.Buffer
	if err := line.Write(&first); err != nil {
		t.Fatal(err)
	}
	if err := line.Write(&second); err != nil || first.String() != second.String() {
		t.Error("the page differs from one time to the next", err)
	}
	text := first.String()
	for _, want := range []string{"<svg", "prefers-color-scheme", "LDS R18", "matmul.cu:13", "memory queue", "<canvas", line.Summary()} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, from := range []string{"http:", "https:", "src=", "href=", "@import", "url("} {
		if strings.Contains(text, from) {
			t.Errorf("the page loads something: %s", from)
		}
	}
	_, text, _ = strings.Cut(text, "const data = ")
	text, _, _ = strings.Cut(text, ";\n")
	var read struct {
		Rows         [][]float64
		Instructions [][]any
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	for n, r := range line.rows {
		list, at := read.Rows[n], 0.0
		for _, e := range r.events {
			at += list[0] / 10
			if math.Abs(at-e.at) > 0.06 || int(list[1]) != e.instruction || int(list[3]) != e.warp {
				t.Fatalf("%v is %+v", list[:4], e)
			}
			end := slices.Index(list[4:], -1) + 4
			list = list[end+1:]
		}
		if len(list) > 0 {
			t.Errorf("%d numbers are left over", len(list))
		}
	}
	if len(read.Instructions) != len(line.instructions) {
		t.Error(len(read.Instructions))
	}
}
