package calibrate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// starts lists the points to start from: the initial values where all parameters have one; one point where the model is linear,
// since there is but one minimum; and else the same point and random ones around it, from a fixed seed.
//
// The scale of a cost parameter is the value that would alone give the outputs: t/|∂g/∂p|, the median over the rows. Shape parameters
// have no scale of their own and are sought between 1/10 and 1000 (those of pnorm and exponents are found from there too).
func (f *fitter) starts(opt Options) [][]float64 {
	names := f.compiled.Parameters
	base := f.scales()
	fixed := make([]bool, len(names))
	missing := false
	for i, name := range names {
		v, ok := opt.Init[name]
		if p := f.model.Parameter(name); !ok && p.Init != nil {
			v, ok = *p.Init, true
		}
		if ok {
			base[i], fixed[i] = v, true
		}
		missing = missing || !ok
		base[i] = f.inside(i, base[i])
	}
	out := [][]float64{base}
	if !missing || f.model.Linear() {
		return out
	}
	n := cmp.Or(opt.Starts, f.model.Fit.Starts, defaultStarts)
	shape := f.model.ShapeParameters()
	rng := rand.New(rand.NewPCG(opt.Seed, 0x70657266))
	for len(out) < n {
		p := slices.Clone(base)
		for i, name := range names {
			switch {
			case fixed[i]:
			case slices.Contains(shape, name):
				p[i] = math.Pow(10, -1+4*rng.Float64())
			default:
				p[i] = base[i] * math.Pow(10, -2+3*rng.Float64())
			}
			p[i] = f.inside(i, p[i])
		}
		out = append(out, p)
	}
	return out
}

// reshaped lists the point with its shape parameters at several values, except those that have an initial value. An early
// step may have taken a shape parameter to where the derivative by it vanishes; starting again from the costs finds it.
func (f *fitter) reshaped(p []float64, opt Options) [][]float64 {
	shape := f.model.ShapeParameters()
	var free []int
	for i, name := range f.compiled.Parameters {
		_, given := opt.Init[name]
		if slices.Contains(shape, name) && !given && f.model.Parameter(name).Init == nil {
			free = append(free, i)
		}
	}
	if len(free) == 0 || f.model.Linear() {
		return nil
	}
	var out [][]float64
	for _, v := range []float64{0.5, 2, 8, 32, 128} {
		q := slices.Clone(p)
		for _, i := range free {
			q[i] = f.inside(i, v)
		}
		out = append(out, q)
	}
	return out
}

func (f *fitter) inside(i int, v float64) float64 {
	return min(max(v, f.lm.Lower[i]), f.lm.Upper[i])
}

// scales returns a point of the right order of magnitude: shape parameters 1, cost parameters from the derivatives at all ones,
// and once more at the point found.
func (f *fitter) scales() []float64 {
	names := f.compiled.Parameters
	shape := f.model.ShapeParameters()
	p := make([]float64, len(names))
	for i := range p {
		p[i] = f.inside(i, 1)
	}
	grad := make([]float64, len(names))
	for range 2 {
		ratios := make([][]float64, len(names))
		for i, x := range f.x {
			f.compiled.Gradient(x, p, grad)
			for k, g := range grad {
				if r := math.Abs(f.t[i] / g); g != 0 && r > 0 && !math.IsInf(r, 0) && !math.IsNaN(r) {
					ratios[k] = append(ratios[k], r)
				}
			}
		}
		for k, name := range names {
			if len(ratios[k]) > 0 && !slices.Contains(shape, name) {
				slices.Sort(ratios[k])
				p[k] = f.inside(k, ratios[k][len(ratios[k])/2]/float64(len(names)))
			}
		}
	}
	return p
}
