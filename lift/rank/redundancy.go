package rank

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gpuperf/internal/lists"
)

// bins is the number of classes of values for estimating entropies.
const bins = 16

// Relevance is the relation of a feature to throughput.
type Relevance struct {
	Feature string `json:"feature"`
	// Redundancy is I(X;Y) / (H(X) + H(Y)), the mutual information of the feature and the throughput, normalized by their entropies
	// (section 7.1 of the paper): between 0 and 1/2.
	Redundancy float64 `json:"redundancy"`
	// Spearman is the mean rank correlation with throughput over the groups in which the feature varies.
	Spearman float64 `json:"spearman"`
}

// Redundancy relates features to throughput and to each other.
type Redundancy struct {
	Features    []Relevance `json:"features"` // by descending redundancy
	Names       []string    `json:"names"`    // the order of the rows and columns below
	Correlation [][]float64 `json:"correlation"`
	// Loadings of the principal components that explain 95 % of the variance, a row for each.
	Loadings [][]float64 `json:"loadings"`
	Variance []float64   `json:"variance"` // of all components
}

// NewRedundancy analyzes the measured points of a set.
func NewRedundancy(s *Set) (*Redundancy, error) {
	s = s.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) })
	if err := s.Check(); err != nil {
		return nil, err
	}
	throughput := s.Throughput()
	rows := lists.Map(s.Points, func(p Point) []float64 { return p.Features })
	pca, err := NewPCA(rows, varianceShare)
	if err != nil {
		return nil, err
	}
	r := &Redundancy{Names: s.Names, Loadings: pca.Components, Variance: pca.Variance}
	columns := make([][]float64, len(s.Names))
	for j := range s.Names {
		for _, row := range rows {
			columns[j] = append(columns[j], row[j])
		}
	}
	y := classes(throughput)
	groups := s.Groups()
	for j, name := range s.Names {
		x := classes(columns[j])
		rel := Relevance{Feature: name}
		if h := entropy(x) + entropy(y); h > 0 {
			rel.Redundancy = max(h-entropy(pairs(x, y)), 0) / h
		}
		varying := 0.0
		for _, g := range groups {
			var a, b []float64
			for _, i := range g.Index {
				a, b = append(a, columns[j][i]), append(b, throughput[i])
			}
			if c := Spearman(a, b); !math.IsNaN(c) {
				rel.Spearman, varying = rel.Spearman+c, varying+1
			}
		}
		rel.Spearman /= max(varying, 1)
		r.Features = append(r.Features, rel)
		row := make([]float64, len(s.Names))
		for k := range s.Names {
			if c := stat.Correlation(columns[j], columns[k], nil); !math.IsNaN(c) {
				row[k] = c
			}
		}
		r.Correlation = append(r.Correlation, row)
	}
	slices.SortStableFunc(r.Features, func(a, b Relevance) int { return cmp.Compare(b.Redundancy, a.Redundancy) })
	return r, nil
}

// classes numbers the values: distinct values if they are few, otherwise classes of about the same number of values. Equal
// values are in one class.
func classes(values []float64) []int {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	out := make([]int, len(values))
	for i, v := range values {
		if len(distinct) <= bins {
			out[i], _ = slices.BinarySearch(distinct, v)
			continue
		}
		at, _ := slices.BinarySearch(sorted, v) // the first of equal ones
		out[i] = at * bins / len(sorted)
	}
	return out
}

// pairs numbers the pairs of two lists of classes.
func pairs(x, y []int) []int {
	out := make([]int, len(x))
	for i := range x {
		out[i] = x[i]*(bins+1) + y[i]
	}
	return out
}

// entropy is the entropy of the classes in bits.
func entropy(classes []int) float64 {
	counts := map[int]float64{}
	for _, c := range classes {
		counts[c]++
	}
	h, n := 0.0, float64(len(classes))
	for _, c := range slices.Sorted(maps.Keys(counts)) { // in a fixed order, so that results do not differ in the last digit
		h -= counts[c] / n * math.Log2(counts[c]/n)
	}
	return h
}

// Write prints the features by descending redundancy, with the components in which they have the greatest weights.
func (r *Redundancy) Write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%-18s %10s %10s  %s\n", "feature", "redundancy", "spearman", "principal components, by share of variance"); err != nil {
		return err
	}
	for _, f := range r.Features {
		at := slices.Index(r.Names, f.Feature)
		var parts []string
		for k, row := range r.Loadings {
			if math.Abs(row[at]) >= 0.3 {
				parts = append(parts, fmt.Sprintf("%+.2f of %d (%.0f %%)", row[at], k+1, 100*r.Variance[k]))
			}
		}
		if _, err := fmt.Fprintf(w, "%-18s %10.3f %+10.2f  %s\n", f.Feature, f.Redundancy, f.Spearman, strings.Join(parts, ", ")); err != nil {
			return err
		}
	}
	return nil
}
