package advice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuperf/emulate"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// row are lanes that are so many bytes apart.
func row(lanes int, apart int64) (list []int64) {
	for i := range int64(lanes) {
		list = append(list, 1<<20+i*apart)
	}
	return list
}

// Lanes that are a row apart, and go along it, lie side by side afterwards: all that was accessed still is, once.
func TestCoalesced(t *testing.T) {
	seen := map[int64]bool{}
	for i := range int64(16) {
		a := &timing.Touched{Lanes: row(32, 4096), Width: 4, Steps: []timing.Step{{All: 4}}, DRAM: 0.5, Waves: 16}
		coalesced(a)
		if n := len(sectors(a.Lanes, a.Width)); n != 4 || a.Waves != 1 {
			t.Fatalf("%d sectors, %d cycles", n, a.Waves)
		}
		for _, at := range a.Lanes {
			seen[at+i*a.Steps[0].All] = true
		}
	}
	if len(seen) != 16*32 {
		t.Errorf("%d elements are accessed, there were %d", len(seen), 16*32)
	}
}

func TestSectors(t *testing.T) {
	for _, c := range []struct {
		lanes []int64
		width int64
		want  int
	}{
		{row(32, 4), 4, 4},
		{row(32, 32), 4, 32},
		{row(32, 0), 8, 1},
		{row(32, 16), 16, 16},
		{[]int64{28}, 8, 2},
	} {
		t.Run(fmt.Sprint(c.want), func(t *testing.T) {
			if got := len(sectors(c.lanes, c.width)); got != c.want {
				t.Errorf("%d sectors, want %d", got, c.want)
			}
		})
	}
}

// Copies of instructions for further results have registers of their own where these hold data.
func TestRenamed(t *testing.T) {
	if got := renamed([]uint16{1, 2, 3}, map[uint16]bool{2: true}, 10); !slices.Equal(got, []uint16{1, 12, 3}) {
		t.Errorf("%v", got)
	}
}

func TestRulesHaveNames(t *testing.T) {
	for _, r := range rules {
		if r.name == "" || r.try == nil {
			t.Errorf("rule %q is without name or conditions", r.name)
		}
	}
}

// What others say of a defect replaces what emulation says of it, and what is always true goes.
func TestPrefer(t *testing.T) {
	r := &emulate.Result{Advice: []emulate.Advice{{Rule: "coalescing", Gain: 3}, {Rule: "divergence", Gain: 2}, {Rule: "work of a unit", General: true, Gain: 5}}}
	Prefer(r, nil)
	if len(r.Advice) != 3 {
		t.Errorf("nobody says anything, and %v is left", r.Advice)
	}
	Prefer(r, []emulate.Advice{{Rule: "last wave", Gain: 1.2}, {Rule: "coalescing", Gain: 4, Model: "m"}})
	var got []string
	for _, a := range r.Advice {
		got = append(got, a.Rule+a.Model)
	}
	if !slices.Equal(got, []string{"coalescingm", "divergence", "last wave"}) {
		t.Errorf("%q", got)
	}
}

// Work-items may be in groups of another size only where nothing else than their numbers tells groups apart.
func TestNumbered(t *testing.T) {
	const item = "S2R R0, SR_CTAID.X ;\nS2R R2, SR_TID.X ;\n"
	for name, c := range map[string]struct {
		code string
		want bool
	}{
		"numbers of items":      {item + "IMAD R0, R0, c[0x0][0x0], R2 ;\nISETP.GE.AND P0, PT, R0, c[0x0][0x210], PT ;", true},
		"by way of a register":  {item + "IMAD.MOV.U32 R4, RZ, RZ, c[0x0][0x0] ;\nIMAD R0, R0, R4, R2 ;", true},
		"a group for each row":  {item + "IMAD R0, R0, c[0x0][0x210], R2 ;\nIADD3 R2, R2, c[0x0][0x0], RZ ;", false},
		"both":                  {item + "IMAD R4, R0, c[0x0][0x0], R2 ;\nIMAD.WIDE R6, R0, 0x4, R8 ;", false},
		"another in its place":  {item + "IMAD R0, R0, c[0x0][0x0], R2 ;\nIMAD.WIDE R6, R0, 0x4, R8 ;", true},
		"the size as the tread": {"S2R R2, SR_TID.X ;\nIADD3 R2, R2, c[0x0][0x0], RZ ;", true},
	} {
		text := "Function : f\n"
		for i, line := range strings.Split(c.code, "\n") {
			text += fmt.Sprintf("/*%04x*/ %s\n", 16*i, line)
		}
		l, err := sass.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&study{code: l.Functions[0]}).numbered(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
