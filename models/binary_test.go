package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twofold = `version: 1
name: mine
output: f_cl_wall_time
terms:
  issue: p_single * f_a + p_turn * f_b
  memory: p_read * f_c
expression: issue + memory
parameters:
  p_single: {init: 1e-12, unit: s per instruction}
  p_turn: {init: 3e-12}
  p_read: {min: 0}
fit: {scale_by_output: true}
measure:
  - tags: [empty_kernel]
    match: superset
binary:
  terms:
    issue: p_single * f_d + p_logic * f_e
  parameters:
    p_single: {init: 2e-12}
    p_logic: {max: 1}
`

// TestWithBinary replaces terms, and the parameters that go with them.
func TestWithBinary(t *testing.T) {
	m, err := Parse("", []byte(twofold))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(twofold, m.String()); diff != "" {
		t.Errorf("printed otherwise:\n%s", diff)
	}
	with, err := m.WithBinary()
	if err != nil {
		t.Fatal(err)
	}
	want := `version: 1
name: mine_binary
output: f_cl_wall_time
terms:
  issue: p_single * f_d + p_logic * f_e
  memory: p_read * f_c
expression: issue + memory
parameters:
  p_single: {init: 2e-12}
  p_logic: {max: 1}
  p_read: {min: 0}
fit: {scale_by_output: true}
measure:
  - tags: [empty_kernel]
    match: superset
`
	if diff := cmp.Diff(want, with.String()); diff != "" {
		t.Errorf("with the binary:\n%s", diff)
	}
	if none, err := with.WithBinary(); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
}

func TestBadBinary(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"    issue: p_single * f_d + p_logic * f_e", "    isue: f_d", "did you mean issue?"},
		{"p_logic * f_e", "p_logic * ", "is missing after"},
		{"p_logic * f_e", "logic", "with the binary: "},
		{"    p_logic: {max: 1}", "    p_logik: {max: 1}", "has no parameter \"p_logik\""},
		{"    p_logic: {max: 1}", "    p_logic: {most: 1}", "most"},
		{"  terms:\n    issue: p_single * f_d + p_logic * f_e\n", "", "replaces no term"},
	} {
		text := strings.Replace(twofold, test.from, test.to, 1)
		if text == twofold {
			t.Fatalf("%q is not in the model", test.from)
		}
		if _, err := Parse("", []byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.to, err, test.want)
		}
	}
}
