package scop_test

import (
	"os"
	"path/filepath"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// FuzzBuild: whatever the C text, it ends as nests or in an error, and every nest is a kernel or none.
func FuzzBuild(f *testing.F) {
	files, _ := filepath.Glob("../examples/polybench/*.c")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("#define A(x) x##f\nint a[9];\nvoid f(int n) { int i = n, *p = &i; for (i = 0; i < n; ++i) a[i % 3] = (i ? 1 : a[0]) + A(1.0); while (p) p++; }")
	f.Add("struct s { int x; } s; enum { E = 3 }; void f(void) {\n#pragma scop\ns.x = E; { int y = sizeof(s); s.x += y; }\n#pragma endscop\n}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := cfront.Parse(t.Context(), "fuzz.c", text, cfront.Options{})
		if err != nil {
			return
		}
		regions, err := file.Regions()
		if err != nil {
			return
		}
		for _, r := range regions {
			n, err := scop.Build(file, r)
			if err != nil {
				continue
			}
			if k, err := n.Kernel(); err == nil && k.String() == "" {
				t.Error("a kernel without text")
			}
			if n.String() == "" || scop.Objects([]*scop.Nest{n}) == nil {
				t.Error("a nest without text")
			}
		}
	})
}
