package calibrate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gpuperf/internal/jsonvalue"
)

// starts lists the points to start from: the initial values where all parameters have one; one point where the model is linear,
// since there is but one minimum; and else the same point and random ones around it, from a fixed seed, then the point of all ones and the
// best of random points on the scales of the data (scattered).
//
// The scale of a cost parameter is the value that would alone give the outputs: t/|∂g/∂p|, the median over the rows. Shape parameters
// have no scale of their own and are sought between 1/10 and 1000 (those of pnorm and exponents are found from there too).
func (f *fitter) starts(opt Options) [][]float64 {
	names := f.compiled.Parameters
	base, fixed := f.base(opt)
	out := [][]float64{base}
	if !slices.Contains(fixed, false) || f.model.Linear() {
		return out
	}
	n := f.count(opt)
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
	if n == 1 {
		return out
	}
	ones := f.point(base, fixed, func(int) float64 { return 1 })
	return append(append(out, ones), f.scattered(base, fixed, n, rng)...)
}

// base is the first point to start from, and whether each parameter has an initial value.
func (f *fitter) base(opt Options) (base []float64, fixed []bool) {
	base, fixed = f.scales(), make([]bool, len(f.compiled.Parameters))
	for i, name := range f.compiled.Parameters {
		v, ok := opt.Init[name]
		if p := f.model.Parameter(name); !ok && p.Init != nil {
			v, ok = *p.Init, true
		}
		if ok {
			base[i], fixed[i] = v, true
		}
		base[i] = f.inside(i, base[i])
	}
	return base, fixed
}

// count is how many random points of a kind a search starts from.
func (f *fitter) count(opt Options) int {
	return cmp.Or(opt.Starts, f.model.Fit.Starts, defaultStarts)
}

// moreWork limits the points that a dubious end of the search adds: rows times parameters of each, all together.
const moreWork = 200_000

// more lists further points to start from, where the search from the others ended dubiously.
func (f *fitter) more(opt Options) [][]float64 {
	n := f.count(opt)
	n = min(5*n, moreWork/(len(f.t)*len(f.compiled.Parameters)))
	if n < 1 || opt.Starts == 1 {
		return nil
	}
	base, fixed := f.base(opt)
	return f.scattered(base, fixed, n, rand.New(rand.NewPCG(opt.Seed, 0x6d6f7265)))
}

// point is base with the parameters that are not fixed set to values, within their bounds.
func (f *fitter) point(base []float64, fixed []bool, value func(i int) float64) []float64 {
	p := slices.Clone(base)
	for i := range p {
		if !fixed[i] {
			p[i] = f.inside(i, value(i))
		}
	}
	return p
}

// drawn is how many points are drawn for each that a search starts from.
const drawn = 40

// scattered are the n best of many random points, by their residuals. Where parameters multiply each other the derivative at one point
// says little of the scale of a parameter: it may be 1, the output or its inverse, a feature or its inverse, or a quotient of an output and
// a feature, each in any power of ten around it.
func (f *fitter) scattered(base []float64, fixed []bool, n int, rng *rand.Rand) [][]float64 {
	scales := f.magnitudes()
	linear := f.projection(fixed)
	type candidate struct {
		p    []float64
		norm float64
	}
	var all []candidate
	for range n * drawn {
		p := f.point(base, fixed, func(i int) float64 {
			v := scales[rng.IntN(len(scales))] * math.Pow(10, -1.5+3*rng.Float64())
			if f.lm.Lower[i] < 0 && rng.IntN(8) == 0 {
				v = -v
			}
			return v
		})
		if linear != nil {
			linear.project(p)
		}
		// The output is often in proportion to some parameter: what the rest is off as a whole is no matter.
		if norm := f.normUpToScale(p); jsonvalue.Finite(norm) != nil {
			all = append(all, candidate{p, norm})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.norm, b.norm) })
	var out [][]float64
	for len(out) < n && len(all) > 0 {
		out = append(out, all[0].p)
		all = slices.DeleteFunc(all, func(c candidate) bool { return f.near(c.p, out[len(out)-1]) })
	}
	return out
}

// near reports that two points are of the same magnitude in each parameter.
func (f *fitter) near(p, q []float64) bool {
	const factor = 3 // of the same magnitude
	for i := range p {
		a, b := p[i], q[i]
		if a != b && (a*b <= 0 || math.Abs(a) > factor*math.Abs(b) || math.Abs(b) > factor*math.Abs(a)) {
			return false
		}
	}
	return true
}

// magnitudes are the scales that parameters may have: 1, and quotients of the middle values of outputs and features.
func (f *fitter) magnitudes() []float64 {
	middle := func(value func(row int) float64) float64 {
		var sizes []float64
		for i := range f.t {
			if v := math.Abs(value(i)); v > 0 {
				sizes = append(sizes, v)
			}
		}
		if len(sizes) == 0 {
			return 1
		}
		slices.Sort(sizes)
		return sizes[len(sizes)/2]
	}
	t := middle(func(i int) float64 { return f.t[i] })
	out := []float64{1, t, 1 / t}
	for k := range f.compiled.Features {
		x := middle(func(i int) float64 { return f.x[i][k] })
		out = append(out, x, 1/x, t/x, 1/(t*x))
	}
	return slices.DeleteFunc(out, func(v float64) bool { return v == 0 || math.IsInf(v, 0) })
}

// normUpToScale is the residual at a point where the outputs are multiplied by what suits them best; +Inf or NaN where a value is not finite.
func (f *fitter) normUpToScale(p []float64) float64 {
	gg, gt, tt := 0.0, 0.0, 0.0
	for i, x := range f.x {
		g, t := f.w[i]*f.compiled.Eval(x, p), f.w[i]*f.t[i]
		gg, gt, tt = gg+g*g, gt+g*t, tt+t*t
	}
	if gg == 0 {
		return tt
	}
	return tt - gt/gg*gt
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
