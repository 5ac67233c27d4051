package offload

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/scoptest"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/schedule"
	"pgregory.net/rapid"
)

// TestPolybench: the kernels of the examples compute what the order of the text does, work-item by work-item, without races.
func TestPolybench(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		t.Run(name, func(t *testing.T) {
			nests, err := scop.Load(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := nests[0]
			tiles := false
			p, err := find(n, schedule.Smart, Options{Map: func(f Form) Mapping { tiles = tiles || f.Tiles || f.Sweep.some(); return small(f) }})
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]int64{}
			for i, p := range n.Params {
				at[p] = 7 + int64(i%3)
			}
			check(t, p, at)
			if !tiles {
				return
			}
			check(t, again(t, p, Options{Map: ahead}), at)
			check(t, again(t, p, Options{Map: inTurns}), at)
		})
	}
}

// bothWays are the mappings of random programs.
var bothWays = []func(Form) Mapping{small, ahead}

// inTurns is ahead, with whole sums and two places of tiles, some of which have all their elements.
func inTurns(f Form) Mapping {
	m := ahead(f)
	if f.Tiles {
		m.Twice, m.Parts, m.Points, m.Depth = true, 0, []int64{1, 2}, 2
	}
	return m
}

// ahead is small, with operands on their way, tiles that no number of work-items divides, and sums of several points of a work-item where others share them.
func ahead(f Form) Mapping {
	m := small(f)
	if f.Pointwise && f.Jam.Count > 0 {
		m.Share, m.Depth = 1, 0
	}
	if f.Tiles {
		m.Points, m.Depth, m.Ahead, m.Parts = []int64{3, 2}, 5, true, 3
	}
	if f.Sweep.some() {
		m.Depth = 2 // lines are shared by parts of a work-group
	}
	if f.Sweep.Helped {
		m.Block[1] = 2
	}
	return m
}

// small is a mapping with little work-groups, so that sizes of some tens have several.
func small(f Form) Mapping {
	if f.Updates > 0 {
		m := Mapping{Block: []int64{4, 2, 2}, Points: []int64{3, 5, 4}, Steps: 2}
		if f.width(m) < 1 {
			m.Steps = 1
		}
		return m
	}
	m := Default(f)
	if f.Chain.Terms > 100 { // of about 1000: chunks of chunks of chunks
		m.Chunk = 3
	}
	for i := range m.Block {
		m.Block[i] = []int64{4, 2, 1}[i]
	}
	if f.Sweep.Helped {
		m.Block[1] = 1
	}
	if f.Pointwise {
		m.Points = make([]int64, f.Parallel)
	}
	for i := range m.Points {
		m.Points[i] = []int64{2, 3, 2}[i]
	}
	for i := range m.Side {
		m.Side[i] = 4
	}
	if m.Share > 1 {
		m.Share = 4
	}
	if m.Depth > 1 {
		m.Depth = 3
	}
	return m
}

// unchained is small, with chains in one launch.
func unchained(f Form) Mapping {
	m := small(f)
	m.Chunk = 0
	return m
}

// TestInOrder is TestPolybench for launches in the order of the text.
func TestInOrder(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		nests, err := scop.Load(t.Context(), file, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := deps.Analyze(nests[0])
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.InOrder(a)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(nests[0], tree, Options{Map: small})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int64{}
		for _, p := range nests[0].Params {
			at[p] = 6
		}
		check(t, p, at)
	}
}

type fataler interface {
	Fatalf(format string, args ...any)
}

// check compares what the program does to its arrays with what the nest does in the order of the text.
func check(t fataler, p *Program, at map[string]int64) {
	want := interpreted(t, p.Text, at)
	got := map[string]*interp.Buffer{}
	list, err := p.Plan(at)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, r := range list {
		run(t, r.Kernel, r.Sizes, got)
	}
	for _, a := range p.Text.Arrays {
		w, g := want[a.Name], got[a.Name]
		if a.Local || w == nil {
			continue
		}
		if g == nil { // no launch uses it
			g = interp.NewBuffer(a.DType, w.Len())
			fill(g, a.Name)
		}
		for i := range w.Len() {
			x, y := w.At(i), g.At(i)
			precision := 1e-9
			if a.DType == expr.Float32 {
				precision = 1e-5
			}
			if x != y && !(math.Abs(x-y) <= precision*max(1, math.Abs(x))) && !(math.IsNaN(x) && math.IsNaN(y)) { // sums have another order
				t.Fatalf("%s[%d] is %g, want %g", a.Name, i, y, x)
			}
		}
	}
}

// linearized are the programs of kernels that were interpreted last: those of loops of the host run many times.
var linearized struct {
	sync.Mutex
	of map[*kernel.Kernel]*linear.Nest
}

