package emit_test

import (
	"strings"
	"testing"

	"gpuperf/kernel/emit"
)

// A kernel is a function of C if one work-item runs it.
func TestC(t *testing.T) {
	alone, several := 0, 0
	for _, c := range cases {
		s, err := emit.Write(c.nest(t), emit.Options{Language: emit.C})
		switch {
		case err == nil:
			alone++
			if strings.Contains(s.Text, "__") {
				t.Errorf("%s:\n%s", c.name, s.Text)
			}
		case strings.Contains(err.Error(), "several work-items is no function of C"):
			several++
		case !strings.Contains(err.Error(), "C has no") && !strings.Contains(err.Error(), "not generated for"):
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if alone == 0 || several == 0 {
		t.Errorf("%d kernels of one work-item, %d of several", alone, several)
	}
}
