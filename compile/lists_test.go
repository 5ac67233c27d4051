package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// lists keep the m smallest of n numbers in order, whose places follow from the numbers.
var lists = []string{
	"for (int j = 0; j < n; j++) { int z = x[t * n + j]; if (z < d[m - 1]) { int p = m - 1; while (p > 0 && d[p - 1] > z) { d[p] = d[p - 1]; p--; } d[p] = z; } }",
	"for (int j = 0; j < n; j++) { int z = x[t * n + j], p; for (p = m - 1; p >= 0 && d[p] > z; p--) if (p < m - 1) d[p + 1] = d[p]; if (p < m - 1) d[p + 1] = z; }",
	"for (int j = 0; j < n; j++) { int z = x[t * n + j]; for (int k = 0; k < m; k++) if (z < d[k]) { int s = d[k]; d[k] = z; z = s; } }",
	"for (int j = 0; j < n; j++) { int z = x[t * n + j], w = 0; for (int k = 1; k < m; k++) if (d[k] > d[w]) w = k; if (z < d[w]) d[w] = z; }",
}

// TestLists keeps lists of several lengths, which lie in registers up to a length.
func TestLists(t *testing.T) {
	const items, n = 32, 20
	number := func(i int) int { return i * 7919 % 1009 }
	var data []byte
	for i := range items * n {
		data = binary.LittleEndian.AppendUint32(data, uint32(number(i)))
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for which, list := range lists {
		for _, m := range []int{4, 8, 17} {
			text := fmt.Sprintf("__global__ void k(const int *x, int *o, int n) { const int m = %d; int t = threadIdx.x, d[m]; for (int k = 0; k < m; k++) d[k] = 2000; %s for (int k = 0; k < m; k++) o[t * m + k] = d[k]; }", m, list)
			p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
			if err != nil {
				t.Fatal(err)
			}
			if m <= 4 && regexp.MustCompile("LDL|STL").MatchString(p.Listing) {
				t.Errorf("%s: %d numbers lie in private memory", list, m)
			}
			launch, err := exec.New(p.Function, device.Job{Global: []int64{items}, Local: []int64{items}, Args: []device.Arg{
				{Name: "x", Kind: device.Buffer, DType: "int32", Count: items * n, File: &device.File{Path: path}},
				{Name: "o", Kind: device.Buffer, DType: "int32", Count: int64(items * m), Sequence: &device.Sequence{}},
				{Name: "n", Kind: device.Scalar, DType: "int32", Int: n},
			}}, exec.Assumptions{})
			if err != nil {
				t.Fatal(err)
			}
			g := launch.Group([3]uint32{})
			g.Run(1_000_000)
			out := must(g.Read("o", 0, int64(4*items*m)))
			for item := range items {
				var want, got []int
				for j := range n {
					want = append(want, number(item*n+j))
				}
				slices.Sort(want)
				for k := range m {
					got = append(got, int(binary.LittleEndian.Uint32(out[4*(item*m+k):])))
				}
				if which == len(lists)-1 { // in any order
					slices.Sort(got)
				}
				if !slices.Equal(got, want[:m]) {
					t.Fatalf("%s: %v, want %v", list, got, want[:m])
				}
			}
		}
	}
}
