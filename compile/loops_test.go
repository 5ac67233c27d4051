package compile_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
)

// spellings are loops that add up m elements of a row, and what their counters end with. Those that begin without a test turn once at least.
var spellings = []string{
	"int j = 0; for (; j < m; j++) s = 3 * s + r[j]; s += j;",
	"int j = 0; while (j < m) { s = 3 * s + r[j]; j++; } s += j;",
	"int j = 0; while (j < m) { s = 3 * s + r[j]; j += 1; s ^= 1; s ^= 1; } s += j;",
	"int j = 0; for (; j < m; ) { s = 3 * s + r[j]; ++j; } s += j;",
	"const int *p = r; int j; for (j = 0; j < m; j++, p++) s = 3 * s + *p; s += j;",
	"long long j; for (j = 0; j < m; j++) s = 3 * s + r[j]; s += (int) j;",
	"size_t j = 0; for (; j < (size_t) m; ++j) s = 3 * s + r[j]; s += (int) j;",
	"long long j; for (j = m; j > 0; --j) s = 3 * s + r[m - j]; s += m + (int) j;",
	"int j; for (j = 0; ; j++) { if (j >= m) break; s = 3 * s + r[j]; } s += j;",
	"int j = 0; while (true) { if (j == m) { break; } s = 3 * s + r[j]; j++; } s += j;",
	"int j = m; while (j--) s = 3 * s + r[m - 1 - j]; s += m + 1 + j;",
	"unsigned j = m; while (j-- > 0) s = 3 * s + r[m - 1 - (int) j]; s += m + 1 + j;",
	"int j = m; while (--j >= 0) s = 3 * s + r[m - 1 - j]; s += m + 1 + j;",
	"int j = -1; while (++j < m) s = 3 * s + r[j]; s += j;",
	"int j = 0; for (; j++ < m; ) s = 3 * s + r[j - 1]; s += j - 1;",
	"int j = 0; while (j < m) s = 3 * s + r[j++]; s += j;",
	"const int *p = r, *e = r + m; for (; p != e; ++p) s = 3 * s + *p; s += p - r;",
	"const int *p = r; while (p != r + m) s = 3 * s + *p++; s += p - r;",
	"const int *p = r; int j = m; while (j--) s = 3 * s + *p++; s += p - r;",
}

// onceAtLeast are the same of loops that test behind each iteration.
var onceAtLeast = []string{
	"int j = 0; do { s = 3 * s + r[j]; } while (++j < m); s += j;",
	"int j = 0; do { s = 3 * s + r[j]; j++; } while (j < m); s += j;",
	"int j = 0; do s = 3 * s + r[j++]; while (j < m); s += j;",
	"int j = 1; do { s = 3 * s + r[j - 1]; } while (j++ < m); s += j - 1;",
	"int j = m; do { s = 3 * s + r[m - j]; } while (--j > 0); s += m - j;",
	"int j = 0; while (true) { s = 3 * s + r[j]; j++; if (j >= m) break; } s += j;",
}

// ordered are loops until a pointer is not below another one, which are written out less often.
var ordered = []string{
	"const int *p = r, *e = r + m; while (p < e) { s = 3 * s + *p; p++; } s += p - r;",
	"const int *p = r, *e = r + m; for (; e > p; ++p) s = 3 * s + *p; s += p - r;",
	"const int2 *p = (const int2 *) r, *e = p + m; const int *q = r; for (; p < e; p += 1) s = 3 * s + *q++; s += q - r;",
	"const int *p = r, *e = r + m; do { s = 3 * s + *p; } while (++p < e); s += p - r;",
}

// skipping are loops that pass over some elements, of which there are none.
var skipping = []string{
	"int j; for (j = 0; j < m; j++) if (r[j] >= 0) s = 3 * s + r[j]; s += j;",
	"int j; for (j = 0; j < m; j++) { if (r[j] < 0) continue; s = 3 * s + r[j]; } s += j;",
	"int j = -1; while (++j < m) { int y = r[j]; if (y < 0) { continue; } s = 3 * s + y; } s += j;",
	"int j = 0; do { if (r[j] < 0) continue; s = 3 * s + r[j]; } while (++j < m); s += j;",
}

