package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
	"gpuperf/launch"
)

// Ranker is a way to learn which points are fast.
type Ranker struct {
	Name string
	Doc  string

	lift      bool                                              // uses only the features of the paper's table
	predicted bool                                              // uses the predicted times of points
	places    bool                                              // learns the ranks of points in their group instead of their throughput: every group weighs the same
	rows      func(s *Set, names []string) ([][]float64, error) // makes the learner's input from features
	learn     func(*training) (predictor, error)
	whole     func(*Set) (Scorer, error) // learns from the set itself, instead of rows and learn
	needs     func(names []string) error // returns an error if features that whole needs are missing
}

// Scorer is a trained ranker: it returns a number for each point, the greater the faster. Scores of different groups are not
// comparable.
type Scorer func(s *Set) ([]float64, error)

const (
	neighbours    = 5    // of the paper
	varianceShare = 0.95 // of the paper
	floor         = 1e-4 // of demands, before taking their logarithm
)

// learnNearest predicts by the nearest neighbours on principal components.
func learnNearest(t *training) (predictor, error) {
	pca, err := NewPCA(t.rows, varianceShare)
	if err != nil {
		return nil, err
	}
	n := &nearest{pca: pca, values: t.values, k: neighbours, points: make([][]float64, len(t.rows))}
	parallel.For(len(t.rows), func(i int) { n.points[i] = pca.Project(t.rows[i]) })
	return n.predict, nil
}

// rankers is the table of rankers. The first is the paper's.
var rankers = []Ranker{
	{Name: "knn", Doc: "the paper's: mean throughput of the 5 nearest on principal components of its 15 features", lift: true, rows: plainRows, learn: learnNearest},
	{Name: "trees", Doc: "boosted trees of the place in the group, on features and demands on the device, as they are and as places", rows: func(s *Set, names []string) (_ [][]float64, err error) {
		defer throw.Catch(&err)
		return placedRows(s, names, nil), nil
	}, places: true, learn: learnTrees},
	{Name: "cost", Doc: "the model parts of perf models, fitted to the times of the training points", whole: learnCost, needs: needsOf(costModels[0])},
	{Name: "corrected", Doc: "that time, or that of the model general where vectors have what moves between caches, and boosted trees of its errors", whole: learnCorrected, needs: needsOf(costModels[0])},
	{Name: "model", Doc: "the time that a calibrated model predicts", predicted: true, whole: takeModel},
}

// Default is the name of the ranker that commands use by default.
const Default = "corrected"

// Featureless is the name of a ranker that works with any features, for devices of which little is known.
const Featureless = "trees"

// Rankers lists the rankers; the first is the paper's.
func Rankers() []Ranker { return slices.Clone(rankers) }

