package evaluate

import (
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// geomeans returns the geometric mean of the relative errors, and that of Point.WorkRemoved as a prediction: nil where not measured.
func (points Points) geomeans() (predicted float64, workRemoved *float64) {
	var all, removed []float64
	for _, p := range points {
		all = append(all, p.RelativeError)
		if p.WorkRemoved > 0 {
			removed = append(removed, (p.WorkRemoved-p.Measured)/p.Measured)
		}
	}
	if len(removed) > 0 {
		g := Geomean(removed)
		workRemoved = &g
	}
	return Geomean(all), workRemoved
}

// Mean is the arithmetic mean of the relative errors, without sign.
func (points Points) Mean() float64 {
	sum := lists.Sum(points, func(p Point) float64 { return math.Abs(p.RelativeError) })
	return sum / float64(max(len(points), 1))
}

// Worst is the largest relative error, without sign.
func (points Points) Worst() float64 {
	worst := 0.0
	for _, p := range points {
		worst = max(worst, math.Abs(p.RelativeError))
	}
	return worst
}

// Percentile is the relative error, without sign, that this part of the points does not exceed.
func (points Points) Percentile(part float64) float64 {
	all := lists.Map(points, func(p Point) float64 { return math.Abs(p.RelativeError) })
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[max(int(math.Ceil(part*float64(len(all))))-1, 0)]
}

// Points are several of them.
type Points []Point

// Geomean is the geometric mean of the absolute relative errors, each taken as at least 0.1 %. It is 0 for none.
func Geomean(errors []float64) float64 {
	if len(errors) == 0 {
		return 0
	}
	sum := lists.Sum(errors, func(e float64) float64 { return math.Log(max(math.Abs(e), errorFloor)) })
	return math.Exp(sum / float64(len(errors)))
}
