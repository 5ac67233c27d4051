// Package timeline shows what the warps of a sub-partition do, cycle by cycle, on a page of its own.
//
// Record takes the issues of one sub-partition from an emulation, and gives each warp a row until it ends. Write makes a page of them: a
// picture of all cycles, which needs nothing but a browser, and a view of some of them that is moved and magnified by a script in the page. Nothing
// is loaded from elsewhere.
package timeline

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"gpuperf/emulate"
	"gpuperf/emulate/timing"
)

// Options say what is recorded. The zero value is the default.
type Options struct {
	Cycles    int64 // from the start of the launch; 0 is 10,000
	Partition int
}

// Most is how many cycles a page can show.
const Most = 100_000

const usual = 10_000 // cycles: about a page that is quick to draw

// Timeline is what was recorded.
type Timeline struct {
	Result       *emulate.Result
	Cycles       float64 // that it spans
	Partition    int
	Issued       int
	rows         []row
	instructions []instruction
}

// row is a place for a warp, which others take after it.
type row struct {
	free   float64 // from when it can be taken
	warp   int     // that has it
	events []event
}

// event is the issue of an instruction, and what the warp waited for before it. Times are in cycles.
type event struct {
	at          float64
	instruction int
	off         bool
	block, warp int
	waits       [4]timing.Pause
}

// instruction is one that is issued.
type instruction struct {
	address, text, place string
	kind                 kind
	index                int
}

// Record records the launch of a result.
func Record(r *emulate.Result, o Options) *Timeline {
	cycles := o.Cycles
	if cycles == 0 {
		cycles = usual
	}
	t := &Timeline{Result: r, Partition: o.Partition}
	known, placed := map[int32]int{}, map[int]int{}
	r.Observe(func(i timing.Issue) bool {
		at := float64(i.At) / timing.Cycle
		if at < float64(cycles) {
			t.Cycles = min(max(t.Cycles, at+1), float64(cycles))
		} else if at > 2*float64(cycles) || !t.goesOn(float64(cycles)) {
			return false
		}
		if i.Partition != o.Partition {
			return true
		}
		index, ok := known[i.Op]
		if !ok {
			index = len(t.instructions)
			known[i.Op] = index
			one := instruction{kind: kindOf(r.Unit(int(i.Op))), index: int(i.Op)}
			one.address, one.text, one.place = r.Instruction(int(i.Op))
			one.place = path.Base(one.place)
			if one.place == "." {
				one.place = ""
			}
			t.instructions = append(t.instructions, one)
		}
		waited := float64(0)
		for _, w := range i.Waits {
			waited += float64(w.Time) / timing.Cycle
		}
		n, ok := placed[i.Warp]
		if at >= float64(cycles) && (at-waited >= float64(cycles) || !ok) {
			return true
		}
		if !ok {
			n = t.place(at - waited)
			placed[i.Warp] = n
		}
		own := &t.rows[n]
		own.warp, own.free = i.Warp, at+1
		own.events = append(own.events, event{at: at, instruction: index, off: i.Off, block: i.Block, warp: i.Warp, waits: i.Waits})
		if at < float64(cycles) {
			t.Issued++
		}
		return true
	})
	slices.SortStableFunc(t.rows, func(a, b row) int { return cmp.Compare(a.events[0].warp, b.events[0].warp) })
	return t
}

// goesOn reports whether a warp waits at a time for what comes later.
func (t *Timeline) goesOn(at float64) bool {
	return slices.ContainsFunc(t.rows, func(r row) bool {
		last := r.events[len(r.events)-1]
		return last.at < at && !t.ends(last)
	})
}

// place is a row for a warp that begins: one whose warp has ended, else a new one. A warp has ended if its last instruction is an exit.
func (t *Timeline) place(begins float64) int {
	at := slices.IndexFunc(t.rows, func(r row) bool {
		last := r.events[len(r.events)-1]
		return r.free <= begins+1 && t.ends(last)
	})
	if at < 0 {
		t.rows = append(t.rows, row{})
		at = len(t.rows) - 1
	}
	return at
}

func (t *Timeline) ends(e event) bool {
	text := t.instructions[e.instruction].text
	return !e.off && len(text) >= 4 && text[len(text)-4:] == "EXIT"
}

// kind is a group of units that share a colour.
type kind int

// The kinds.
const (
	integer kind = iota
	floating
	double
	special
	tensor
	memory
	control
	kinds
)

var kindNames = [kinds]string{"integer", "float32, float16", "float64", "functions, conversions", "matrices", "memory", "control"}

func kindOf(u timing.Unit) kind {
	switch u {
	case timing.ALU, timing.IMAD, timing.Uniform:
		return integer
	case timing.FMA, timing.FP16:
		return floating
	case timing.FP64:
		return double
	case timing.XU, timing.Convert, timing.Reduce:
		return special
	case timing.Tensor:
		return tensor
	case timing.Dispatch, timing.Branch, timing.Vote, timing.Barrier:
		return control
	}
	return memory
}

// Summary says what the timeline shows.
func (t *Timeline) Summary() string {
	return fmt.Sprintf("%d instructions of %d sub-groups in %.0f cycles of sub-partition %d", t.Issued, t.warps(), t.Cycles, t.Partition)
}

// warps is how many warps have issued.
func (t *Timeline) warps() int {
	seen := map[int]bool{}
	for _, r := range t.rows {
		for _, e := range r.events {
			seen[e.warp] = true
		}
	}
	return len(seen)
}
