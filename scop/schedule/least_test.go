package schedule

import "testing"

// TestLeast: the least distance of dependent iterations is that of the corners of where they are, rounded down, and there is none where they go on in a
// direction that makes it less.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		what    string
		corners []corner // of (i, j) and, from it, (i', j')
		row     []int64
		least   int64
		bounded bool
	}{
		{"one distance", []corner{{one: 1, from: []int64{0, 0}, to: []int64{1, -1}}}, []int64{2, 1}, 1, true},
		{"the first corner has it", []corner{{one: 1, from: []int64{0, 0}, to: []int64{1, 0}}, {one: 1, from: []int64{0, 0}, to: []int64{4, 0}}}, []int64{1, 0}, 1, true},
		{"the last corner has it", []corner{{one: 1, from: []int64{0, 0}, to: []int64{4, 0}}, {one: 1, from: []int64{5, 5}, to: []int64{3, 5}}}, []int64{1, 0}, -2, true},
		{"half an iteration", []corner{{one: 2, from: []int64{0, 0}, to: []int64{-1, 4}}, {one: 2, from: []int64{0, 0}, to: []int64{3, 4}}}, []int64{1, 0}, -1, true},
		{"without end upwards", []corner{{one: 1, from: []int64{0, 0}, to: []int64{3, 0}}, {one: 0, from: []int64{0, 0}, to: []int64{1, 0}}}, []int64{1, 0}, 3, true},
		{"without end downwards", []corner{{one: 1, from: []int64{0, 0}, to: []int64{3, 0}}, {one: 0, from: []int64{0, 0}, to: []int64{1, 0}}}, []int64{-1, 0}, 0, false},
		{"along what does not count", []corner{{one: 1, from: []int64{0, 0}, to: []int64{3, 0}}, {one: 0, from: []int64{0, 0}, to: []int64{1, 0}}}, []int64{0, 1}, 0, true},
	} {
		least, bounded := (&edge{corners: c.corners}).least(c.row, c.row)
		if least != c.least || bounded != c.bounded {
			t.Errorf("%s: %d, %v; want %d, %v", c.what, least, bounded, c.least, c.bounded)
		}
	}
}
