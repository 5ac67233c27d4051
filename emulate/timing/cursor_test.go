package timing

import (
	"slices"
	"testing"
)

// A cursor tells which loop begins another iteration; iterations at whose end nothing is left to execute begin none.
func TestCursor(t *testing.T) {
	event := []Event{{Op: 1}}
	empty := Node{Body: []Node{{Events: event}}} // a loop that is not turned
	for name, c := range map[string]struct {
		nodes []Node
		again []int
	}{
		"a loop":                      {[]Node{{Body: []Node{{Events: event}}, Times: 3}}, []int{1, 1, 0}},
		"a loop in a loop":            {[]Node{{Body: []Node{{Body: []Node{{Events: event}}, Times: 2}}, Times: 2}}, []int{2, 1, 2, 0}},
		"an empty loop, and more":     {[]Node{{Events: event}, {Body: []Node{empty}, Times: 3}, {Events: event}}, []int{0, 0}},
		"an empty one ends the other": {[]Node{{Body: []Node{{Events: event}, {Body: []Node{empty}, Times: 2}}, Times: 2}}, []int{1, 0}},
	} {
		at := newCursor(&Trace{Nodes: c.nodes})
		var again []int
		for at.current() != nil {
			n := at.next()
			if at.current() == nil {
				n = 0
			} else if n >= len(at.frames) {
				t.Errorf("%s: loop %d begins again, of %d", name, n, len(at.frames)-1)
			}
			again = append(again, n)
		}
		if !slices.Equal(again, c.again) {
			t.Errorf("%s: %d, want %d", name, again, c.again)
		}
	}
}
