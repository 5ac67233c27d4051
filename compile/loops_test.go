package compile

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// spellings are loops that add up m elements of a column, and what their counters end with. Those that begin without a test turn once at least.
var spellings = []string{
	"int j = 0; for (; j < m; j++) s = 3 * s + x[j * n + i]; s += j;",
	"int j = 0; while (j < m) { s = 3 * s + x[j * n + i]; j++; } s += j;",
	"int j = 0; while (j < m) { s = 3 * s + x[j * n + i]; j += 1; s ^= 1; s ^= 1; } s += j;",
	"int j = 0; for (; j < m; ) { s = 3 * s + x[j * n + i]; ++j; } s += j;",
	"const int *p = x + i; int j; for (j = 0; j < m; j++, p += n) s = 3 * s + *p; s += j;",
	"long long j; for (j = 0; j < m; j++) s = 3 * s + x[j * n + i]; s += (int) j;",
	"size_t j = 0; for (; j < (size_t) m; ++j) s = 3 * s + x[j * n + i]; s += (int) j;",
	"long long j; for (j = m; j > 0; --j) s = 3 * s + x[(m - j) * n + i]; s += m + (int) j;",
	"int j; for (j = 0; ; j++) { if (j >= m) break; s = 3 * s + x[j * n + i]; } s += j;",
	"int j = 0; while (true) { if (j == m) { break; } s = 3 * s + x[j * n + i]; j++; } s += j;",
	"int j = m; while (j--) s = 3 * s + x[(m - 1 - j) * n + i]; s += m + 1 + j;",
	"unsigned j = m; while (j-- > 0) s = 3 * s + x[(m - 1 - (int) j) * n + i]; s += m + 1 + j;",
	"int j = m; while (--j >= 0) s = 3 * s + x[(m - 1 - j) * n + i]; s += m + 1 + j;",
	"int j = -1; while (++j < m) s = 3 * s + x[j * n + i]; s += j;",
	"int j = 0; for (; j++ < m; ) s = 3 * s + x[(j - 1) * n + i]; s += j - 1;",
	"int j = 0; while (j < m) s = 3 * s + x[j++ * n + i]; s += j;",
	"const int *p = x + m * i, *e = p + m; p = x + m * i; for (; p != e; ++p) s = 3 * s + x[(p - (e - m)) * n + i]; s += p - e + m;",
	"const int *p = x, *e = x + m; while (p < e) { s = 3 * s + x[(p - x) * n + i]; p++; } s += p - x;",
	"const int *p = x; while (p != x + m) s = 3 * s + x[(p++ - x) * n + i]; s += p - x;",
	"const int2 *p = (const int2 *) x, *e = p + m; for (; p < e; p += 1) s = 3 * s + x[(p - (const int2 *) x) * n + i]; s += m;",
	"int j; for (j = 0; j < m; j++) { if (j < 0) continue; s = 3 * s + x[j * n + i]; } s += j;",
	"int j = -1; while (++j < m) { if (j < 0) continue; s = 3 * s + x[j * n + i]; } s += j;",
}

// onceAtLeast are the same of loops that test behind each iteration.
var onceAtLeast = []string{
	"int j = 0; do { s = 3 * s + x[j * n + i]; } while (++j < m); s += j;",
	"int j = 0; do { s = 3 * s + x[j * n + i]; j++; } while (j < m); s += j;",
	"int j = 0; do s = 3 * s + x[j++ * n + i]; while (j < m); s += j;",
	"int j = 1; do { s = 3 * s + x[(j - 1) * n + i]; } while (j++ < m); s += j - 1;",
	"int j = m; do { s = 3 * s + x[(m - j) * n + i]; } while (--j > 0); s += m - j;",
	"int j = 0; while (true) { s = 3 * s + x[j * n + i]; j++; if (j >= m) break; } s += j;",
	"const int *p = x, *e = x + m; do { s = 3 * s + x[(p - x) * n + i]; } while (++p < e); s += p - x;",
}

