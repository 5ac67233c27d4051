package emulate

import "testing"

// Parts of blocks that follow each other go on to the last block; parts that overlap do not.
func TestInTurn(t *testing.T) {
	for _, c := range []struct {
		list []span
		want int64
	}{
		{[]span{{number: 4, from: 4000, to: 4900}, {number: 0, from: 0, to: 1000}}, 10000},
		{[]span{{number: 0, from: 0, to: 1000}, {number: 4, from: 900, to: 1900}}, 0},
		{[]span{{number: 3, from: 100, to: 200}}, 0},
		{[]span{{number: 0, from: 5000, to: 6000}, {number: 1, from: 0, to: 1000}}, 0},
	} {
		if got := inTurn(c.list, 10); got != c.want {
			t.Errorf("%v: %d bytes, want %d", c.list, got, c.want)
		}
	}
}
