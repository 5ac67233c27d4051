package emulate

import (
	"testing"

	"gpuperf/device/facts"
	"gpuperf/memory"
)

// Stores of all work-groups to the same lines follow each other in each part of the second-level cache; those that move with the work-group, or in a loop, do not, nor those to few lines.
func TestOverwritten(t *testing.T) {
	d := sheet(t)
	const groups = 1000
	for _, c := range []struct {
		lines       int64
		group, turn int64   // bytes from one to the next
		least       float64 // times the sectors of a work-group that one part gets
	}{{64, 0, 0, 4}, {joinedLines, 0, 0, 0}, {64, sectorBytes, 0, 0}, {64, 0, sectorBytes, 0}} {
		e := &emulation{Input: Input{Device: d}}
		var lanes []int64
		for at := int64(0); at < c.lines*lineBytes; at += sectorBytes {
			lanes = append(lanes, at)
		}
		e.overwrite(&memory.Part{
			Lanes: lanes, Sectors: float64(groups * len(lanes)),
			Groups: [3]memory.Run{{Step: 1, Count: groups, Stride: c.group}}, Loops: []memory.Run{{Step: 1, Count: 2, Stride: c.turn}},
		})
		least := c.least * groups * d.Value(facts.SliceGap)
		if got := e.overwritten(); got < least || least == 0 && got > 0 {
			t.Errorf("%d lines, work-groups %d B apart, iterations %d B: %g cycles, want %g or more, or none", c.lines, c.group, c.turn, got, least)
		}
	}
}
