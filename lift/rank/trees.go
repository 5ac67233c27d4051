package rank

import (
	"math"
	"math/rand/v2"
)

// Extremely randomized trees (Geurts, Ernst and Wehenkel, 2006): each node tries some features, each at one random threshold,
// and takes the one that leaves least variance.
const (
	treeCount = 64
	leafSize  = 5
	treeSeed  = 20260101
)

// treeNode is a leaf where right is 0.
type treeNode struct {
	feature   int
	threshold float64
	left      int
	right     int
	value     float64
}

type tree []treeNode

func (t tree) predict(row []float64) float64 {
	at := 0
	for t[at].right > 0 {
		if row[t[at].feature] <= t[at].threshold {
			at = t[at].left
		} else {
			at = t[at].right
		}
	}
	return t[at].value
}

type grower struct {
	t     *training
	rng   *rand.Rand
	tries int
	out   tree
}

func (g *grower) grow(index []int) int {
	at := len(g.out)
	g.out = append(g.out, treeNode{})
	mean := 0.0
	for _, i := range index {
		mean += g.t.values[i] / float64(len(index))
	}
	g.out[at].value = mean
	if len(index) < 2*leafSize {
		return at
	}
	best, feature, threshold := 0.0, -1, 0.0
	left := 0
	for range g.tries {
		f := g.rng.IntN(len(g.t.rows[0]))
		u := g.rng.Float64()
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, i := range index {
			lo, hi = min(lo, g.t.rows[i][f]), max(hi, g.t.rows[i][f])
		}
		if lo == hi {
			continue
		}
		cut := lo + u*(hi-lo)
		if cut >= hi {
			cut = lo
		}
		var n, sum float64
		for _, i := range index {
			if g.t.rows[i][f] <= cut {
				n, sum = n+1, sum+g.t.values[i]-mean
			}
		}
		rest := float64(len(index)) - n
		if n < leafSize || rest < leafSize {
			continue
		}
		if gain := sum*sum/n + sum*sum/rest; gain > best {
			best, feature, threshold, left = gain, f, cut, int(n)
		}
	}
	if feature < 0 {
		return at
	}
	parts := [2][]int{make([]int, 0, left), make([]int, 0, len(index)-left)}
	for _, i := range index {
		side := 0
		if g.t.rows[i][feature] > threshold {
			side = 1
		}
		parts[side] = append(parts[side], i)
	}
	l := g.grow(parts[0])
	r := g.grow(parts[1])
	g.out[at].feature, g.out[at].threshold, g.out[at].left, g.out[at].right = feature, threshold, l, r
	return at
}

// fitTrees answers with the mean of the trees.
func fitTrees(t *training) (predictor, error) {
	all := make([]int, len(t.rows))
	for i := range all {
		all[i] = i
	}
	forest := make([]tree, treeCount)
	parallel(treeCount, func(i int) {
		g := &grower{t: t, rng: rand.New(rand.NewPCG(treeSeed, uint64(i))), tries: max(len(t.rows[0])/2, 1)}
		g.grow(all)
		forest[i] = g.out
	})
	return func(row []float64) float64 {
		sum := 0.0
		for _, t := range forest {
			sum += t.predict(row)
		}
		return sum / treeCount
	}, nil
}
