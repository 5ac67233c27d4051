package exec_test

import (
	"encoding/binary"
	"math"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// TestTransfer: sub-groups wait for copies and for each other at barriers in local memory, and then find what was copied or stored.
func TestTransfer(t *testing.T) {
	const items, tiles = 256, 5
	buffer := func(name string, n int64) device.Arg {
		return device.Arg{Name: name, Kind: device.Buffer, DType: "float32", Count: n, Sequence: &device.Sequence{Mul: 1}}
	}
	number := device.Arg{Kind: device.Scalar, DType: "int32", Int: tiles}
	for name, tt := range map[string]struct {
		args []device.Arg
		want func(i int) float32 // nil for what is not known
	}{
		"bulk":   {[]device.Arg{buffer("x", items*tiles), buffer("o", items), number}, func(i int) float32 { return float32(tiles*i + items*tiles*(tiles-1)/2) }},
		"arrive": {[]device.Arg{buffer("x", items), buffer("o", items), number}, func(i int) float32 { return float32(items - 1 - i) }},
		"tile":   {[]device.Arg{{Kind: device.Raw, Bits: make([]byte, 128)}, buffer("o", items)}, nil},
	} {
		f, err := function("testdata/transfer.sass", name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "tile" { // where the cubin has the second parameter: structures may be aligned more than the format of launches tells
			tt.args = append(tt.args[:1:1], device.Arg{Kind: device.Raw, Bits: make([]byte, 48)}, tt.args[1])
		}
		launch, err := exec.New(f, device.Job{Global: []int64{items}, Local: []int64{items}, Args: tt.args}, exec.Assumptions{})
		if err != nil {
			t.Fatal(err)
		}
		group := launch.Group([3]uint32{})
		steps := group.Run(100_000)
		if !group.Ended() {
			t.Fatalf("%s has not ended after %d steps: %v", name, steps, launch.Doubts())
		}
		out, known := group.Read("o", 0, 4*items)
		for i := range items {
			switch {
			case known[4*i] != (tt.want != nil):
				t.Fatalf("%s: element %d: known %v", name, i, known[4*i])
			case tt.want != nil:
				if got := binary.LittleEndian.Uint32(out[4*i:]); got != math.Float32bits(tt.want(i)) {
					t.Fatalf("%s: element %d is %08x", name, i, got)
				}
			}
		}
		if tt.want != nil && len(launch.Doubts()) > 0 {
			t.Errorf("%s: %v", name, launch.Doubts())
		}
	}
}
