package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/internal/golden"
	"gpuperf/lift/rules"
)

// The rules as they print, for reading and for seeing what a change changes.
func TestRulesPrint(t *testing.T) {
	var b strings.Builder
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "%-24s %s", r.Name, r)
		if len(r.Params) > 0 {
			fmt.Fprintf(&b, "   choosing %s", strings.Join(rules.ParamNames(r.Params), ", "))
		}
		if from := r.Origin(); from != "" {
			fmt.Fprintf(&b, "   [%s]", from)
		}
		b.WriteString("\n")
	}
	for _, m := range rules.Macros() {
		fmt.Fprintf(&b, "macro %-18s %s\n", m.Name, m.Says)
	}
	const file = "testdata/rules.txt"
	golden.Check(t, file, b.String())
}
