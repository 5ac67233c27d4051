package exec_test

import (
	"flag"
	"math/bits"
	"slices"
	"testing"

	"gpuperf/emulate/emulatetest"
	"gpuperf/emulate/exec"
	"gpuperf/internal/counters"
	"gpuperf/samples"
	"gpuperf/sass"
)

// tally is what the emulator counts of an instruction, as ncu does: executions by sub-groups and by work-items, and sectors of global memory.
type tally struct{ warps, items, sectors int64 }

// sectorBytes is what global memory is moved in.
const sectorBytes = 32

// count executes all groups of a launch.
func count(t *testing.T, l *exec.Launch) []tally {
	t.Helper()
	out := make([]tally, len(l.Function.Instructions))
	var g [3]uint32
	for g[2] = 0; g[2] < l.Grid[2]; g[2]++ {
		for g[1] = 0; g[1] < l.Grid[1]; g[1]++ {
			for g[0] = 0; g[0] < l.Grid[0]; g[0]++ {
				group := l.Group(g)
				for went := true; went; {
					went = false
					for _, w := range group.Warps {
						for w.State() == exec.Ready {
							out[step(w, out)].warps++
							went = true
						}
					}
				}
				if !group.Ended() {
					t.Errorf("group %v does not end", g)
					return out
				}
			}
		}
	}
	return out
}

// step executes an instruction and counts its work-items and sectors.
func step(w *exec.Warp, out []tally) int {
	s := w.Step()
	out[s.Index].items += int64(bits.OnesCount32(s.Lanes))
	for _, a := range s.Accesses {
		if a.Space != sass.Global {
			continue
		}
		var seen []uint64
		for m := a.Known; m != 0; m &= m - 1 {
			at := a.Address[bits.TrailingZeros32(m)]
			for b := at; b < at+uint64(a.Bytes); b += 4 {
				if sector := b / sectorBytes; !slices.Contains(seen, sector) {
					seen = append(seen, sector)
				}
			}
		}
		out[s.Index].sectors += int64(len(seen))
	}
	return s.Index
}

// most is how many instructions sub-groups execute in a launch that is executed as a whole here.
var most = flag.Int64("most", 500_000, "the longest launch to compare with counters")

// TestCounted: each instruction is executed as often, by as many work-items, and accesses as many sectors as ncu counted on an H200.
func TestCounted(t *testing.T) {
	all, err := emulatetest.Launches("../../testdata/h200/listings.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]emulatetest.Launch{}
	for _, l := range all {
		of[l.Samples] = append(of[l.Samples], l)
	}
	compared, launches := 0, 0
	for _, list := range of {
		recorded, err := emulatetest.Counted(list, samples.Warm)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range list {
			total := int64(0)
			for _, in := range recorded[i].Code {
				total += in.Warps
			}
			if l.Code != emulatetest.Same || total == 0 || total > *most {
				continue
			}
			launch, err := exec.New(l.Function, l.Job, exec.Assumptions{})
			if err != nil {
				t.Error(err)
				continue
			}
			got := count(t, launch)
			launches++
			compared += compareCounts(t, l, got, recorded[i].Code)
		}
	}
	if launches < 3 || compared < 100 {
		t.Errorf("%d instructions of %d launches were compared", compared, launches)
	}
}

func compareCounts(t *testing.T, l emulatetest.Launch, got []tally, want []counters.Instruction) (n int) {
	t.Helper()
	for i, in := range want {
		if i >= len(got) {
			break
		}
		n++
		if g := got[i]; g.warps != in.Warps || g.items != in.Items || in.Sectors != 0 && g.sectors != in.Sectors {
			t.Errorf("%s: %04x %s: %+v, and %d %d %d were counted", l.Job.Identity, in.Address, in.Text, g, in.Warps, in.Items, in.Sectors)
		}
	}
	return n
}
