package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"gpuperf/internal/frontend"
)

// TestReached: how large arrays are follows from their accesses at the sizes given, where no formula shows it; not where it depends on data.
func TestReached(t *testing.T) {
	for body, want := range map[string]int64{
		"out[i] = in[i];":                0, // a formula shows it
		"out[i] = in[(i / 3) * n + i];":  33*100 + 99 + 1,
		"out[i] = in[i * i];":            99*99 + 1,
		"if (i < n) out[i] = in[at[i]];": 0,
	} {
		file := filepath.Join(t.TempDir(), "k.cu")
		text := "__global__ void k(const float *in, const int *at, float *out, int n)\n{\n\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n\t" + body + "\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		kernels, err := frontend.Options{Local: "10", Global: "n"}.Load(t.Context(), file)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		sizes := map[string]int64{"n": 100}
		c, err := CaseOf(kernels[0], sizes)
		switch {
		case err != nil && want != 0:
			t.Errorf("%s: %v", body, err)
		case err == nil && c.Sizes["in_size"] != want:
			t.Errorf("%s: %v, want %d", body, c.Sizes, want)
		}
		if len(sizes) > 1 {
			t.Errorf("%s changed the sizes given to %v", body, sizes)
		}
	}
}
