package machine_test

import (
	"testing"

	"pgregory.net/rapid"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
)

// The data sheet of the H200.
var h200, _ = facts.Named("NVIDIA H200")

// A multiprocessor that takes work-groups one after the other, sub-group by sub-group, until one finds no room: registers are given in units, from
// the sub-partition that has most of them left; a sub-group takes a place for 32 work-items; local memory is given in units.
func taken(g machine.Group) (groups int64) {
	free, places, local := [4]int64{64, 64, 64, 64}, 64, int64(228*1024/128) // units of 256 registers; sub-groups; units of 128 B
	for groups < 32 {
		for need := g.Local + 1024; need > 0; need -= 128 {
			local--
		}
		if local < 0 {
			return groups
		}
		for items := g.Items; items > 0; items -= 32 {
			places--
			most := 0
			for p := range free {
				if free[p] > free[most] {
					most = p
				}
			}
			for registers := 32 * g.Registers; registers > 0; registers -= 256 {
				free[most]--
			}
			if free[most] < 0 || places < 0 {
				return groups
			}
		}
		groups++
	}
	return groups
}

func TestResidentIsWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := machine.Group{
			Subgroup: 32,
			Items:    rapid.Int64Range(1, 1024).Draw(t, "items"), Registers: rapid.Int64Range(1, 255).Draw(t, "registers"), Local: rapid.Int64Range(0, 227<<10).Draw(t, "local"),
		}
		if rapid.Bool().Draw(t, "none") {
			g.Local = 0
		}
		if got, want := machine.Held(h200, g), taken(g); got != want {
			t.Fatalf("%+v: %d groups, and %d fit", g, got, want)
		}
	})
}

// All register counts that are given, and all sub-groups of a work-group.
func TestResidentByRegisters(t *testing.T) {
	for registers := int64(8); registers <= 255; registers += 8 {
		for subgroups := int64(1); subgroups <= 32; subgroups++ {
			g := machine.Group{32 * subgroups, registers, 0, 32}
			if got, want := machine.Held(h200, g), taken(g); got != want {
				t.Errorf("%+v: %d groups, and %d fit", g, got, want)
			}
		}
	}
}

func TestAllocated(t *testing.T) {
	kepler, _ := facts.Named("GeForce GTX TITAN Black")
	for _, c := range []struct {
		device     *facts.Device
		needs, has int64
	}{{h200, 1, 8}, {h200, 92, 96}, {h200, 96, 96}, {h200, 255, 256}, {kepler, 33, 40}, {nil, 33, 33}} {
		if got := machine.Allocated(c.device, c.needs, 32); got != c.has {
			t.Errorf("of %d registers are given %d, want %d", c.needs, got, c.has)
		}
	}
}

func TestResident(t *testing.T) {
	for _, test := range []struct{ items, registers, local, want int64 }{
		{256, 32, 0, 8},        // work-items
		{32, 16, 0, 32},        // groups
		{256, 64, 0, 4},        // registers
		{224, 92, 0, 2},        // registers, of sub-partitions
		{672, 96, 0, 0},        // five sub-groups each, and the work-group has 21
		{256, 1000, 0, 1},      // no more than an item can have; the rest is spilled
		{256, 16, 64 << 10, 3}, // local memory: 65 KB of 228
		{250, 32, 0, 8},        // rounded up to sub-groups
		{32, 16, 240 << 10, 0},
	} {
		if got := machine.Held(h200, machine.Group{test.items, test.registers, test.local, 32}); got != test.want {
			t.Errorf("%+v: %d groups", test, got)
		}
	}
}
