package calibrate

import (
	"context"
	"math"
	"slices"

	"gpuperf/calibrate/lm"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
)

const (
	profileWork  = 20_000 // rows times the square of the parameters up to which profiles are computed: some 200 fits of one parameter less
	profileFrom  = 4      // standard errors at which a profile begins: were the model linear, such a value would be no plausible one
	profileSteps = 10     // each of which doubles the distance
	lower        = 1e-6   // relative decrease of the residual that is another minimum
	conceivable  = 3      // standard deviations of the rows up to which a value of a parameter is followed
	bends        = 2.5    // standard errors for each such deviation from which on a fit says that its standard error is too small
	matters      = 0.1    // relative change of a parameter up to which that does not matter
)

// bent is a value of a parameter that the rows do not exclude, though it is many standard errors away.
type bent struct{ value, deviations float64 }

// bend notes such a value, the farthest of each parameter.
func (f *fitter) bend(r *lm.Result, j int, value, deviations float64) {
	off := math.Abs(value - r.P[j])
	if off < bends*max(1, deviations)*r.StdErr[j] || off < matters*math.Abs(r.P[j]) || r.Active[j] {
		return
	}
	if b, ok := f.bent[j]; ok && math.Abs(b.value-r.P[j]) >= off {
		return
	}
	if f.bent == nil {
		f.bent = map[int]bent{}
	}
	f.bent[j] = bent{value, deviations}
}

// bentDoubts says for which parameters standard errors promise too much.
func (f *fitter) bentDoubts(r *lm.Result) (out []string) {
	for j, name := range f.compiled.Parameters {
		if b, ok := f.bent[j]; ok && !vague(r, j) {
			unit := f.model.Parameter(name).Unit
			out = append(out, warning.Undetermined.About(name, "less certain than its standard error of %s says, as the model bends: %s is %.2g standard deviations of the rows away",
				format.Quantity(r.StdErr[j], unit), format.Quantity(b.value, unit), max(b.deviations, 0.1)))
		}
	}
	return out
}

// profile looks for where the model bends: with a parameter held away from the minimum, the others are fitted again, as far away as that is
// conceivable (Bates and Watts, section 6.1). It returns a point with a lower residual where it meets one: the minimum was none; nil else.
func (f *fitter) profile(ctx context.Context, r *lm.Result) (better []float64, err error) {
	if r.Covariance == nil || f.model.Linear() || len(f.t)*len(r.P)*len(r.P) > profileWork {
		return nil, nil
	}
	size, _ := f.norms()
	settings := f.rough()
	settings.Lower, settings.Upper = slices.Clone(f.lm.Lower), slices.Clone(f.lm.Upper)
	for j, at := range r.P {
		if by := profileFrom * r.StdErr[j]; r.Active[j] || !(by > 0) || math.IsInf(by, 0) {
			continue
		}
		for _, by := range []float64{-profileFrom * r.StdErr[j], profileFrom * r.StdErr[j]} {
			p := slices.Clone(r.P)
			for range profileSteps {
				if p[j] = at + by; p[j] < f.lm.Lower[j] || p[j] > f.lm.Upper[j] || p[j]*at < 0 {
					break
				}
				settings.Lower[j], settings.Upper[j] = p[j], math.Nextafter(p[j], math.Inf(1))
				end, err := lm.Minimize(ctx, f.problem(), p, &settings)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if err != nil {
					break
				}
				if r.Norm-end.Norm > max(lower*r.Norm, exactly*size) {
					return end.P, nil
				}
				z := f.deviations(r, end.Norm)
				if z > conceivable {
					break
				}
				f.bend(r, j, p[j], z)
				p, by = end.P, 2*by
			}
		}
		settings.Lower[j], settings.Upper[j] = f.lm.Lower[j], f.lm.Upper[j]
	}
	return nil, nil
}

// profiled is the minimum with what its profiles say, or a better one that these lead to.
func (f *fitter) profiled(ctx context.Context, best *lm.Result) *lm.Result {
	const rounds = 4 // each begins at a better minimum than the one before
	for range rounds {
		better := throw.Get(f.profile(ctx, best))
		if better == nil {
			return best
		}
		next := throw.Get(f.best(ctx, nil, [][]float64{better}, &f.lm))
		if next.Norm >= best.Norm {
			return best
		}
		best = after(best, next)
		f.bent = nil
	}
	return best
}
