package rank

import (
	"math"
	"math/rand/v2"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
)

// Boosted regression trees: each tree is fitted to what those before it have left of the values, and a small part of what it says is taken
// (Friedman, "Greedy function approximation: a gradient boosting machine", 2001), on a random part of the rows and features (the same, "Stochastic
// gradient boosting", 2002). Values of features are put into bins, between which nodes are split: sums over bins tell all splits of a feature in one pass
// (Ke et al., "LightGBM", 2017, section 2.1). The result is the mean of several such sequences of other random parts.
const (
	treeSeed  = 20260101 // any: results are to be the same each time
	sequences = 4        // whose mean is taken
	treesEach = 200      // of a sequence
	rate      = 0.05     // the part that is taken
	levels    = 6        // of nodes that are split, below one another
	leafRows  = 20       // the least of a leaf, where there are many
	rowShare  = 0.5      // for each tree, at random
	tryShare  = 0.3      // of the features, the same
	binCount  = 64       // of a feature
	shrinkage = 1        // rows that leaves are taken to have more, of value 0
)

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

// binned is a feature by rows: the bin of each value. A value is in the first bin whose edge it does not exceed; the last bin has no edge.
type binned struct {
	feature int
	edges   []float64
	bin     []uint8
}

// binsOf divides a feature so that bins have about as many rows.
func binsOf(rows [][]float64, feature int) binned {
	b := binned{feature: feature, bin: make([]uint8, len(rows))}
	sorted := lists.Map(rows, func(row []float64) float64 { return row[feature] })
	slices.Sort(sorted)
	last := sorted[len(sorted)-1]
	for k := range binCount - 1 {
		edge := sorted[(k+1)*(len(sorted)-1)/binCount]
		if n := len(b.edges); edge < last && (n == 0 || edge > b.edges[n-1]) {
			b.edges = append(b.edges, edge)
		}
	}
	for i, row := range rows {
		at, _ := slices.BinarySearch(b.edges, row[feature])
		b.bin[i] = uint8(at)
	}
	return b
}

// booster grows one sequence of trees.
type booster struct {
	columns []binned // of features that vary
	tried   []binned // of these, by the tree that grows
	left    []float64
	least   float64 // rows of a leaf
	rng     *rand.Rand
	out     tree
	splits  []split // of the nodes of out
	values  []float64
}

// split is where a node is divided: rows with bins up to the cut are on the left.
type split struct {
	column *binned
	cut    int
	gain   float64
}

// best is the split of some rows, with the given sum of values, that leaves least variance. Its gain is 0 if there is none.
func (b *booster) best(rows []int32, sum float64) (best split) {
	score := func(sum, n float64) float64 { return sum * sum / (n + shrinkage) }
	all := float64(len(rows))
	whole := score(sum, all)
	values := b.values[:0]
	for _, i := range rows {
		values = append(values, b.left[i])
	}
	b.values = values
	for c := range b.tried {
		column := &b.tried[c]
		var bins [binCount]struct{ sum, count float64 }
		for j, i := range rows {
			k := &bins[column.bin[i]%binCount]
			k.sum += values[j]
			k.count++
		}
		s, n := 0.0, 0.0
		for cut := range column.edges {
			if bins[cut].count == 0 { // as good as the cut before
				continue
			}
			s, n = s+bins[cut].sum, n+bins[cut].count
			if n < b.least || all-n < b.least {
				continue
			}
			if gain := score(s, n) + score(sum-s, all-n) - whole; gain > best.gain {
				best = split{column, cut, gain}
			}
		}
	}
	return best
}

// grow adds the node of the rows, which it reorders, and those below.
func (b *booster) grow(rows []int32, depth int) int {
	at := len(b.out)
	b.out, b.splits = append(b.out, treeNode{}), append(b.splits, split{})
	sum := lists.Sum(rows, func(i int32) float64 { return b.left[i] })
	b.out[at].value = rate * sum / (float64(len(rows)) + shrinkage)
	if depth == 0 {
		return at
	}
	s := b.best(rows, sum)
	if s.gain <= 0 {
		return at
	}
	b.splits[at] = s
	to := s.parted(rows)
	l := b.grow(rows[:to], depth-1)
	r := b.grow(rows[to:], depth-1)
	n := &b.out[at]
	n.feature, n.threshold, n.left, n.right = s.column.feature, s.column.edges[s.cut], l, r
	return at
}

// parted reorders rows: those on the left of the split come first. It returns how many these are.
func (s *split) parted(rows []int32) (to int) {
	for from, i := range rows {
		if int(s.column.bin[i]) <= s.cut {
			rows[from], rows[to] = rows[to], i
			to++
		}
	}
	return to
}

// take subtracts from what is left of rows, which it reorders, what the tree says from a node on.
func (b *booster) take(rows []int32, at int) {
	n := &b.out[at]
	if n.right == 0 {
		for _, i := range rows {
			b.left[i] -= n.value
		}
		return
	}
	to := b.splits[at].parted(rows)
	b.take(rows[:to], n.left)
	b.take(rows[to:], n.right)
}

// sequence grows trees one after the other.
func (b *booster) sequence(t *training) (list []tree) {
	b.left = slices.Clone(t.values)
	every := make([]int32, len(t.rows))
	for i := range every {
		every[i] = int32(i)
	}
	for range treesEach {
		var rows []int32
		for i := range t.rows {
			if b.rng.Float64() < rowShare {
				rows = append(rows, int32(i))
			}
		}
		b.rng.Shuffle(len(b.columns), func(i, j int) { b.columns[i], b.columns[j] = b.columns[j], b.columns[i] })
		b.tried = b.columns[:int(math.Ceil(tryShare*float64(len(b.columns))))]
		b.out, b.splits = nil, b.splits[:0]
		b.grow(rows, levels)
		list = append(list, b.out)
		b.take(every, 0)
	}
	return list
}

// learnTrees predicts by boosted trees.
func learnTrees(t *training) (predictor, error) {
	middle := lists.Sum(t.values, func(v float64) float64 { return v / float64(len(t.values)) })
	t = &training{rows: t.rows, values: slices.Clone(t.values)}
	for i := range t.values {
		t.values[i] -= middle
	}
	columns := make([]binned, len(t.rows[0]))
	parallel.For(len(columns), func(j int) { columns[j] = binsOf(t.rows, j) })
	columns = slices.DeleteFunc(columns, func(c binned) bool { return len(c.edges) == 0 })
	var grown [sequences][]tree
	parallel.For(sequences, func(k int) {
		b := &booster{columns: slices.Clone(columns), least: float64(min(leafRows, 2+len(t.rows)/50)), rng: rand.New(rand.NewPCG(treeSeed, uint64(k)))}
		grown[k] = b.sequence(t)
	})
	return func(row []float64) float64 {
		sum := 0.0
		for _, list := range grown {
			for _, t := range list {
				sum += t.predict(row)
			}
		}
		return middle + sum/sequences
	}, nil
}
