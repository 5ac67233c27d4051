package exec

import (
	"encoding/hex"
	"slices"
	"testing"
)

// TestTensor: a map as cuBLAS passed it to a kernel on an H200, of a matrix of 1024 rows of 3072 halves, in boxes of 32 rows of 64.
func TestTensor(t *testing.T) {
	raw, err := hex.DecodeString("0000000000000000" + "226304008001000000000000000000100000000000000000ff0b0000ff0300000000000000000000000000000000003f1f00000000000000")
	if err != nil {
		t.Fatal(err)
	}
	l := &Launch{constants: banks{}, Memory: newMemory()}
	l.constants.set(0, 0x240, raw)
	w := &Warp{launch: l, Group: &Group{launch: l, global: newSpace(l.Memory.page)}}
	m := w.tensor(constantAt+0x240, 2)
	if !m.described || m.element != 2 || m.size[0] != 3072 || m.size[1] != 1024 || m.boxOfBytes != 64*32*2 {
		t.Fatalf("%+v", m)
	}
	for _, c := range []struct {
		x, y        int
		rows, bytes int
		first       uint64
	}{
		{0, 0, 32, 128, 0},
		{64, 32, 32, 128, 32*6144 + 128},
		{3040, 1000, 24, 64, 1000*6144 + 6080}, // what lies outside of the matrix is not loaded
		{-32, 1024, 0, 64, 0},
	} {
		rows, bytes := m.rows([mostAxes]int{c.x, c.y})
		if len(rows) != c.rows || bytes != c.bytes || c.rows > 0 && (rows[0] != c.first || !slices.IsSorted(rows)) {
			t.Errorf("at %d, %d: %d rows of %d bytes from %v", c.x, c.y, len(rows), bytes, rows[:min(len(rows), 1)])
		}
	}
	if m := w.tensor(constantAt+0x1000, 2); m.described {
		t.Errorf("a map where nothing is known of: %+v", m)
	}
}