// uncounted are loops whose counter is another one in the condition, or does not always change.
var uncounted = []string{
	"int j = 0; while (j < m) { s = 3 * s + r[j]; if (s > 3) { j++; continue; } j++; } s += j;",
	"int j = 0, l = m; while (j < l) { s = 3 * s + r[j]; j++; l += j & 0; } s += j;",
	"int j = 0; while (j < m) { s = 3 * s + r[j]; if (n > 0) j++; } s += j;",
}

func spelled(t *testing.T, loop, length string) *compile.Program {
	t.Helper()
	text := fmt.Sprintf("#define m %s\n__global__ void k(int *y, const int *x, int n, int many) { int s = 0; const int *r = x + threadIdx.x * n; %s y[threadIdx.x] = s; }", length, loop)
	p, err := compile.Kernel(context.Background(), text, "k", compile.Options{Architecture: "sm_90"})
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
		for _, loop := range ordered {
			if n := loads(loop, length); n != 4+2+1 {
				t.Errorf("m = %s: %s: %d loads, want 4, 2 and 1", length, loop, n)
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
	if n, want := loads(spellings[0], "x[n]"), loads(spellings[0], "many")+1; n != want { // which the loop does not write
		t.Errorf("%d loads of a loop up to an element, want %d", n, want)
	}
	for _, loop := range uncounted {
		if n := loads(loop, "many"); n != 1 {
			t.Errorf("%s: %d loads", loop, n)
		}
	}
}

const (
	rows    = 4
	longest = 208 // elements of a row
)

// dearer is how many more instructions a spelling may execute than the first one: some have a pointer and a counter.
const dearer = 0.2

// TestSpelledResults executes them. A long sum takes about the same in all of them, so that it has the same price.
func TestSpelledResults(t *testing.T) {
	var data []byte
	for i := range rows * longest {
		data = binary.LittleEndian.AppendUint32(data, uint32(i*i+7))
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, same := range [][]string{append(spellings, onceAtLeast...), ordered, skipping, uncounted} {
		first := 0
		for _, loop := range same {
			n := spelledResults(t, loop, path)
			if first = cmp.Or(first, n); float64(n) > float64(first)*(1+dearer) {
				t.Errorf("%s: %d instructions, and %d as %s", loop, n, first, same[0])
			}
		}
	}
}

// spelledResults compares the results of a loop at several lengths, and tells how many instructions the longest takes.
func spelledResults(t *testing.T, loop, path string) (steps int) {
	t.Helper()
	p := spelled(t, loop, "many")
	for _, m := range []int{0, 1, 2, 3, 5, 16, 23, 35, longest} {
		if m > 0 || !strings.Contains(loop, "do ") && !strings.Contains(loop, "(true) { s") {
			steps = rowSums(t, loop, p, path, m, m)
		}
	}
	for _, m := range []int{1, 16, 200} {
		rowSums(t, loop, spelled(t, loop, fmt.Sprint(m)), path, 0, m)
	}
	return steps
}

// rowSums compares what a loop that turns m times makes of rows, and tells how many instructions it executes.
func rowSums(t *testing.T, loop string, p *compile.Program, path string, many, m int) (steps int) {
	t.Helper()
	launch, err := exec.New(p.Function, device.Job{Global: []int64{rows}, Local: []int64{rows}, Args: []device.Arg{
		{Name: "y", Kind: device.Buffer, DType: "int32", Count: rows, Sequence: &device.Sequence{}},
		{Name: "x", Kind: device.Buffer, DType: "int32", Count: rows * longest, File: &device.File{Path: path}},
		{Kind: device.Scalar, DType: "int32", Int: longest},
		{Kind: device.Scalar, DType: "int32", Int: int64(many)},
	}}, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := launch.Group([3]uint32{})
	if steps = g.Run(100_000); !g.Ended() {
		t.Errorf("m = %d: %s does not end", m, loop)
	}
	out := must(g.Read("y", 0, 4*rows))
	for i := range rows {
		want := int32(0)
		for j := range m {
			at := i*longest + j
			want = 3*want + int32(at*at+7)
		}
		if got := int32(binary.LittleEndian.Uint32(out[4*i:])); got != want+int32(m) {
			t.Errorf("m = %d: %s: %d, want %d\n%s", m, loop, got, want+int32(m), p.Listing)
			break
		}
	}
	return steps
}
