package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/features"
)

// TestGuarded: what a loop nest does under a condition that is not affine counts as if it held, and is named, also where a number alone is stored.
func TestGuarded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.c")
	const text = `double x[64], y[64];
void f(int n) { for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = 3; }
void g(int n) { for (int i = 0; i < n; i++) if (!(i & 1)) y[i] = 3; }
void h(int n) { for (int i = 0; i < n; i++) if (i > 3) y[i] = x[i]; }
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"f": "S0", "g": "S0", "h": ""} {
		kernels, err := Options{}.Load(t.Context(), path+"#"+name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := features.Count(kernels[0].Kernel, features.Options{SubgroupSize: 32, ExactBranches: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.AsIfHeld(), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
