package explain

import (
	"strings"
	"testing"

	"gpuperf/samples"
)

// TestCodeNotes: where the code has what is counted nothing is said, and elsewhere what the compiler did.
func TestCodeNotes(t *testing.T) {
	load := func(counted float64, elsewhere int, widths ...CodeWidth) CodeAccess {
		return CodeAccess{Action: "load", Array: "a", Space: "global", Counted: counted, Bytes: 4, Widths: widths, Elsewhere: elsewhere}
	}
	for _, c := range []struct {
		access CodeAccess
		want   string // "" is no note
	}{
		{load(16, 13, CodeWidth{4, 16}), ""},
		{load(0.5, 0, CodeWidth{4, 1}), ""},
		{load(16, 0, CodeWidth{16, 4}), "loads of a: counted 16 × 4 B in a round, the code has 4, of up to 16 B: the compiler merged neighbours"},
		{load(16, 0, CodeWidth{4, 2}, CodeWidth{8, 3}), "the code has 5, of up to 8 B: the compiler merged neighbours, and keeps in registers"},
		{load(4, 0, CodeWidth{4, 1}), "the code has 1: the compiler keeps in registers what is used again"},
		{load(64, 64), "none in its loop and 64 outside: the compiler moved them out of the loop"},
		{load(2, 0), "the code has none"},
		{load(1, 0, CodeWidth{4, 3}), "the code has 3, of which a work-item may not execute all"},
	} {
		code := Code{Looped: true, Accesses: []CodeAccess{c.access}}
		code.note(samples.CodePart{})
		if got := strings.Join(code.Notes, "; "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q, not %q", c.access, got, c.want)
		}
	}
	spilled := Code{}
	spilled.note(samples.CodePart{Accesses: map[samples.CodeAccess]int{{Space: "private", Action: "load", Bytes: 4}: 3, {Space: "private", Action: "load", Bytes: 8}: 1}})
	if got := strings.Join(spilled.Notes, "; "); !strings.HasPrefix(got, "4 loads of 20 B together in private memory for a work-item") {
		t.Error(got)
	}
}

// TestJoined: arrays that the code does not tell apart are compared together.
func TestJoined(t *testing.T) {
	counted := []CodeAccess{
		{Action: "load", Array: "a", Space: "global", Counted: 2, Bytes: 8},
		{Action: "load", Array: "b", Space: "global", Counted: 1, Bytes: 4},
		{Action: "store", Array: "b", Space: "global", Counted: 1, Bytes: 4},
		{Action: "load", Array: "t", Space: "local", Counted: 3, Bytes: 4},
		{Action: "load", Array: "u", Space: "local", Counted: 4, Bytes: 4},
	}
	text := func(list []CodeAccess) string {
		var all []string
		for _, a := range list {
			all = append(all, a.what()+strings.Repeat("+", int(a.Counted)))
		}
		return strings.Join(all, "; ")
	}
	for _, c := range []struct {
		code samples.CodeAccess
		want string
	}{
		{samples.CodeAccess{Space: "global", Action: "load", Array: "a"}, "loads of a++; loads of b+; stores of b+; loads in local memory+++++++"},
		{samples.CodeAccess{Space: "generic", Action: "load"}, "loads in global memory+++; stores of b+; loads in local memory+++++++"},
	} {
		if got := text(joined(counted, counted, map[samples.CodeAccess]int{c.code: 1})); got != c.want {
			t.Errorf("%v: %s, not %s", c.code, got, c.want)
		}
	}
}
