package schedule

import (
	"os"
	"path/filepath"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// TestJoinedLines: statements that store every other element of the same lines are in one launch, also where the first of them could be joined with what it reads.
func TestJoinedLines(t *testing.T) {
	const text = `void f(int n, double a[n][n], double b[n][n], double c[2*n][2*n]) {
#pragma scop
for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) b[i][j] = a[i][j] + a[i-1][j-1];
for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) { c[i][STEP*j] = b[i][j]; c[i][STEP*j+OFF] = b[i][j] + b[i][j+1]; }
#pragma endscop
}
`
	for _, c := range []struct {
		define map[string]string
		last   int // statements of the last launch
	}{
		{map[string]string{"STEP": "2", "OFF": "1"}, 2},
		{map[string]string{"STEP": "1", "OFF": "n"}, 1},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var opt cfront.Options
		for k, v := range c.define {
			opt.Define = append(opt.Define, k+"="+v)
		}
		nests, err := scop.Load(t.Context(), file, opt)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Search(nests[0], Launches, Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts := inSequence(f.Tree)
		if got := len(parts[len(parts)-1].statements()); len(parts) != 2 || got != c.last {
			t.Errorf("%v: %d launches, the last one of %d statements, not %d", c.define, len(parts), got, c.last)
		}
	}
}
