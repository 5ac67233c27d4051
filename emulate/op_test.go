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
	list := ops(f)
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
	list := ops(f)
	if list[0].Banks != [2]int64{3, 0} || list[1].Banks != [2]int64{0, 2} {
		t.Error(list[0].Banks, list[1].Banks)
	}
}

// All facts that a machine is made of are in the data sheets of the H200.
func TestFacts(t *testing.T) {
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Need(Facts()...); err != nil {
		t.Fatal(err)
	}
	m := machine(d, 132, 1<<17)
	if m.Units[timing.DRAM].Gap <= m.Units[timing.L2].Gap || m.Units[timing.FMA].Gap != timing.Cycle || m.Partitions != 4 {
		t.Errorf("%+v", m)
	}
	if one := machine(d, 1, 1<<17); one.Units[timing.L2].Gap >= m.Units[timing.L2].Gap {
		t.Error("a multiprocessor alone has no more of L2 than one of all")
	}
}
