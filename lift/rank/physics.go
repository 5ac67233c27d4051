package rank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gpuperf/calibrate/lm"
)

// The time of a launch by physics: parts of a device that work beside each other, each for as long as what the launch asks of it
// takes. With roofs r_k = Σ_i c_i·x_i over the terms x_i below, and s the start of the launches,
//
//	T = s + (Σ_k r_k^p)^(1/p),
//
// which for a large p is the greatest of the roofs (Williams, Waterman and Patterson, "Roofline", 2009, section 3) and for p = 1
// their sum: no overlap. (Stevens and Klöckner, section 4, let two costs overlap likewise.) The coefficients, which are never
// negative, and p are learnt from all benchmarks together, in the logarithm of the time. A benchmark that asks for much more of
// one part than any that was seen is still predicted: what trees cannot do, which answer with times that they have seen.

// physicsTerm is what a launch asks of one part of a device. Terms of a roof add up, and roofs overlap; start is before them.
type physicsTerm struct {
	roof string
	name string
	of   func(l *launch) float64
}

// launch gives the static features of a launch, and what is made of them.
type launch struct {
	value func(name string) float64
	items float64 // work-items
	warps float64 // sub-groups, full or not
	// busiest is what the multiprocessor with most work-groups has to do, by the mean of all.
	busiest float64
	// resident is the number of sub-groups that run at once on a multiprocessor.
	resident float64
}

func (l *launch) sum(names ...string) float64 {
	s := 0.0
	for _, name := range names {
		s += l.value(name)
	}
	return s
}

func newLaunch(value func(string) float64) *launch {
	l := &launch{value: value, busiest: 1}
	l.items = value("global_size_0") * value("global_size_1") * value("global_size_2")
	l.warps = l.items / warpItems / max(value("lanes_used"), 1.0/warpItems)
	groups := value("groups_resident") * value("waves") // of each multiprocessor
	if groups > 0 {
		l.busiest = math.Ceil(groups) / groups
	}
	l.resident = max(min(value("groups_resident"), math.Ceil(groups))*l.warps/max(value("work_groups"), 1), 1)
	return l
}

// work is so many instructions of each sub-group, on the busiest multiprocessor.
func (l *launch) work(names ...string) float64 { return l.busiest * l.warps * l.sum(names...) }

// wait is the same where each sub-group waits for one before the next, and others run in the meantime.
func (l *launch) wait(names ...string) float64 { return l.work(names...) / l.resident }

var physicsTerms = []physicsTerm{
	{"start", "launches", func(l *launch) float64 { return l.value("launches") }},

	{"memory", "data", func(l *launch) float64 { return l.value("data_bytes") }},
	{"memory", "sectors", func(l *launch) float64 { return l.items * l.value("sectors_distinct") }},

	// The pipe that the L1 cache and local memory share: instructions, tags that are looked up, cycles of its banks.
	{"access", "instructions", func(l *launch) float64 {
		return l.work("global_loads_distinct", "global_stores", "local_loads_distinct", "local_stores")
	}},
	{"access", "lines", func(l *launch) float64 { return l.busiest * l.items * l.value("lines_distinct") }},
	{"access", "wavefronts", func(l *launch) float64 { return l.busiest * l.items * l.value("wavefronts") }},

	{"issue", "operations", func(l *launch) float64 { return l.work("adds", "muls", "madds") }},
	{"issue", "special", func(l *launch) float64 { return l.work("divs", "special_ops", "other_ops") }},
	{"issue", "control", func(l *launch) float64 { return l.work("load_rounds", "ifs", "selects", "statements") }},
	{"issue", "barriers", func(l *launch) float64 { return l.work("barriers") }},
	{"issue", "groups", func(l *launch) float64 { return l.busiest * l.value("work_groups") }},

	// Loads of a straight line of code are on their way together, those of local memory at no further cost; of global memory a
	// multiprocessor keeps so many and no more.
	{"latency", "rounds", func(l *launch) float64 { return l.wait("load_rounds") }},
	{"latency", "barriers", func(l *launch) float64 { return l.wait("barriers") }},
	{"latency", "loads", func(l *launch) float64 { return l.wait("global_loads_distinct") }},
}

// physicsRoof numbers the roofs of the terms; 0 is the start.
var physicsRoof = func() (out []int) {
	var names []string
	for _, t := range physicsTerms {
		i := slices.Index(names, t.roof)
		if i < 0 {
			i, names = len(names), append(names, t.roof)
		}
		out = append(out, i)
	}
	return out
}()

const (
	// A term is taken to be a fifth of the time before anything is known, and known as well as priorWeight points say it: so that
	// terms which the points do not tell apart stay what they are.
	priorShare  = 0.2
	priorWeight = 0.1
	priorPower  = 2 // p
)

