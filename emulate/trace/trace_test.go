package trace

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// written are the instructions of a trace, one by one, with the addresses of their lanes.
func written(nodes []timing.Node, trips []int64) (out []string) {
	for i := range nodes {
		for _, e := range nodes[i].Events {
			text := fmt.Sprint(e.Op, e.Off)
			if t := e.Touch; t != nil {
				lanes := slices.Clone(t.Lanes)
				for level, s := range t.Steps {
					for lane := range lanes {
						lanes[lane] += trips[level] * s.All
						if s.Each != nil {
							lanes[lane] += trips[level] * s.Each[lane]
						}
					}
				}
				text += fmt.Sprint(lanes)
			}
			if m := e.Meet; m != nil {
				at := m.Phase
				for level, s := range m.Steps {
					at += trips[level] * s
				}
				text += fmt.Sprint(m.Kind, m.At, at, m.Count, m.Of, m.Bytes)
			}
			out = append(out, text)
		}
		for trip := range nodes[i].Times {
			out = append(out, written(nodes[i].Body, append(trips[:len(trips):len(trips)], trip))...)
		}
	}
	return out
}

func buffers(names ...string) (list []device.Arg) {
	for _, n := range names {
		list = append(list, device.Arg{Name: n, Kind: device.Buffer, DType: "float32", Count: 1 << 16})
	}
	return list
}

func number(n int64) device.Arg { return device.Arg{Kind: device.Scalar, DType: "int32", Int: n} }