func inLoopsOf(t fataler, k *kernel.Kernel) *linear.Nest {
	const most = 64
	linearized.Lock()
	defer linearized.Unlock()
	if n := linearized.of[k]; n != nil {
		return n
	}
	n, err := linear.New(k)
	if err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	if linearized.of == nil || len(linearized.of) == most {
		linearized.of = map[*kernel.Kernel]*linear.Nest{}
	}
	linearized.of[k] = n
	return n
}

// texts are what nests that were checked last do in the order of their text, by nest and sizes: several programs are made of each.
var texts struct {
	sync.Mutex
	of map[textAt]map[string]*interp.Buffer
}

type textAt struct {
	nest *scop.Nest
	at   string
}

func interpreted(t fataler, n *scop.Nest, at map[string]int64) map[string]*interp.Buffer {
	const most = 64
	key := textAt{n, fmt.Sprint(at)}
	texts.Lock()
	defer texts.Unlock()
	if want := texts.of[key]; want != nil {
		return want
	}
	whole, err := n.Kernel()
	if err != nil {
		t.Fatalf("%v", err)
	}
	want := map[string]*interp.Buffer{}
	run(t, whole, at, want)
	if texts.of == nil || len(texts.of) == most {
		texts.of = map[textAt]map[string]*interp.Buffer{}
	}
	texts.of[key] = want
	return want
}

// again makes kernels in the order that was found for others of the nest.
func again(t *testing.T, p *Program, opt Options) *Program {
	t.Helper()
	if p.found == nil {
		t.Fatalf("%s is in the order of its text", p.Nest.Name)
	}
	tree, err := p.found.Launches()
	if err != nil {
		t.Fatal(err)
	}
	q, err := Compile(p.found.Nest, tree, opt)
	if err != nil {
		t.Fatal(err)
	}
	q.Text, q.found = p.Text, p.found
	return q
}

// inLoops is nil where all kernels can be put into loops.
func inLoops(p *Program) error {
	for _, k := range p.Kernels {
		if _, err := linear.New(k); err != nil {
			return err
		}
	}
	return nil
}

// run interprets a kernel. Arrays that are not there yet have data that depend on their name alone.
func run(t fataler, k *kernel.Kernel, at map[string]int64, buffers map[string]*interp.Buffer) {
	n := inLoopsOf(t, k)
	own := map[string]*interp.Buffer{}
	sizes := map[string]int64{}
	for _, name := range n.Kernel.Params() {
		sizes[name] = at[name]
	}
	for _, a := range n.Kernel.Args {
		switch {
		case a.IsValue && n.Kernel.IsParam(a.Name):
			continue
		case a.IsValue:
			own[a.Name] = interp.NewBuffer(a.DType, 1)
			fill(own[a.Name], a.Name)
			continue
		}
		count, err := a.Elements(sizes)
		if err != nil {
			t.Fatalf("%v", err)
		}
		b := buffers[a.Name]
		if b == nil {
			b = interp.NewBuffer(a.DType, int(count))
			fill(b, a.Name)
			buffers[a.Name] = b
		}
		own[a.Name] = b
	}
	if _, err := interp.Run(n, sizes, own); err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
}

func fill(b *interp.Buffer, name string) {
	for i := range b.Len() {
		h := uint32(i*7+len(name)*3+int(name[0])) * 2654435761
		h = (h ^ h>>15) * 2246822519
		b.Set(i, 1+float64(h>>26)/32)
	}
}

// TestRandomPrograms is TestPolybench for random nests.
func TestRandomPrograms(t *testing.T) {
	const programs = 12
	launched := 0
	for seed := range programs {
		text := rapid.Custom(func(t *rapid.T) string { return scoptest.Program(t, true) }).Example(seed)
		n := nestOf(t, "test.c", text)
		p, err := find(n, schedule.Fusions[seed%len(schedule.Fusions)], Options{Map: bothWays[seed/3%2]})
		if errors.Is(err, polycount.ErrBudget) {
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		launched++
		check(t, p, map[string]int64{"n": 6, "m": 5})
	}
	if launched < programs*2/3 {
		t.Errorf("%d of %d programs have launches", launched, programs)
	}
}

// TestOwnSums is TestRandomPrograms for nests whose sums read the arrays that they go into. LONG=1 tries many.
func TestOwnSums(t *testing.T) {
	programs := 30
	if os.Getenv("LONG") != "" {
		programs = 1000
	}
	refused := 0
	for seed := range programs {
		text := rapid.Custom(scoptest.Own).Example(seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Log(text)
				}
			}()
			n := nestOf(t, "test.c", text)
			p, err := find(n, schedule.Fusions[seed%len(schedule.Fusions)], Options{Map: bothWays[seed/3%2]})
			if err != nil { // as Find does
				p, err = inOrder(n, Options{Map: bothWays[seed/3%2]})
			}
			if err != nil || inLoops(p) != nil {
				refused++
				return
			}
			check(t, p, map[string]int64{"n": 6, "m": 5})
		})
	}
	t.Logf("%d of %d nests are refused", refused, programs)
	if refused > programs/50 {
		t.Error("too many are refused")
	}
}
