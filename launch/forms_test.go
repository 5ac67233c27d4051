package launch

import (
	"maps"
	"slices"
	"testing"

	"gpuperf/kernel/linear"

	"pgregory.net/rapid"
)

// valued draws an affine expression, with quotients to a depth, and its value.
func valued(t *rapid.T, sizes []int64, slots map[int]int64, depth int) (*linear.Form, int64) {
	f := &linear.Form{Constant: rapid.Int64Range(-9, 9).Draw(t, "constant")}
	value := f.Constant
	for i, v := range sizes {
		if k := rapid.Int64Range(-3, 3).Draw(t, "of a size"); k != 0 {
			f.Terms = append(f.Terms, linear.SlotTerm{Coeff: k, Slot: -1 - i})
			value += k * v
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(slots)) {
		if k := rapid.Int64Range(-3, 3).Draw(t, "of a variable"); k != 0 {
			f.Terms = append(f.Terms, linear.SlotTerm{Coeff: k, Slot: slot})
			value += k * slots[slot]
		}
	}
	if depth > 0 && rapid.Bool().Draw(t, "quotient") {
		num, v := valued(t, sizes, slots, depth-1)
		k, den := rapid.Int64Range(1, 3).Draw(t, "times"), rapid.Int64Range(1, 7).Draw(t, "divisor")
		f.Floors = append(f.Floors, linear.FloorTerm{Coeff: k, Num: num, Den: den})
		q := v / den
		for q*den > v { // towards minus infinity
			q--
		}
		value += k * q
	}
	return f, value
}

// TestForms: at one point an affine expression has its value, be it a form or what it is in the middle of a launch.
func TestForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 50), 3, 3).Draw(t, "sizes")
		s := &scene{sizes: sizes, centre: &centre{}}
		slots := map[int]int64{}
		for _, slot := range []int{0, 1, linear.GroupSlot, linear.LoopSlot} {
			v := rapid.Int64Range(0, 40).Draw(t, "variable")
			slots[slot], s.env[variable(slot)], s.centre.at[variable(slot)] = v, form{c: v}, v
		}
		f, want := valued(t, sizes, slots, 2)
		if got := s.middle(f); got != want {
			t.Errorf("in the middle it is %d, not %d", got, want)
		}
		s.centre = nil
		if got, ok := s.affine(f); !ok || got != (form{c: want}) {
			t.Errorf("it is %+v, %v, not %d", got, ok, want)
		}
	})
}

// TestPartialSectors: a store to global memory covers those sectors of which it stores all bytes.
func TestPartialSectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SampledFrom([]int64{1, 2, 4, 8, 16}).Draw(t, "bytes")
		w := &walk{scratch: &scratch{}}
		stored := map[int64]int64{} // of the bytes of a sector
		seen := map[int64]bool{}
		dense := rapid.Int64Range(1, 3).Draw(t, "spread")
		for i := range int32(banks) {
			at := bytes * rapid.Int64Range(0, banks*dense-1).Draw(t, "element")
			if rapid.Bool().Draw(t, "in a row") {
				at = bytes * int64(i)
			}
			w.addr, w.at = append(w.addr, at), append(w.at, i)
			for b := at; b < at+bytes; b++ {
				if !seen[b] {
					seen[b] = true
					stored[b/SectorBytes]++
				}
			}
		}
		partial := int64(0)
		for _, n := range stored {
			if n < SectorBytes {
				partial++
			}
		}
		if got := w.count(bytes, true); got.sectors != int64(len(stored)) || got.partial != partial {
			t.Errorf("%d of %d sectors are stored in part, not %d of %d", got.partial, got.sectors, partial, len(stored))
		}
	})
}
