package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// listing is a function of these instructions.
func listing(t *testing.T, lines ...string) *sass.Function {
	t.Helper()
	var b strings.Builder
	b.WriteString("\t.section\t.text.k\n.text.k:\n")
	for i, line := range lines {
		if label, rest, ok := strings.Cut(line, ": "); ok {
			fmt.Fprintf(&b, "%s:\n", label)
			line = rest
		}
		fmt.Fprintf(&b, "        /*%04x*/ %s ;\n", 16*i, line)
	}
	l, err := sass.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return l.Functions[0]
}

// TestPlaces: of what is stored, that alone is needed which is loaded again as an address or for a jump: word by word of spilled registers, else by the
// part of memory. What is executed is what it is when all values are computed.
func TestPlaces(t *testing.T) {
	const begin = "LDC R1, c[0x0][0x28]"
	for name, c := range map[string]struct {
		code   []string
		needed string // of each instruction, n for one whose result is needed
	}{
		"a spilled float and a spilled address": {[]string{
			begin, "VIADD R1, R1, 0xfffffff0", "LDC.64 R4, c[0x0][0x210]", "FADD R6, R7, R7", "STL [R1], R6", "STL.64 [R1+0x8], R4", "LDL R8, [R1]",
			"LDL.64 R2, [R1+0x8]", "STG.E desc[UR4][R2.64], R8", "EXIT",
		}, "nnn..n.n.."},
		"an array whose elements are found by an index": {[]string{
			begin, "VIADD R1, R1, 0xfffffff0", "S2R R3, SR_TID.X", "LEA R9, R3, R1, 0x2", "FADD R6, R7, R7", "STL [R9], R6", "LDL R8, [R1+0x4]",
			"LDC.64 R4, c[0x0][0x210]", "LEA R2, R8, R4, 0x2", "MOV R3, R5", "STG.E desc[UR4][R2.64], R8", "EXIT",
		}, "nnnnn.nnnn.."},
		"shared memory without needed values, although an address is loaded from global memory": {[]string{
			"LDC.64 R4, c[0x0][0x210]", "LDG.E R2, desc[UR4][R4.64]", "FADD R6, R7, R7", "STS [R2], R6", "LDS R8, [R2]", "STG.E desc[UR4][R4.64], RZ", "EXIT",
		}, "nn....."},
	} {
		n := needed(listing(t, c.code...))
		got := ""
		for _, yes := range n.result {
			got += map[bool]string{true: "n", false: "."}[yes]
		}
		if got != c.needed {
			t.Errorf("%s: needed %s, want %s", name, got, c.needed)
		}
	}
}

// TestSpilledCounter: a loop whose counter is spilled, and one beside which a constant is, take as many turns as when all iterations are executed.
func TestSpilledCounter(t *testing.T) {
	for name, code := range map[string][]string{
		"counter": {
			"LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xfffffff8", "STL [R1], RZ", "LDC.64 R4, c[0x0][0x210]",
			".L_loop: LDL R3, [R1]", "STG.E desc[UR4][R4.64], R8", "VIADD R3, R3, 0x1", "STL [R1], R3", "ISETP.LT.AND P0, PT, R3, 0x64, PT", "@P0 BRA `(.L_loop)", "EXIT",
		},
		"constant": {
			"LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xfffffff8", "MOV R6, 0x64", "STL [R1+0x4], R6", "MOV R3, RZ", "LDC.64 R4, c[0x0][0x210]",
			".L_loop: LDL R7, [R1+0x4]", "STG.E desc[UR4][R4.64], R8", "VIADD R3, R3, 0x1", "ISETP.LT.AND P0, PT, R3, R7, PT", "@P0 BRA `(.L_loop)", "EXIT",
		},
	} {
		var got [2][]string
		var steps [2]int
		for i := range got {
			l, err := exec.New(listing(t, code...), device.Job{Global: []int64{32}, Local: []int64{32}, Args: buffers("x")}, exec.Assumptions{})
			if err != nil {
				t.Fatal(err)
			}
			b := New(l)
			b.whole = i == 1
			got[i], steps[i] = written(b.Block([3]uint32{}).Warps[0].Nodes, nil), b.Steps
		}
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%s: %d instructions, want %d", name, len(got[0]), len(got[1]))
		}
		if name == "constant" && steps[0] == steps[1] {
			t.Errorf("%s: the loop is not left early", name)
		}
	}
}
