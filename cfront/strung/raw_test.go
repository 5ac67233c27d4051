package strung_test

import (
	"testing"

	"gpuperf/cfront/strung"
)

// TestRaw: the text of raw strings is read where it stands; a program that has such a string is not one.
func TestRaw(t *testing.T) {
	for in, want := range map[string]string{
		"R\"(a\nb)\"":                   "   a\nb  ",
		"// x\nR\"--(a)\" ) --\")--\"":  "// x\n     a)\" ) --\"    ",
		"R\"(a)\"\n /* x */ R\"(b)\"\n": "   a  \n /* x */    b  \n",
		"R\"(a)\" b":                    "R\"(a)\" b",
		"const char *s = R\"(a)\";":     "const char *s = R\"(a)\";",
		"R\"(a":                         "R\"(a",
		"/* x":                          "/* x",
		"":                              "",
	} {
		if got := strung.Raw(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestWithoutRaw: raw strings are short ones for who cuts a program into tokens, and lines stay where they are.
func TestWithoutRaw(t *testing.T) {
	for in, want := range map[string]string{
		"a = R\"(x\n\")y)\"; b":      "a = \"\"\n; b",
		"a = R\"--(x)\" )--\" \"b\"": "a = \"\" \"b\"",
		"FOR\"(x)\"":                 "FOR\"(x)\"",
		"R\"(x":                      "R\"(x",
	} {
		if got := strung.WithoutRaw(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
