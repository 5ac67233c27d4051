package rank

import (
	"math"
	"math/rand/v2"
	"slices"

	"gpuperf/internal/parallel"
)

// Extremely randomized trees (Geurts, Ernst and Wehenkel, 2006): each node tries some features, each at one random threshold,
// and takes the one that leaves least variance. Thresholds are drawn between the values of two of the node's points, which
// avoids a search for the least and greatest value.
const treeSeed = 20260101

// treeNode is a leaf if right is 0.
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

// leastSplit is the least number of points of a node that is split, as the authors advise for regression. The trees
// interpolate their training points; only the mean of many of them is smooth.
const forestTrees, leastSplit = 48, 5

// grower grows one tree.
type grower struct {
	columns [][]float64 // of features that vary, by row
	feature []int       // of the columns
	values  []float64
	own     []float64 // buffer for the values of a node's rows
	rng     *rand.Rand
	tries   int
	out     tree
}

// grow adds the node of the rows in index, which it reorders, and those below.
func (g *grower) grow(index []int32) int {
	at := len(g.out)
	g.out = append(g.out, treeNode{})
	mean, values := 0.0, g.own[:len(index)]
	for k, i := range index {
		values[k] = g.values[i]
		mean += values[k]
	}
	mean /= float64(len(index))
	g.out[at].value = mean
	if len(index) < leastSplit || len(g.columns) == 0 {
		return at
	}
	best, chosen, threshold := 0.0, -1, 0.0
	for range g.tries {
		c := g.rng.IntN(len(g.columns))
		column, u := g.columns[c], g.rng.Float64()
		v, w := column[index[g.rng.IntN(len(index))]], column[index[g.rng.IntN(len(index))]]
		if v == w {
			continue
		}
		cut := min(v, w) + u*math.Abs(v-w)
		n, sum := 0, 0.0
		for k, i := range index {
			below := 0 // or 1: a branch here would be mispredicted half of the time
			if column[i] <= cut {
				below = 1
			}
			n += below
			sum += math.Float64frombits(math.Float64bits(values[k]) & uint64(-below))
		}
		rest := len(index) - n
		if n == 0 || rest == 0 {
			continue
		}
		sum -= float64(n) * mean
		if gain := sum*sum/float64(n) + sum*sum/float64(rest); gain > best {
			best, chosen, threshold = gain, c, cut
		}
	}
	if chosen < 0 {
		return at
	}
	to := 0
	for from, i := range index {
		if g.columns[chosen][i] <= threshold {
			index[from], index[to] = index[to], i
			to++
		}
	}
	l := g.grow(index[:to])
	r := g.grow(index[to:])
	n := &g.out[at]
	n.feature, n.threshold, n.left, n.right = g.feature[chosen], threshold, l, r
	return at
}

// learnForest predicts the mean of the trees.
func learnForest(t *training) (predictor, error) {
	var columns [][]float64
	var feature []int
	for j := range t.rows[0] {
		column := make([]float64, len(t.rows))
		for i, row := range t.rows {
			column[i] = row[j]
		}
		if slices.Min(column) < slices.Max(column) {
			columns, feature = append(columns, column), append(feature, j)
		}
	}
	grown := make([]tree, forestTrees)
	parallel.For(forestTrees, func(k int) {
		index := make([]int32, len(t.rows))
		for i := range index {
			index[i] = int32(i)
		}
		g := &grower{
			columns: columns, feature: feature, values: t.values, own: make([]float64, len(t.rows)),
			rng: rand.New(rand.NewPCG(treeSeed, uint64(k))), tries: max(len(columns)/3, 1),
		}
		g.grow(index)
		grown[k] = g.out
	})
	return func(row []float64) float64 {
		sum := 0.0
		for _, t := range grown {
			sum += t.predict(row)
		}
		return sum / forestTrees
	}, nil
}
