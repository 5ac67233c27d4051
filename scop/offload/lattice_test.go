package offload

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// TestLattices: kernels of orders whose loops skip values, as 2·i or i + 2·j do, are right or are refused. LONG=1 takes all examples, and more orders.
func TestLattices(t *testing.T) {
	names, draws := []string{"gemm", "mvt", "jacobi-2d", "trmm"}, 2
	if os.Getenv("LONG") != "" {
		names, draws = slices.Sorted(maps.Keys(sizesOf)), 6
	}
	right, refused := 0, 0
	for _, name := range names {
		n := example(t, name, "double")
		at := map[string]int64{}
		for i, p := range n.Params {
			at[p] = 7 + int64(i%3)
		}
		for draw := range draws {
			found, err := schedule.Search(n, schedule.Launches, schedule.Options{Fusion: schedule.Smart})
			if err != nil {
				t.Fatal(err)
			}
			tree, err := found.Launches()
			if err != nil {
				t.Fatal(err)
			}
			spread{rand.New(rand.NewPCG(uint64(draw), 1))}.node(tree)
			p, err := Compile(found.Nest, tree, Options{Map: small})
			if err == nil {
				err = inLoops(p)
			}
			if err != nil {
				t.Logf("%s, draw %d: %v", name, draw, err)
				refused++
				continue
			}
			p.Text = n
			right++
			t.Run(fmt.Sprintf("%s-%d", name, draw), func(t *testing.T) { check(t, p, at) })
		}
	}
	t.Logf("%d orders compiled, %d refused", right, refused)
	if right < refused {
		t.Errorf("%d orders refused of %d", refused, right+refused)
	}
}

// spread changes the loops of a tree to random ones that run the same points in an order as legal: parallel loops to independent combinations of each other, and others to
// multiples, with multiples of parallel loops added.
type spread struct{ *rand.Rand }

func (r spread) node(n schedule.Node) {
	switch x := n.(type) {
	case *schedule.Sequence:
		for _, part := range x.Parts {
			r.node(part)
		}
	case *schedule.Band:
		r.band(x)
		r.node(x.Body)
	case *schedule.Launch:
		if x.Host == nil && x.Tiled == nil { // else it shares loops with other trees
			r.node(x.Body)
		}
	}
}

func (r spread) band(b *schedule.Band) {
	var parallel []int
	for i, l := range b.Loops {
		if l.Parallel {
			parallel = append(parallel, i)
		}
	}
	old := slices.Clone(b.Loops)
	for at, i := range parallel { // a triangle with no zero on its diagonal is regular
		factors := map[int]int64{i: r.factor()}
		for _, j := range parallel[:at] {
			factors[j] = int64(r.IntN(5)) - 2
		}
		b.Loops[i].Of = combined(old, factors)
	}
	for i, l := range old {
		if l.Parallel {
			continue
		}
		factors := map[int]int64{i: 1 + int64(r.IntN(3))}
		for _, j := range parallel {
			factors[j] = int64(r.IntN(3)) - 1
		}
		b.Loops[i].Of = combined(old, factors)
	}
}

// factor is from −3 to 3 and not 0.
func (r spread) factor() int64 {
	v := 1 + int64(r.IntN(3))
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

func combined(loops []schedule.Loop, factors map[int]int64) map[*scop.Statement]polycount.Affine {
	out := map[*scop.Statement]polycount.Affine{}
	for s := range loops[0].Of {
		a := polycount.Int(0)
		for _, i := range slices.Sorted(maps.Keys(factors)) {
			a = a.AddScaled(factors[i], loops[i].Of[s])
		}
		out[s] = a
	}
	return out
}
