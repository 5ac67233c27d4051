package timing

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// list gives blocks.
type list []*Block

func (l *list) Next() *Block {
	if len(*l) == 0 {
		return nil
	}
	b := (*l)[0]
	*l = (*l)[1:]
	return b
}

// one is a machine with one unit.
func one(latency, gap int64) *Machine {
	m := &Machine{Partitions: 1, Depth: 1, Fair: true}
	m.Units[Dispatch] = Resource{Latency: Cycle, Gap: Cycle}
	m.Units[XU] = Resource{Latency: latency * Cycle, Gap: gap * Cycle}
	return m
}

// chains are warps that each go through chains of dependent instructions, side by side.
func chains(warps, parallel, phases int) ([]Op, *list) {
	var ops []Op
	body := Node{}
	for i := range parallel {
		ops = append(ops, Op{Unit: XU, Written: NoBoard, Read: NoBoard, Defines: []uint16{uint16(i)}, Uses: []uint16{uint16(i)}})
		body.Events = append(body.Events, Event{Op: int32(i)})
	}
	b := &Block{}
	for range warps {
		b.Warps = append(b.Warps, &Trace{Nodes: []Node{{Body: []Node{body}, Times: int64(phases)}}})
	}
	return ops, &list{b}
}

// Section 3.2 of Hong et al. gives the time of C = warps x chains in P phases on one resource of latency L and gap G.
func TestClosedForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		warps, parallel := rapid.IntRange(1, 16).Draw(t, "warps"), rapid.IntRange(1, 6).Draw(t, "chains")
		phases := rapid.IntRange(1, 200).Draw(t, "P")
		gap := int64(rapid.IntRange(1, 40).Draw(t, "G"))
		latency := gap + int64(rapid.IntRange(0, 600).Draw(t, "L-G"))
		c, p := int64(warps*parallel), int64(phases)
		want := latency*p + (c-1)*gap
		if latency <= c*gap {
			want = latency + (c*p-1)*gap
		}
		for _, skip := range []bool{false, true} {
			ops, blocks := chains(warps, parallel, phases)
			r := one(latency, gap).Run(ops, blocks, Options{Resident: 1, NoSkip: !skip})
			if r.Finished != want*Cycle || !r.Exact || r.Issued != c*p {
				t.Fatalf("skip %v: %d for %d warps of %d chains, L %d, G %d, P %d; want %d (exact %v, %d issued)",
					skip, r.Finished/Cycle, warps, parallel, latency, gap, phases, want, r.Exact, r.Issued)
			}
		}
	})
}

// Long loops take no longer to emulate than short ones.
func TestSkip(t *testing.T) {
	ops, blocks := chains(16, 3, 1_000_000_000)
	r := one(100, 3).Run(ops, blocks, Options{Resident: 1})
	if want := int64(100+(48*1_000_000_000-1)*3) * Cycle; r.Finished != want || r.Stepped > 10_000 {
		t.Fatal(r.Finished, "want", want, fmt.Sprint("in ", r.Stepped, " steps"))
	}
}
