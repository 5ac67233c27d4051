package main

import (
	"strings"
	"testing"

	"gpuperf/lift"
)

// The program in the help of perf lift is one, and nothing of the language is left out.
func TestLiftLanguage(t *testing.T) {
	text := liftLanguage()
	var program []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "f o g") {
			break
		}
		if strings.HasPrefix(line, "  ") {
			program = append(program, line)
		}
	}
	if p, err := lift.Parse(strings.Join(program, "")); err != nil || len(p.Funs) != 1 {
		t.Errorf("%v\n%s", err, program)
	}
	for _, name := range append(lift.Usages(), lift.Builtins()...) {
		if !strings.Contains(text, " "+name) {
			t.Errorf("%s is not in the help", name)
		}
	}
	for _, clause := range []string{"where", "associative", "commutative", "neutral", `c "`, "ops"} {
		if !strings.Contains(text, " "+clause) {
			t.Errorf("%s is not in the help", clause)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 140 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}
