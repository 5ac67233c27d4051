package timing

import "testing"

// An observer sees every issue, in order, with all that warps wait for; without one, and where it stops, nothing else changes.
func TestObserve(t *testing.T) {
	ops, blocks := chains(5, 2, 40)
	var waited [Reasons]int64
	issued, last := int64(0), int64(0)
	m := one(30, 4)
	r := m.Run(ops, blocks, Options{Resident: 1, NoSkip: true, Observe: func(i Issue) bool {
		issued++
		if i.At < last || i.Block != 0 || i.Warp > 4 || i.Partition != 0 {
			t.Fatalf("%+v after %d", i, last)
		}
		last = i.At
		for _, w := range i.Waits {
			if w.Time < 0 {
				t.Fatalf("%+v", i)
			}
			waited[w.Reason] += w.Time
		}
		return true
	}})
	var want [Reasons]int64
	for _, o := range r.Ops {
		for reason, n := range o.Waited {
			want[reason] += n
		}
	}
	if issued != r.Issued || waited != want {
		t.Errorf("%d issues of %d, waits %v, want %v", issued, r.Issued, waited, want)
	}
	_, again := chains(5, 2, 40)
	if plain := m.Run(ops, again, Options{Resident: 1, NoSkip: true}); plain.Finished != r.Finished || plain.Issued != r.Issued {
		t.Errorf("%d, and %d when nobody looks", r.Finished, plain.Finished)
	}
	_, short := chains(5, 2, 40)
	seen := 0
	m.Run(ops, short, Options{Resident: 1, Observe: func(Issue) bool { seen++; return seen < 7 }})
	if seen != 7 {
		t.Errorf("told of %d issues", seen)
	}
}
