package rank

import (
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// nearest predicts the mean of the k nearest training points, by Euclidean distance (section 5.3 of the paper).
type nearest struct {
	pca    *PCA
	points [][]float64
	values []float64
	k      int
}

// neighbour is a training point with its squared distance.
type neighbour struct {
	distance float64
	index    int
}

func (n *nearest) predict(row []float64) float64 {
	at := n.pca.Project(row)
	found := make([]neighbour, 0, n.k+1)
	worst := math.Inf(1)
	for i, p := range n.points {
		d := 0.0
		for j, v := range p { // components are in the order of their variance, so far points are detected early
			if d += (v - at[j]) * (v - at[j]); d >= worst {
				break
			}
		}
		if d >= worst { // of two equally far points the first is taken
			continue
		}
		to := len(found)
		for to > 0 && found[to-1].distance > d {
			to--
		}
		if found = slices.Insert(found, to, neighbour{d, i}); len(found) > n.k {
			found = found[:n.k]
		}
		if len(found) == n.k {
			worst = found[n.k-1].distance
		}
	}
	sum := lists.Sum(found, func(f neighbour) float64 { return n.values[f.index] })
	return sum / float64(len(found))
}
