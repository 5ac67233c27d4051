package launches

import (
	"slices"
	"strings"
	"testing"

	"gpuperf/emulate/exec"
)

// What is printed for something unknown can stand in a launch file, and then decides.
func TestSay(t *testing.T) {
	const text = `kernel: collatz
grid: [64]
block: [128]
resources: {registers: 20}
sequence:
  - args: [{int32: 8192}, {int32: 1}, {buffer: start, dtype: int32, size: 8192}, {buffer: length, dtype: int32, size: 8192}]
  - args: [{int32: 8192}, {int32: 1}, {buffer: length}, {buffer: start}]
`
	unknown := []exec.Kind{exec.UnknownBranch, exec.UnknownTrips, exec.UnknownLeave}
	r := run(t, write(t, "branch.sass", text), nil, false).Launches[1].Result
	var list []string
	for _, d := range r.Doubts {
		if say := r.Say(d); slices.Contains(unknown, d.Kind) && say != "" && !slices.Contains(list, say) {
			list = append(list, say)
		}
	}
	if len(list) == 0 {
		t.Fatalf("nothing is unknown: %+v", r.Doubts)
	}
	told := run(t, write(t, "branch.sass", text+"assume:\n  - "+strings.Join(list, "\n  - ")+"\n"), nil, false).Launches[1].Result
	assumed := false
	for _, d := range told.Doubts {
		assumed = assumed || d.Kind == exec.AssumedBranch
		if d.Kind == exec.UnknownTrips || d.Kind == exec.UnknownBranch {
			t.Errorf("%+v is still unknown, after %v", d, list)
		}
	}
	if !assumed {
		t.Errorf("%v decides nothing: %+v", list, told.Doubts)
	}
}
