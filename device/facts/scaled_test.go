package facts

import "testing"

// TestScaled: what a sheet lacks is that of another device, times what the sheets of both say; what vendors publish is not taken over.
func TestScaled(t *testing.T) {
	base, _ := Named("NVIDIA H200")
	for _, c := range []struct {
		device string
		key    Key
		by     float64 // of that of the other; 0 where it stays unknown
	}{
		{"h100", DRAMReadRate, 3.35 / 4.8},
		{"h100", DRAMPageSeconds, 4.8 / 3.35},
		{"h100", ALULatency, 1},
		{"a100", DRAMLatency, 1410.0 / 1980},
		{"a100", FMAGap, 2},
		{"a100", L2Bytes, 41943040.0 / 62914560},
		{"a100", L2BytesPerClock, 108.0 / 132},
		{"TITAN V", L2Bytes, 0},
	} {
		d, _ := Named(c.device)
		got, _ := d.Scaled(base, DRAMReadRate, DRAMPageSeconds, ALULatency, DRAMLatency, FMAGap, L2Bytes, L2BytesPerClock)
		if have, want := got.Value(c.key), c.by*base.Value(c.key); have < want*0.999 || have > want*1.001 {
			t.Errorf("%s of %s is %g, want %g", c.key, c.device, have, want)
		}
	}
}