// uncounted are loops whose counter is another one in the condition, or does not always change.
var uncounted = []string{
	"int j = 0; while (j < m) { s = 3 * s + x[j * n + i]; if (s > 3) { j++; continue; } j++; } s += j;",
	"int j = 0, l = m; while (j < l) { s = 3 * s + x[j * n + i]; j++; l += j & 0; } s += j;",
	"int j = 0; while (j < m) { s = 3 * s + x[j * n + i]; if (n > 0) j++; } s += j;",
}

func spelled(t *testing.T, loop, length string) *Program {
	t.Helper()
	text := fmt.Sprintf("#define m %s\n__global__ void k(int *y, const int *x, int n, int many) { int i = threadIdx.x, s = 0; %s y[i] = s; }", length, loop)
	p, err := Kernel(context.Background(), text, "k", Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatalf("%s: %v", loop, err)
	}
	return p
}

// TestSpellings: the same loop in other words is written out as often, whether its length is known or not, and computes the same.
func TestSpellings(t *testing.T) {
	loads := func(loop, length string) int { return strings.Count(spelled(t, loop, length).Listing, "LDG") }
	for _, length := range []string{"many", "16", "200"} {
		want := loads(spellings[0], length)
		for _, loop := range append(spellings, onceAtLeast...) {
			if n := loads(loop, length); n != want {
				t.Errorf("m = %s: %s: %d loads, want %d", length, loop, n, want)
			}
		}
	}
	for _, loop := range []string{spellings[10], onceAtLeast[0]} {
		at := strings.Index(loop, ";") + 1
		for asked, want := range map[string]int{"1": 1, "8": 9} { // and one of the rest
			if n := loads(loop[:at]+"\n#pragma unroll "+asked+"\n"+loop[at:], "many"); n != want {
				t.Errorf("%s: %d loads with unroll %s, want %d", loop, n, asked, want)
			}
		}
	}
	for _, loop := range uncounted {
		if n := loads(loop, "many"); n != 1 {
			t.Errorf("%s: %d loads", loop, n)
		}
	}
}

const (
	columns = 4
	longest = 200
)

// TestSpelledResults executes them.
func TestSpelledResults(t *testing.T) {
	var data []byte
	for i := range columns * (longest + 1) {
		data = binary.LittleEndian.AppendUint32(data, uint32(i*i+7))
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for k, loop := range append(append(append([]string{}, spellings...), uncounted...), onceAtLeast...) {
		p := spelled(t, loop, "many")
		for _, many := range []int{0, 1, 2, 3, 5, 16, 23, 35} {
			m := many
			if k >= len(spellings)+len(uncounted) {
				m = max(m, 1)
			}
			columnSums(t, loop, p, path, many, m)
		}
		for _, m := range []int{1, 16, 200} {
			columnSums(t, loop, spelled(t, loop, fmt.Sprint(m)), path, 0, m)
		}
	}
}

// columnSums compares what a loop that turns m times makes of columns.
func columnSums(t *testing.T, loop string, p *Program, path string, many, m int) {
	t.Helper()
	launch, err := exec.New(p.Function, device.Job{Global: []int64{columns}, Local: []int64{columns}, Args: []device.Arg{
		{Name: "y", Kind: device.Buffer, DType: "int32", Count: columns, Sequence: &device.Sequence{}},
		{Name: "x", Kind: device.Buffer, DType: "int32", Count: columns * (longest + 1), File: &device.File{Path: path}},
		{Kind: device.Scalar, DType: "int32", Int: columns},
		{Kind: device.Scalar, DType: "int32", Int: int64(many)},
	}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := launch.Group([3]uint32{})
	if g.Run(100_000); !g.Ended() {
		t.Errorf("m = %d: %s does not end", m, loop)
	}
	out := must(g.Read("y", 0, 4*columns))
	for i := range columns {
		want := int32(0)
		for j := range m {
			at := j*columns + i
			want = 3*want + int32(at*at+7)
		}
		if got := int32(binary.LittleEndian.Uint32(out[4*i:])); got != want+int32(m) {
			t.Errorf("m = %d: %s: %d, want %d\n%s", m, loop, got, want+int32(m), p.Listing)
			return
		}
	}
}