// A trace with loops is what is executed without leaving any early.
func TestLoops(t *testing.T) {
	for _, c := range []struct {
		listing string
		args    []device.Arg
		block   []int64
		shorter bool // than what is executed
	}{
		{"matmul", append([]device.Arg{number(160)}, buffers("a", "b", "c")...), []int64{16, 16}, true},
		{"reduce", append([]device.Arg{number(50000)}, buffers("x", "y")...), []int64{256}, true},
		{"../../emulate/trace/testdata/ring", append(buffers("x", "y"), number(16*1024), number(8)), []int64{160}, true},
		{"later", append(buffers("x", "y"), number(19*1024), number(5)), []int64{160}, true},
		{"../../emulate/trace/testdata/turns", append(buffers("x", "y"), number(100)), []int64{128}, true},
		{"stencil", append([]device.Arg{number(64), number(64), number(40)}, buffers("x", "y")...), []int64{16, 16}, true},
	} {
		t.Run(c.listing, func(t *testing.T) {
			path := "../../testdata/sass/" + c.listing + ".sass"
			if c.listing == "later" {
				path = announcedLater(t)
			}
			l, err := sass.ReadFile(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			f := l.Functions[0]
			global := slices.Clone(c.block)
			for i := range global {
				global[i] *= 4
			}
			var blocks [2]*timing.Block
			var steps [2]int
			for i := range blocks {
				x, err := exec.New(f, device.Job{Entry: f.Name, Global: global, Local: c.block, Args: c.args}, exec.Assumptions{})
				if err != nil {
					t.Fatal(err)
				}
				b := New(x)
				b.whole = i == 1
				blocks[i], steps[i] = b.Block([3]uint32{1, uint32(len(c.block) - 1)}), b.Steps
			}
			if c.shorter && steps[0] >= steps[1] {
				t.Error("no loop is left early:", steps)
			}
			for i := range blocks[1].Warps {
				got, want := written(blocks[0].Warps[i].Nodes, nil), written(blocks[1].Warps[i].Nodes, nil)
				if !slices.Equal(got, want) {
					t.Fatalf("warp %d executes %d instructions, want %d", i, len(got), len(want))
				}
				if blocks[0].Warps[i].Count() != int64(len(want)) {
					t.Error("counted", blocks[0].Warps[i].Count(), "want", len(want))
				}
			}
		})
	}
}

// announcedLater writes the ring with the bytes of each phase announced behind the copy that brings them.
func announcedLater(t *testing.T) (path string) {
	text, err := os.ReadFile("testdata/ring.sass")
	if err != nil {
		t.Fatal(err)
	}
	announcement, lines := "", strings.Split(string(text), "\n")
	for i, line := range lines {
		place, instruction, _ := strings.Cut(line, "*/ ")
		switch {
		case strings.Contains(instruction, "SYNCS.ARRIVE.TRANS64 RZ"):
			announcement, lines[i] = instruction, place+"*/ NOP ;"
		case strings.Contains(instruction, "BRA.U.ANY"): // one lane copies
			lines[i] = place + "*/ " + announcement
		}
	}
	path = filepath.Join(t.TempDir(), "later.sass")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameSign says how often a step can be added: checked one by one.
func TestSameSign(t *testing.T) {
	sign := func(n int64) int { return map[bool]int{true: 1}[n > 0] - map[bool]int{true: 1}[n < 0] }
	for value := int64(-20); value <= 20; value++ {
		for step := int64(-7); step <= 7; step++ {
			want := int64(0)
			for v := value; want < 100 && sign(v+step) == sign(value); v += step {
				want++
			}
			if got := sameSign(value, step); min(got, 100) != want {
				t.Errorf("%d + n * %d keeps its sign %d times, got %d", value, step, want, got)
			}
		}
	}
}

// Lanes that want different words of one bank are served one after the other.
func TestWaves(t *testing.T) {
	for _, c := range []struct {
		stride, width, want int64
	}{{4, 4, 1}, {8, 4, 2}, {12, 4, 1}, {128, 4, 32}, {132, 4, 1}, {0, 4, 1}, {8, 8, 2}, {16, 16, 4}, {32, 16, 8}, {64, 8, 16}} {
		touch := &timing.Touched{Space: timing.SharedSpace, Width: c.width}
		for i := range int64(exec.WarpSize) {
			touch.Lanes = append(touch.Lanes, i*c.stride)
		}
		if got := waves(touch); got != c.want {
			t.Errorf("lanes of %d B, %d B apart, take %d cycles, want %d", c.width, c.stride, got, c.want)
		}
	}
}

// Lanes that want different constants are served one after the other, also where these are bytes of one word.
func TestConstantWaves(t *testing.T) {
	for _, c := range []struct{ apart, width, want int64 }{{0, 1, 1}, {1, 1, 32}, {2, 2, 32}, {4, 4, 32}, {8, 8, 32}} {
		touch := &timing.Touched{Space: timing.ConstantSpace, Width: c.width}
		for i := range int64(exec.WarpSize) {
			touch.Lanes = append(touch.Lanes, i*c.apart)
		}
		if got := waves(touch); got != c.want {
			t.Errorf("constants of %d B, %d B apart, take %d cycles, want %d", c.width, c.apart, got, c.want)
		}
	}
}

// Only what decides about addresses and jumps is needed.
func TestNeeded(t *testing.T) {
	l, err := sass.ReadFile(context.Background(), "../../testdata/sass/matmul.sass")
	if err != nil {
		t.Fatal(err)
	}
	f := l.Functions[0]
	n := needed(f)
	for i := range f.Instructions {
		in := &f.Instructions[i]
		switch {
		case in.Name == "FFMA" && n.result[i]:
			t.Errorf("%s is needed", in)
		case (in.Name == "ISETP" || in.Name == "IMAD" && in.Has("WIDE")) && !n.result[i]:
			t.Errorf("%s is not needed", in)
		}
	}
	if bits.OnesCount64(n.before[0][0][0]) != 0 {
		t.Error("a register is needed that nothing defines")
	}
}

// Loads of a vector from shared memory are served for twice as many lanes where lanes next to each other, or next but one, want the same.
func TestTogether(t *testing.T) {
	of := func(f func(lane int64) int64) (list []int64) {
		for i := range int64(exec.WarpSize) {
			list = append(list, 16*f(i))
		}
		return list
	}
	apart := of(func(i int64) int64 { return i })
	next, nextButOne, both := of(func(i int64) int64 { return i / 2 }), of(func(i int64) int64 { return i/4*2 + i%2 }), of(func(i int64) int64 { return i / 4 })
	almost := append([]int64{1000}, next[1:]...)
	for _, c := range []struct {
		touch timing.Touched
		want  int
	}{
		{timing.Touched{Space: timing.SharedSpace, Width: 4, Lanes: apart}, 32},
		{timing.Touched{Space: timing.SharedSpace, Width: 8, Lanes: apart}, 16},
		{timing.Touched{Space: timing.SharedSpace, Width: 8, Lanes: next}, 32},
		{timing.Touched{Space: timing.SharedSpace, Width: 16, Lanes: apart}, 8},
		{timing.Touched{Space: timing.SharedSpace, Width: 16, Lanes: next}, 16},
		{timing.Touched{Space: timing.SharedSpace, Width: 16, Lanes: nextButOne}, 16},
		{timing.Touched{Space: timing.SharedSpace, Width: 16, Lanes: both}, 16},
		{timing.Touched{Space: timing.SharedSpace, Width: 16, Lanes: almost}, 8},
		{timing.Touched{Space: timing.SharedSpace, Width: 16, Lanes: next, Store: true}, 8},
		{timing.Touched{Space: timing.GlobalSpace, Width: 16, Lanes: next}, 8},
		{timing.Touched{Space: timing.GlobalSpace, Width: 4, Lanes: next}, 32},
	} {
		if got := together(&c.touch); got != c.want {
			t.Errorf("%+v: %d lanes at once, want %d", c.touch, got, c.want)
		}
	}
}
