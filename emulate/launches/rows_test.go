package launches

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestLongRows: what work-groups load that go through rows of their own comes from DRAM, however long the rows are: also where so much is executed of a few
// work-groups that not all that are compared are.
func TestLongRows(t *testing.T) {
	source, err := filepath.Abs("testdata/decode.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int64{1024, 4096} {
		path := filepath.Join(t.TempDir(), "decode.yaml")
		text := fmt.Sprintf("version: 1\nsource: %s\nkernel: decode\nsizes: {ctx: %d, seqs: 64, heads: 32}\ngrid: [heads, seqs]\nblock: [128]\nargs: "+
			"[{buffer: out, dtype: float16, size: seqs * heads * 128}, {buffer: q, dtype: float16, size: seqs * heads * 128}, {buffer: kc, dtype: float16, size: seqs * heads * 128 * ctx}, "+
			"{buffer: vc, dtype: float16, size: seqs * heads * 128 * ctx}, {buffer: table, dtype: int32, size: seqs * (ctx // 16), fill: iota}, {int32: ctx}, {int32: ctx // 16}, {int32: heads}, {float32: 0.088}]\n",
			source, length)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Compile(t.Context(), "sm_90")
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(t.Context(), l, Options{Device: sheet(t), Origin: Source})
		if err != nil {
			t.Fatal(err)
		}
		bytes := float64(2 * 2 * 64 * 32 * 128 * length)
		got := r.Launches[0].Memory.L2Sectors * 32
		if got < 0.98*bytes || got > 1.05*bytes {
			t.Errorf("rows of %d: %.4g bytes come to multiprocessors, and should be %.4g", length, got, bytes)
		}
	}
}