// Find returns the ranker of that name.
func Find(name string) (Ranker, error) {
	var names []string
	for _, r := range rankers {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Ranker{}, fmt.Errorf("there is no ranker %q; there are %s", name, strings.Join(names, ", "))
}

// Predicted reports whether the ranker needs predicted times of points.
func (r Ranker) Predicted() bool { return r.predicted }

// Missing returns an error if the points of a set lack data that the ranker needs.
func (r Ranker) Missing(s *Set) error {
	if r.lift && len(liftFeatures(s.Names)) == 0 {
		return errNotLift
	}
	for i := range s.Points {
		if err := unpredicted(&s.Points[i]); r.predicted && err != nil {
			return err
		}
	}
	if r.needs != nil {
		return r.needs(s.Names)
	}
	return nil
}

// ErrNoPoint says that a ranker which learns got nothing to learn from.
var ErrNoPoint = errors.New("there is no measured point to learn from")

var errNotLift = errors.New("the points have none of the features of the paper")

// unpredicted is an error for a point without a predicted time.
func unpredicted(p *Point) error {
	if p.Predicted > 0 && !math.IsInf(p.Predicted, 0) {
		return nil
	}
	return fmt.Errorf("point %s has no time predicted by a model", p.ID)
}

// training is the input of a learner: rows of features with the value to predict.
type training struct {
	rows   [][]float64
	values []float64
}

// predictor predicts the value of a row.
type predictor func(row []float64) float64

// Fit learns from the measured points of a set.
func (r Ranker) Fit(train *Set) (Scorer, error) {
	s, err := r.fit(train)
	if err != nil {
		return nil, fmt.Errorf("ranker %s: %w", r.Name, err)
	}
	return s, nil
}

func (r Ranker) fit(train *Set) (Scorer, error) {
	if r.whole != nil {
		return r.whole(train)
	}
	train = train.Where(func(p *Point) bool { return !math.IsNaN(p.Seconds) })
	if err := train.Check(); err != nil {
		return nil, err
	}
	if len(train.Points) == 0 {
		return nil, ErrNoPoint
	}
	names := train.Names
	if r.lift {
		names = liftFeatures(names)
		if len(names) == 0 {
			return nil, errNotLift
		}
	}
	t := &training{values: train.Throughput()}
	if r.places {
		for _, g := range train.Groups() {
			for j, place := range places(t.values, g.Index) {
				t.values[g.Index[j]] = place
			}
		}
	}
	var err error
	if t.rows, err = r.rows(train, names); err != nil {
		return nil, err
	}
	predict, err := r.learn(t)
	if err != nil {
		return nil, err
	}
	return func(s *Set) ([]float64, error) {
		rows, err := r.rows(s, names)
		if err != nil {
			return nil, fmt.Errorf("ranker %s: %w", r.Name, err)
		}
		out := make([]float64, len(rows))
		parallel.For(len(rows), func(i int) { out[i] = predict(rows[i]) })
		return out, nil
	}, nil
}

// liftFeatures selects the names that are in the paper's table.
func liftFeatures(names []string) (out []string) {
	for _, f := range launch.Features() {
		if f.Lift && slices.Contains(names, f.Name) {
			out = append(out, f.Name)
		}
	}
	return out
}

// plainRows are the features of the points, unchanged.
func plainRows(s *Set, names []string) ([][]float64, error) {
	s, err := s.Select(names)
	if err != nil {
		return nil, err
	}
	return lists.Map(s.Points, func(p Point) []float64 { return p.Features }), nil
}

// placedRows are the logarithms of the features, of more numbers of each point, and, if the set has the features that they are computed from,
// of the demands on the device; each row begins with the ranks of its values in the group, scaled so that the greatest is 1.
func placedRows(s *Set, names []string, more [][]float64) [][]float64 {
	rows := throw.Get(plainRows(s, names))
	derived := demands(names)
	for i, features := range rows {
		row := slices.Clone(features)
		if more != nil {
			row = append(row, more[i]...)
		}
		for j, v := range row {
			row[j] = math.Copysign(math.Log1p(math.Abs(v)), v)
		}
		if derived != nil {
			for _, v := range derived(features) {
				row = append(row, math.Log(max(v, floor)))
			}
		}
		rows[i] = row
	}
	return withPlaces(s, rows)
}

// withPlaces puts the rank of each value in its group before the rows. Ranks depend on the points of the group, but neither on
// units nor on the size of differences: a benchmark with twice the loads of another has the same ranks.
func withPlaces(s *Set, rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for _, g := range s.Groups() {
		column := make([]float64, len(rows))
		for j := range rows[g.Index[0]] {
			for _, i := range g.Index {
				column[i] = rows[i][j]
			}
			for k, place := range places(column, g.Index) {
				out[g.Index[k]] = append(out[g.Index[k]], place)
			}
		}
		for _, i := range g.Index {
			out[i] = append(out[i], rows[i]...)
		}
	}
	return out
}

// places are the ranks of the values at these indices, divided by their number.
func places(values []float64, index []int) []float64 {
	in := lists.Map(index, func(i int) float64 { return values[i] })
	ranks := Ranks(in)
	for j := range ranks {
		ranks[j] /= float64(len(in))
	}
	return ranks
}

// takeModel scores by the predicted time.
func takeModel(*Set) (Scorer, error) {
	return func(s *Set) ([]float64, error) {
		out := make([]float64, len(s.Points))
		for i, p := range s.Points {
			if err := unpredicted(&p); err != nil {
				return nil, err
			}
			out[i] = -math.Log(p.Predicted)
		}
		return out, nil
	}, nil
}

// Order lists the points of a group by descending score; equal scores in the order of the set.
func Order(scores []float64, g Group) []int {
	order := slices.Clone(g.Index)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
