package compile

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// TestLive: which of i, j and k may be used with the value that the region gives them.
func TestLive(t *testing.T) {
	const region = "\n#pragma scop\nfor (i = 0; i < n; i++) for (j = 0; j < i; j++) for (k = 0; k < j; k++) a[k] += 1;\n#pragma endscop\n"
	for _, c := range []struct{ text, want string }{
		{region, ""},
		{region + "a[i] = 0;", "i"},
		{region + "i = 0; a[i] = 0;", ""},
		{region + "i = i + 1; j += 1;", "ij"},
		{region + "for (i = 0; i < n; i++) a[i] = j;", "j"},
		{region + "for (j = 0; j < n; j++) i = 0; a[i] = 0;", "i"},
		{region + "if (n > 3) i = 1; else i = 2; if (n > 4) j = 1; a[i] = j;", "j"},
		{"for (int t = 0; t < 9; t++) {" + region + "}", ""},
		{"for (int t = 0; t < 9; t++) { a[k] = 0;" + region + "}", "k"},
		{"for (int t = 0; t < 9; t++) { k = 1; a[k] = 0;" + region + "}", ""},
		{"for (int t = 0; t < 9; t++) {" + region + "if (a[0] > t) break; i = 0; } a[i] = 0;", "i"},
		{"while (a[0] < j) {" + region + "}", "j"},
		{"do {" + region + "} while (a[0] < j);", "j"},
		{"a[i] = 1;" + region + "return; a[j] = 0;", ""},
		{"int *p = &i;" + region + "*p = 3;", "i"},
		{"again: ;" + region + "if (a[0] > 1) goto again;", "ijk"},
		{region + "switch (n) { case 1: i = 3; default: a[j] = 0; } a[i] = 1;", "ij"},
	} {
		f, err := cfront.Parse(t.Context(), "f.c", "void f(int n, double a[9]) { int i, j, k;\n"+c.text+"\n}\n", cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		regions, err := f.Regions()
		if err != nil || len(regions) != 1 {
			t.Fatal(len(regions), err)
		}
		n, err := scop.Build(f, regions[0])
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, v := range slices.SortedFunc(maps.Keys(n.Counters), func(v, w *cfront.Var) int { return strings.Compare(v.Name, w.Name) }) {
			if live(regions[0], v) {
				got += v.Name
			}
		}
		if got != c.want {
			t.Errorf("%s: %q may be used, want %q", c.text, got, c.want)
		}
	}
}
