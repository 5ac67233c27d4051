package emulate

import (
	"context"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

func function(t *testing.T, listing string) *sass.Function {
	t.Helper()
	l, err := sass.ReadFile(context.Background(), "../testdata/sass/"+listing+".sass")
	if err != nil {
		t.Fatal(err)
	}
	return l.Functions[0]
}

// Instructions go to the units of their opcodes, with the control bits of their encoding.
func TestOps(t *testing.T) {
	f := function(t, "matmul")
	list := ops(f, nil)
	units := map[string]timing.Unit{
		"FFMA": timing.FMA, "IMAD": timing.IMAD, "IADD3": timing.ALU, "ISETP": timing.ALU, "LDS": timing.Shared, "LDG": timing.Address, "BAR": timing.Barrier,
		"S2R": timing.Special, "ULDC": timing.Uniform, "BRA": timing.Branch, "LDC": timing.Constant,
	}
	for i := range list {
		in := &f.Instructions[i]
		if want, ok := units[in.Name]; ok && list[i].Unit != want {
			t.Errorf("%s goes to %v, want %v", in, list[i].Unit, want)
		}
		if c := in.Code.Control(); list[i].Stall != max(int64(c.Stall), 1)*timing.Cycle || list[i].Waits != uint8(c.Wait) && in.Name != "DEPBAR" {
			t.Errorf("%s: %+v, want %v", in, list[i], c)
		}
	}
}

// Operands in the reuse cache are not read from a register bank.
func TestBanks(t *testing.T) {
	l, err := sass.Parse("Function : k\n" +
		"/*0000*/ FFMA R0, R2.reuse, R4, R6 ; /* 0x0000000402007223 */\n /* 0x004fe20000000006 */\n" +
		"/*0010*/ FFMA R1, R2, R5, R7 ; /* 0x0000000502017223 */\n /* 0x000fe20000000007 */\n" +
		"/*0020*/ EXIT ; /* 0x000000000000794d */\n /* 0x000fea0003800000 */\n")
	if err != nil {
		t.Fatal(err)
	}
	f := l.Functions[0]
	f.Instructions[0].Code.High |= 1 << (122 - 64)
	list := ops(f, nil)
	if list[0].Banks != [2]int64{3, 0} || list[1].Banks != [2]int64{0, 2} {
		t.Error(list[0].Banks, list[1].Banks)
	}
}

// Products of matrices take as long as their shape and type ask for; those of four sub-groups read shared memory, and gsb0 ends a group.
func TestProducts(t *testing.T) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	m := multiprocessor(d, 132, 1<<17)
	for _, c := range []struct {
		text         string
		latency, gap float64 // cycles
		waves        float64
		written      int8
		uses         int
	}{
		{"HMMA.16816.F32 R4, R8, R12, R4", 25, 6.25, 0, timing.NoBoard, 10},
		{"HMMA.16816.F32.BF16 R4, R8, R12, R4", 25, 6.25, 0, timing.NoBoard, 10},
		{"HMMA.1688.F32 R4, R8, R12, R4", 17.5, 4.31, 0, timing.NoBoard, 7},
		{"HMMA.1688.F32.TF32 R4, R8, R12, R4", 25, 6.25, 0, timing.NoBoard, 10},
		{"IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4", 25, 6.25, 0, timing.NoBoard, 10},
		{"DMMA.884 R4, R8, R12, R4", 26.2, 16.1, 0, timing.NoBoard, 8},
		{"HGMMA.64x8x16.F32 R24, gdesc[UR8], R24", 55, 4, 4.5, timing.NoBoard, 0},
		{"HGMMA.64x256x16.F32 R24, gdesc[UR8], R24, gsb0", 179, 128, 20, timing.Products, 0},
		{"HGMMA.64x128x16.F32 R24, R4, gdesc[UR8], R24, gsb0", 115, 64, 8, timing.Products, 4},
		{"QGMMA.64x64x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24", 83, 32, 8, timing.NoBoard, 0},
	} {
		l, err := sass.Parse("Function : k\n/*0000*/ " + c.text + " ;\n/*0010*/ EXIT ;\n")
		if err != nil {
			t.Fatal(err)
		}
		op := ops(l.Functions[0], d)[0]
		gap, latency := m.Units[op.Unit].Times(&op)
		if abs(gap-timing.Cycles(c.gap)) > 5 || abs(latency-timing.Cycles(c.latency)) > 5 || op.Waves != c.waves || op.Written != c.written || len(op.Uses) != c.uses {
			t.Errorf("%s: latency %d, gap %d, %+v", c.text, latency, gap, op)
		}
	}
}

func abs(n int64) int64 { return max(n, -n) }

// All facts that a machine is made of are in the data sheets of the H200.
func TestFacts(t *testing.T) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Need(Facts()...); err != nil {
		t.Fatal(err)
	}
	m := multiprocessor(d, 132, 1<<17)
	if m.Units[timing.DRAM].Gap <= m.Units[timing.L2].Gap || m.Units[timing.FMA].Gap != timing.Cycle || m.Partitions != 4 {
		t.Errorf("%+v", m)
	}
	if one := multiprocessor(d, 1, 1<<17); one.Units[timing.L2].Gap >= m.Units[timing.L2].Gap {
		t.Error("a multiprocessor alone has no more of L2 than one of all")
	}
}
