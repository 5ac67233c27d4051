package schedule

import (
	"os"
	"path/filepath"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// TestCopiesThatPay: arrays and scalars get copies only where launches cost less with them.
func TestCopiesThatPay(t *testing.T) {
	for _, c := range []struct {
		text   string
		copies bool
	}{
		{"double a[102][2002], b[2002]; void f() {\n#pragma scop\nfor (int t = 0; t < 100; t++) { for (int i = 1; i < 2000; i++) b[i] = a[0][i-1] + a[0][i+1]; for (int i = 1; i < 2000; i++) a[0][i] = b[i]; }\n#pragma endscop\n}\n", false},
		{"void f(int n, int m, double a[n], double y[n]) { double x = 0;\n#pragma scop\nfor (int i = 0; i < n; i++) { y[i] = a[i] + x; x = a[i]; }\n#pragma endscop\n}\n", true},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		nests, err := scop.Load(t.Context(), file, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Search(nests[0], Launches, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(f.Copies) > 0; got != c.copies {
			t.Errorf("copies %v of\n%s", f.Copies, c.text)
		}
	}
}