// physicsOf computes the terms of a point with features of these names. A missing one is an error.
func physicsOf(names []string) (func(row []float64) []float64, error) {
	at := map[string]int{}
	for i, name := range names {
		at[name] = i
	}
	missing := ""
	of := func(row []float64) []float64 {
		l := newLaunch(func(name string) float64 {
			if i, ok := at[name]; ok {
				return row[i]
			}
			missing = name
			return 0
		})
		out := make([]float64, len(physicsTerms))
		for i, t := range physicsTerms {
			out[i] = max(t.of(l), 0)
		}
		return out
	}
	if of(make([]float64, len(names))); missing != "" {
		return nil, fmt.Errorf("the points have no feature %s", missing)
	}
	return of, nil
}

// physics is the fitted law.
type physics struct {
	scale []float64 // by term: what of it is a second, on the average
	theta []float64 // logarithms of the coefficients, by scale, then of p - 1
}

// logTime is the logarithm of the time of a launch with these terms, in seconds. Derivatives by theta are stored in d, if that
// is not nil.
func (m *physics) logTime(theta, x, d []float64) float64 {
	var part [32]float64
	var roofs, pull [8]float64
	for i, v := range x {
		part[i] = math.Exp(theta[i]) * v / m.scale[i]
		roofs[physicsRoof[i]] += part[i]
	}
	p := 1 + math.Exp(theta[len(x)])
	most := max(slices.Max(roofs[1:]), 1e-12)
	sum, slope := 0.0, 0.0
	for k, r := range roofs {
		if r /= most; k > 0 && r > 0 {
			power := math.Pow(r, p)
			sum += power
			slope += power * math.Log(r)
			pull[k] = power / r
		}
	}
	if sum == 0 {
		sum = 1
	}
	overlapped := most * math.Pow(sum, 1/p)
	t := roofs[0] + overlapped
	if d != nil {
		for i := range x {
			if k := physicsRoof[i]; k == 0 {
				d[i] = part[i] / t
			} else {
				d[i] = overlapped / t * pull[k] / sum * part[i] / most
			}
		}
		d[len(x)] = overlapped / t * (slope/(p*sum) - math.Log(sum)/(p*p)) * (p - 1)
	}
	return math.Log(t)
}

// fitPhysics learns the coefficients. Points weigh by their throughput: of slow ones it is enough to know that they are.
func fitPhysics(train *Set) (Scorer, error) { return newPhysics(train) }

func newPhysics(train *Set) (*physics, error) {
	of, err := physicsOf(train.Names)
	if err != nil {
		return nil, err
	}
	if err := train.Check(); err != nil {
		return nil, err
	}
	var rows [][]float64
	var times, weights []float64
	for i, throughput := range train.Throughput() {
		if throughput > 0 {
			rows = append(rows, of(train.Points[i].Features))
			times, weights = append(times, math.Log(train.Points[i].Seconds)), append(weights, throughput)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("there is no measured point to learn from")
	}
	n := len(physicsTerms)
	m := &physics{scale: make([]float64, n)}
	for j := range n {
		for i := range rows {
			m.scale[j] += rows[i][j] / math.Exp(times[i]) / float64(len(rows))
		}
		if m.scale[j] == 0 {
			m.scale[j] = 1
		}
	}
	prior := make([]float64, n+1)
	lower, upper := make([]float64, n+1), make([]float64, n+1)
	for j := range n {
		prior[j], lower[j], upper[j] = math.Log(priorShare), -20, 5
	}
	prior[n], lower[n], upper[n] = math.Log(priorPower-1), -5, 3
	fit, err := lm.Minimize(context.Background(), lm.Problem{
		M: len(rows) + n + 1, N: n + 1,
		Residual: func(theta, r []float64) {
			parallel(len(rows), func(i int) { r[i] = weights[i] * (m.logTime(theta, rows[i], nil) - times[i]) })
			for j := range theta {
				r[len(rows)+j] = priorWeight * (theta[j] - prior[j])
			}
		},
		Jacobian: func(theta []float64, out *mat.Dense) {
			out.Zero()
			parallel(len(rows), func(i int) {
				d := out.RawRowView(i)
				m.logTime(theta, rows[i], d)
				for j := range d {
					d[j] *= weights[i]
				}
			})
			for j := range theta {
				out.Set(len(rows)+j, j, priorWeight)
			}
		},
	}, prior, &lm.Settings{Lower: lower, Upper: upper, MaxEvaluations: 100, NoPolish: true, Ftol: 1e-5, Xtol: 1e-4})
	if err != nil {
		return nil, err
	}
	m.theta = fit.P
	return m, nil
}

// Score gives the logarithm of the rate, 1/s: throughput as such.
func (m *physics) Score(s *Set) ([]float64, error) {
	of, err := physicsOf(s.Names)
	if err != nil {
		return nil, fmt.Errorf("ranker physics: %w", err)
	}
	out := make([]float64, len(s.Points))
	parallel(len(out), func(i int) { out[i] = -m.logTime(m.theta, of(s.Points[i].Features), nil) })
	return out, nil
}

// physicsNeeds says what features are missing for the terms, or nil.
func physicsNeeds(names []string) error {
	_, err := physicsOf(names)
	return err
}
