package exec

import (
	"encoding/binary"
	"testing"

	"gpuperf/device"
)

// Buffers lie where they lay in the application where that can be, and apart in any case: bytes that were taken for a pointer are what they were.
func TestPlaces(t *testing.T) {
	const there = 0x7f8d_bc00_0000
	m := newMemory()
	for _, c := range []struct {
		name        string
		place, want int64
	}{
		{"unknown", 0, firstBuffer},
		{"there", there, there},
		{"overlaps", there + 1<<20, there + alignment},
		{"between pages", there + 8*alignment + 512, there + 2*alignment},
		{"below", 4096, there + 3*alignment},
		{"before", there - alignment, there - alignment},
		{"there", 0, there},
	} {
		a := device.Arg{Name: c.name, Kind: device.Buffer, DType: "uint8", Count: alignment, Place: c.place}
		if got := int64(m.place(a, nil)); got != c.want {
			t.Errorf("%s lies at %#x, want %#x", c.name, got, c.want)
		}
		if name, offset := m.Find(uint64(c.want) + 5); name != c.name || offset != 5 {
			t.Errorf("at %#x lies %s, %d bytes behind its start, want %s", c.want+5, name, offset, c.name)
		}
	}
	numbers := device.Arg{Name: "there", Kind: device.Buffer, DType: "uint8", Count: alignment, At: 0x0b0a09}
	got, err := value(numbers, m)
	if err != nil || binary.LittleEndian.Uint64(got) != there+0x0b0a09 {
		t.Errorf("the bytes are %x, %v", got, err)
	}
}
