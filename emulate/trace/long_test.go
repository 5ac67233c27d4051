package trace

import (
	"context"
	"math"
	"os"
	"testing"

	"gpuperf/compile"
	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// In a long loop on data, iterations stand for others: a warp executes as many instructions as without, of each opcode and with as many turns of barriers.
func TestLong(t *testing.T) {
	out := func(dtype string) device.Arg {
		return device.Arg{Name: "out", Kind: device.Buffer, DType: dtype, Count: 1 << 16}
	}
	near := device.Arg{Kind: device.Scalar, DType: "float32", Float: 0.05}
	x := device.Arg{Name: "x", Kind: device.Buffer, DType: "float32", Count: 4096}
	for _, c := range []struct {
		file, kernel string
		args         []device.Arg
		within       float64 // of all instructions, and of those of an opcode
		part         float64 // that is executed, at most
	}{
		{"cutoff", "cutoff", append(buffers("x", "y", "z", "m", "out"), number(3000), near), 0.005, 1},
		{"cutoff", "cutoff", append(buffers("x", "y", "z", "m", "out"), number(30000), near), 0.01, 0.4},
		{"waits", "walk", []device.Arg{out("float32"), x, number(400), number(4096)}, 0.05, 1},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			l, err := sass.ReadFile(context.Background(), "../launches/testdata/"+c.file+".sass")
			if err != nil {
				t.Fatal(err)
			}
			var f *sass.Function
			for _, one := range l.Functions {
				if one.Name == c.kernel {
					f = one
				}
			}
			var blocks [2]*timing.Block
			var steps [2]int
			for i := range blocks {
				x, err := exec.New(f, device.Job{Entry: f.Name, Global: []int64{256}, Local: []int64{64}, Args: c.args}, exec.Assumptions{})
				if err != nil {
					t.Fatal(err)
				}
				b := New(x)
				if b.whole = i == 1; !b.whole {
					b.keeps = 20_000
				}
				blocks[i] = b.Block([3]uint32{1})
				steps[i] = b.Steps
				if !b.whole && (b.Long == 0 || blocks[i].Cut) {
					t.Fatalf("%d instructions are counted alone, cut off %v", b.Long, blocks[i].Cut)
				}
			}
			t.Logf("%d of %d instructions are executed", steps[0], steps[1])
			if float64(steps[0]) > c.part*float64(steps[1]) {
				t.Errorf("%d of %d instructions are executed, %g at most are expected", steps[0], steps[1], c.part)
			}
			for i := range blocks[0].Warps {
				got, want := perOpcode(f, blocks[0].Warps[i].Nodes, 1), perOpcode(f, blocks[1].Warps[i].Nodes, 1)
				all := float64(blocks[1].Warps[i].Count())
				for name, n := range want {
					if off := float64(got[name]-n) / all; off > c.within || off < -c.within {
						t.Errorf("warp %d: %d %s, want %d", i, got[name], name, n)
					}
				}
				if n := blocks[0].Warps[i].Count(); float64(n) < all*(1-c.within) || float64(n) > all*(1+c.within) {
					t.Errorf("warp %d executes %d instructions, want %g", i, n, all)
				}
				if kept := len(blocks[0].Warps[i].Nodes); kept == 0 {
					t.Error("nothing is kept")
				}
			}
		})
	}
}

// perOpcode is how many instructions of each opcode nodes have that are executed so many times.
func perOpcode(f *sass.Function, nodes []timing.Node, times int64) map[string]int64 {
	out := map[string]int64{}
	for i := range nodes {
		for _, e := range nodes[i].Events {
			out[f.Instructions[e.Op].Name] += times
		}
		if nodes[i].Body != nil {
			for name, n := range perOpcode(f, nodes[i].Body, times*nodes[i].Times) {
				out[name] += n
			}
		}
	}
	return out
}

// Accesses that go on in one direction move on by as much as they have moved in the iterations that stand for others; others stay.
func TestDrift(t *testing.T) {
	var items []item
	access := func(op int32, at int64) {
		items = append(items, item{event: timing.Event{Op: op, Touch: &timing.Touched{Lanes: []int64{at}}}})
	}
	for i := range int64(10) {
		access(1, 128*i)
		access(2, -64*i)
		access(3, i%2*4096)
	}
	moved := drift(items)
	for i, want := range []int64{1280, -640, 0} {
		if got := moved.touches[items[i].event.Touch].All; got != want {
			t.Errorf("access %d moves by %d, want %d", i, got, want)
		}
	}
}

// Iterations that were alike count as so many where others behind them stand for the rest of the loop: a triangle of levels, each like the one before but now
// and then.
func TestLongBehindAlike(t *testing.T) {
	text, err := os.ReadFile("../../testdata/emulate/finance.cu")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile.Kernel(t.Context(), string(text), "tree", compile.Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	real := func(v float64) device.Arg { return device.Arg{Kind: device.Scalar, DType: "float32", Float: v} }
	job := device.Job{Entry: "tree", Global: []int64{256}, Local: []int64{256}, Dynamic: 4096, Args: append(buffers("strike", "out"), number(1023), real(0.01), real(0.51), real(0.9999))}
	var counts [2]int64
	for i := range counts {
		x, err := exec.New(p.Function, job, exec.Assumptions{})
		if err != nil {
			t.Fatal(err)
		}
		b := New(x)
		if b.whole = i == 1; !b.whole {
			b.keeps = 60_000
		}
		for _, w := range b.Block([3]uint32{}).Warps {
			counts[i] += w.Count()
		}
	}
	const within = 0.25 // levels become shorter: those that stand for others are longer than these
	if off := float64(counts[0])/float64(counts[1]) - 1; math.Abs(off) > within {
		t.Errorf("%d instructions, want %d", counts[0], counts[1])
	}
}
