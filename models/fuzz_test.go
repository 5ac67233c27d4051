package models

import (
	"errors"
	"os"
	"strings"
	"testing"

	"gpuperf/internal/source"
)

// FuzzParse: whatever the file, Parse gives a model that prints and parses back to itself and compiles, or an error with its place.
func FuzzParse(f *testing.F) {
	f.Add(matmul)
	raw, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(raw), "\n====\n") {
		text, _, _ := strings.Cut(c, "\n----\n")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("m.yaml", []byte(text))
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		again, err := Parse("m.yaml", []byte(m.String()))
		if err != nil {
			t.Fatalf("%q\nprints as\n%s\n%v", text, m, err)
		}
		if again.String() != m.String() {
			t.Fatalf("%s\nprints as\n%s", m, again)
		}
		if _, err := m.Compile(); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzExpr: an expression that parses prints and parses back to itself.
func FuzzExpr(f *testing.F) {
	for _, s := range []string{
		"p_a * f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:0}_afr:>1 + 2",
		"overlap(gmem, -onchip ** 2, p_edge)", "1e-3 - -.5", "min(1, 2, f_x)", "((p_a))",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpr(text)
		if err != nil {
			return
		}
		back, err := ParseExpr(e.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, e, err)
		}
		if !back.Equal(e) {
			t.Fatalf("%q prints as %q and parses as %q", text, e, back)
		}
	})
}
