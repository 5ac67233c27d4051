package rules

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules as they print, for reading and for seeing what a change changes.
func TestRulesPrint(t *testing.T) {
	var b strings.Builder
	for _, r := range All() {
		fmt.Fprintf(&b, "%-24s %s", r.Name, r)
		if len(r.Params) > 0 {
			fmt.Fprintf(&b, "   choosing %s", strings.Join(ParamNames(r.Params), ", "))
		}
		if from := r.Origin(); from != "" {
			fmt.Fprintf(&b, "   [%s]", from)
		}
		b.WriteString("\n")
	}
	for _, m := range Macros() {
		fmt.Fprintf(&b, "macro %-18s %s\n", m.Name, m.Says)
	}
	const file = "testdata/rules.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}
