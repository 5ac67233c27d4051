package calibrate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/throw"
)

// valleys searches on from the best ends of other searches, over the logarithms of the sizes of parameters. Where parameters multiply or divide each other the
// valleys of the residual are narrow and bent, and a search in steps of the parameters ends in them; over logarithms they are straight.
func (f *fitter) valleys(ctx context.Context) (points [][]float64) {
	rough := f.rough()
	rough.MaxEvaluations = min(f.lm.MaxEvaluations, valleyEvaluations*(len(f.compiled.Parameters)+1))
	for _, from := range f.bestEnds() {
		p, settings := slices.Clone(from), rough
		settings.Lower, settings.Upper = slices.Clone(f.lm.Lower), slices.Clone(f.lm.Upper)
		logs := make([]float64, len(p))
		for j, v := range from {
			logs[j] = math.Log(math.Abs(v)) // of 0: it stays
			lo, hi := f.lm.Lower[j], f.lm.Upper[j]
			if v < 0 {
				lo, hi = -hi, -lo
			}
			settings.Lower[j], settings.Upper[j] = math.Log(max(lo, 0)), math.Log(max(hi, 0))
			if v == 0 {
				logs[j], settings.Lower[j], settings.Upper[j] = 0, -1, 1
			}
		}
		at := func(logs []float64) []float64 {
			for j, v := range logs {
				if from[j] != 0 {
					p[j] = f.inside(j, math.Copysign(math.Exp(v), from[j]))
				}
			}
			return p
		}
		problem := f.problem()
		over := lm.Problem{
			M: problem.M, N: problem.N,
			Residual: func(logs, r []float64) { problem.Residual(at(logs), r) },
			Jacobian: func(logs []float64, jac *mat.Dense) {
				p := at(logs)
				problem.Jacobian(p, jac)
				for i := range problem.M {
					for j, v := range jac.RawRowView(i) {
						jac.RawRowView(i)[j] = v * p[j]
					}
				}
			},
		}
		r, err := lm.Minimize(ctx, over, logs, &settings)
		if ctx.Err() != nil {
			panic(throw.Of(context.Cause(ctx)))
		}
		if err == nil {
			points = append(points, slices.Clone(at(r.P)))
		}
	}
	return points
}

// valleyEvaluations are those of a search along a valley, per parameter and one more.
const valleyEvaluations = 100
