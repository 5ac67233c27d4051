package sass_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/lists"
	"gpuperf/sass"

	"github.com/google/go-cmp/cmp"
)

// parseLines reads instructions without encodings, one a line.
func parseLines(t *testing.T, lines ...string) *sass.Listing {
	t.Helper()
	text := "Function : f\n"
	for i, line := range lines {
		if strings.HasSuffix(line, ":") {
			text += line + "\n"
			continue
		}
		text += fmt.Sprintf("/*%04x*/ %s ;\n", 16*i, line)
	}
	l, err := sass.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestDefinesAndUses(t *testing.T) {
	for _, c := range []struct{ instruction, defines, uses string }{
		{"FFMA R0, R1, c[0x0][0x210], -R2.reuse", "R0", "R1 R2"},
		{"@!P2 FADD R4, |R2|, 1.5", "R4", "P2 R2"},
		{"@UPT FADD R4, R2, RZ", "R4", "R2"},
		{"DFMA R2, R4, R6, R8", "R2 R3", "R4 R5 R6 R7 R8 R9"},
		{"DADD R2, R4, -c[0x0][0x218]", "R2 R3", "R4 R5"},
		{"DSETP.GT.AND P0, P1, R2, R4, PT", "P0 P1", "R2 R3 R4 R5"},
		{"IMAD.WIDE R2, R3, 0x4, R4", "R2 R3", "R3 R4 R5"},
		{"IMAD.WIDE.U32 R2, P0, R3, R9, R4", "R2 R3 P0", "R3 R9 R4 R5"},
		{"IMAD.WIDE R2, R3, R3, RZ", "R2 R3", "R3"},
		{"IMAD.HI.U32 R5, R5, R7, R4", "R5", "R5 R7 R4"},
		{"IMAD.MOV.U32 R5, RZ, RZ, R7", "R5", "R7"},
		{"IADD3 R0, P1, P2, R3, R4, RZ", "R0 P1 P2", "R3 R4"},
		{"IADD3.X R0, R3, R4, RZ, P1, !PT", "R0", "R3 R4 P1"},
		{"LEA R4, P0, R2, R6, 0x2", "R4 P0", "R2 R6"},
		{"LEA.HI.X R5, R2, R7, R3, 0x2, P0", "R5", "R2 R7 R3 P0"},
		{"LOP3.LUT P0, RZ, R2, 0x1f, RZ, 0xc0, !PT", "P0", "R2"},
		{"LOP3.LUT R0, R2, R3, RZ, 0xc0, !PT", "R0", "R2 R3"},
		{"PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x8", "P0", "P1 P2"},
		{"ISETP.GE.U32.AND.EX P0, PT, R3, R5, PT, P0", "P0", "R3 R5 P0"},
		{"SEL R0, R1, R2, !P4", "R0", "R1 R2 P4"},
		{"VIMNMX R0, R1, R2, !PT", "R0", "R1 R2"},
		{"P2R R3, PR, R2, 0x5", "R3", "P0 P2 R2"},
		{"R2P PR, R2, 0x6", "P1 P2", "R2"},
		{"SHFL.DOWN PT, R5, R4, 0x10, 0x1f", "R5", "R4"},
		{"VOTE.ANY R0, PT, P0", "R0", "P0"},
		{"VOTE.ALL P0, P1", "P0", "P1"},
		{"VOTEU.ANY UR4, UPT, PT", "UR4", ""},
		{"F2F.F64.F32 R2, R4", "R2 R3", "R4"},
		{"F2F.F32.F64 R2, R4", "R2", "R4 R5"},
		{"F2I.U64.F64.TRUNC R2, R4", "R2 R3", "R4 R5"},
		{"F2I.FTZ.U32.TRUNC.NTZ R2, R4", "R2", "R4"},
		{"I2F.F64 R2, R4", "R2 R3", "R4"},
		{"I2F.U64.RP R2, R4", "R2", "R4 R5"},
		{"MUFU.RCP64H R2, R5", "R2", "R5"},
		{"HMMA.16816.F32 R4, R8, R12, R4", "R4 R5 R6 R7", "R8 R9 R10 R11 R12 R13 R4 R5 R6 R7"},
		{"CS2R R2, SR_CLOCKLO", "R2 R3", ""},
		{"CS2R.32 R2, SR_CLOCKLO", "R2", ""},
		{"S2R R2, SR_TID.X", "R2", ""},
		{"R2UR UR4, R5", "UR4", "R5"},
		{"UIADD3 UR4, UP0, UR5, UR6, URZ", "UR4 UP0", "UR5 UR6"},
		{"LDG.E.128.CONSTANT R8, desc[UR4][R2.64+0x10]", "R8 R9 R10 R11", "UR4 UR5 R2 R3"},
		{"LDG.E.U8 R8, desc[UR4][R2.64]", "R8", "UR4 UR5 R2 R3"},
		{"LDGSTS.E.LTC128B [R199+0x80], [R192.64+UR28]", "", "R199 R192 R193 UR28 UR29"},
		{"LDG.E R8, desc[UR4][R2.U32+UR6]", "R8", "UR4 UR5 R2 UR6 UR7"},
		{"STG.E.64 desc[UR4][R2.64], R6", "", "UR4 UR5 R2 R3 R6 R7"},
		{"STS.128 [R2+UR4+0x20], R4", "", "R2 UR4 R4 R5 R6 R7"},
		{"LDS R2, [R2.X4+0x20]", "R2", "R2"},
		{"ATOMG.E.CAS.STRONG.GPU PT, R3, desc[UR4][R4.64], R6, R7", "R3", "UR4 UR5 R4 R5 R6 R7"},
		{"ATOMG.E.ADD.F64.RN.STRONG.GPU PT, R2, desc[UR4][R4.64], R6", "R2 R3", "UR4 UR5 R4 R5 R6 R7"},
		{"ATOMG.E.ADD.F32x4.FTZ.RN.STRONG.GPU PT, RZ, desc[UR6][R6.64], R12", "", "UR6 UR7 R6 R7 R12 R13 R14 R15"},
		{"REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU desc[UR6][R6.64], R12", "", "UR6 UR7 R6 R7 R12 R13"},
		{"LDC.64 R2, c[0x0][0x210]", "R2 R3", ""},
		{"LDC R2, c[0x3][R4+0x8]", "R2", "R4"},
		{"LDSM.16.M88.4 R4, [R8]", "R4 R5 R6 R7", "R8"},
		{"LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]", "", "R5 UR4 UR5 R2 R3"},
		{"RET.REL.NODEC R4 0x0", "", "R4 R5"},
		{"BRX R4 -0x1e0", "", "R4 R5"},
		{"BSSY B0, `(.L_x_1)", "B0", ""},
		{"@P1 BREAK !P0, B2", "", "P1 P0 B2"},
		{"FROB R0, R1", "", "R0 R1"},
	} {
		in := parseLines(t, c.instruction, ".L_x_1:", "EXIT").Functions[0].Instructions[0]
		got := strings.Join(lists.Map(in.Defines(), sass.Register.String), " ") + " <- " + strings.Join(lists.Map(in.Uses(), sass.Register.String), " ")
		if diff := cmp.Diff(c.defines+" <- "+c.uses, got); diff != "" {
			t.Errorf("%s: %s", c.instruction, diff)
		}
		if in.String() != c.instruction {
			t.Errorf("%s is printed as %s", c.instruction, &in)
		}
	}
}

func TestControl(t *testing.T) {
	for _, c := range []struct {
		high uint64
		want string
	}{
		{0x002fd800078e0203, "B-1----:R-:W-:Y:S12"}, // waits for a scoreboard
		{0x000fea0003800000, "B------:R-:W-:-:S05"},
		{0x000ff00000000800, "B------:R-:W-:-:S08"},
		{0, "B------:R0:W0:Y:S00"},
	} {
		if got := (sass.Encoding{High: c.high}).Control().String(); got != c.want {
			t.Errorf("%016x: %s is not %s", c.high, got, c.want)
		}
	}
}

func TestOpcodes(t *testing.T) {
	classes := []sass.Class{
		sass.Float32, sass.Float64, sass.Float16, sass.Integer, sass.Logic, sass.Compare, sass.Move, sass.Conversion, sass.Special, sass.Tensor, sass.Memory, sass.Exchange,
		sass.Synchronize, sass.Flow, sass.Nothing,
	}
	spaces := []sass.Space{"", sass.Global, sass.Local, sass.Private, sass.Bank, sass.Generic, sass.Textures, sass.Cluster}
	actions := []sass.Action{"", sass.Load, sass.Store, sass.Atomic, sass.Copy}
	jumps := []sass.Jump{sass.Next, sass.Meet, sass.Branch, sass.Indirect, sass.Call, sass.Leave}
	for _, o := range sass.Opcodes() {
		switch {
		case !slices.Contains(classes, o.Class) || !slices.Contains(sass.Pipes, o.Pipe) || o.Latency != sass.Fixed && o.Latency != sass.Variable:
			t.Errorf("%s has a class, pipe or latency that there is not: %v", o.Name, o)
		case !slices.Contains(spaces, o.Space) || !slices.Contains(actions, o.Action) || !slices.Contains(jumps, o.Jump) || strings.Trim(o.Writes, "rp") != "":
			t.Errorf("%s does something that there is not: %v", o.Name, o)
		case sass.Find(o.Name+".FROB") == nil || sass.Find(o.Name).Name != o.Name:
			t.Errorf("%s is not found by its name: it stands twice", o.Name)
		case (o.Space == "") != (o.Action == ""):
			t.Errorf("%s has a space or an action alone", o.Name)
		}
		for _, letter := range []byte(o.Sizes) {
			if !strings.ContainsRune("124mafibgh", rune(letter)) {
				t.Errorf("%s: there is no size %c", o.Name, letter)
			}
		}
	}
}
