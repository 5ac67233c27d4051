package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gpuperf/internal/warning"
	"gpuperf/models"
)

// known is a model with parameters that are known, and rows that it gives.
type known struct {
	text  string // of the model file
	model *models.Model
	truth map[string]float64
	rows  []Row
	exact []float64 // the outputs before noise
	noise float64
}

// drawing draws known models of many shapes, over features and costs of many magnitudes.
type drawing struct {
	*rand.Rand
	truth    map[string]float64
	features []string
	scale    map[string]float64 // a middle value of each feature
	decades  map[string]float64 // by how much it varies
}

func (d *drawing) log(from, to float64) float64 { return math.Pow(10, from+(to-from)*d.Float64()) }

func (d *drawing) feature() string {
	name := fmt.Sprintf("f_%c", 'x'+rune(d.IntN(3)))
	if _, ok := d.scale[name]; !ok {
		d.features = append(d.features, name)
		d.scale[name], d.decades[name] = d.log(-3, 9), 1+2*d.Float64()
	}
	return name
}

func (d *drawing) parameter(value float64) string {
	name := fmt.Sprintf("p_%c", 'a'+rune(len(d.truth)))
	d.truth[name] = value
	return name
}

// cost is an expression whose values are about the given size.
func (d *drawing) cost(size float64) string {
	f := d.feature()
	x, near := d.scale[f], d.log(-0.5, 0.5)
	switch d.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("%s * %s", d.parameter(size/x), f)
	case 2:
		p := 0.5 + d.Float64()
		return fmt.Sprintf("%s * %s ** %s", d.parameter(size/math.Pow(x, p)), f, d.parameter(p))
	case 3:
		return fmt.Sprintf("%s * exp(-%s * %s)", d.parameter(size), d.parameter(near/x), f)
	case 4:
		return fmt.Sprintf("%s * (1 - exp(-%s * %s))", d.parameter(size), d.parameter(near/x), f)
	case 5:
		return fmt.Sprintf("%s * %s / (%s + %s)", d.parameter(size), f, d.parameter(x*near), f)
	case 6:
		a := d.parameter(size)
		return fmt.Sprintf("%s / (1 + %s * %s * %s)", a, a, d.parameter(near/x/size), f)
	case 7:
		return fmt.Sprintf("%s / (%s + %s)", d.parameter(size*x), d.parameter(x*near), f)
	}
	g := d.feature()
	return fmt.Sprintf("%s * %s * (1 + %s * %s)", d.parameter(size/x), f, d.parameter(near/d.scale[g]), g)
}

func (d *drawing) expression() string {
	size := d.log(-9, 6)
	switch d.IntN(7) {
	case 0, 1:
		return d.cost(size)
	case 2, 3:
		return d.cost(size) + " + " + d.cost(size*d.log(-0.5, 0.5))
	case 4:
		return fmt.Sprintf("overlap(%s, %s, %s)", d.cost(size), d.cost(size*d.log(-0.5, 0.5)), d.parameter(d.log(1.5, 2)))
	case 5:
		return fmt.Sprintf("pnorm(%s, %s, %s)", d.cost(size), d.cost(size*d.log(-0.5, 0.5)), d.parameter(d.log(0.1, 1)))
	}
	return fmt.Sprintf("(%s) * (%s)", d.cost(size), d.cost(1))
}

func drawKnown(seed uint64) known {
	d := &drawing{rand.New(rand.NewPCG(seed, 7)), map[string]float64{}, nil, map[string]float64{}, map[string]float64{}}
	text := "version: 1\nname: known\noutput: f_t\nexpression: " + d.expression() + "\n"
	scaled := d.IntN(2) == 0
	if scaled {
		text += "fit: {scale_by_output: true, nonnegative: true}\n"
	}
	m, err := models.Parse("known.yaml", []byte(text))
	if err != nil {
		panic(err)
	}
	k := known{text: text, model: m, truth: d.truth}
	if d.IntN(2) == 0 {
		k.noise = 0.01
	}
	for range 12 + d.IntN(30) {
		row := Row{Features: map[string]float64{}}
		for _, f := range d.features {
			row.Features[f] = d.scale[f] * math.Pow(10, d.decades[f]*(d.Float64()-0.5))
		}
		k.rows = append(k.rows, row)
	}
	c, err := m.Compile()
	if err != nil {
		panic(err)
	}
	var p []float64
	for _, name := range c.Parameters {
		p = append(p, d.truth[name])
	}
	for i := range k.rows {
		var x []float64
		for _, name := range c.Features {
			x = append(x, k.rows[i].Features[name])
		}
		exact := c.Eval(x, p)
		k.exact = append(k.exact, exact)
		k.rows[i].Output = exact * (1 + k.noise*d.NormFloat64())
	}
	return k
}

// off is how far the fit is from the exact outputs, and the measured outputs are from them: root mean squares, weighted as the fit weighs its rows and relative to
// the outputs.
func (k known) off(fit *Fit) (of, noise float64) {
	p, err := NewPredictor(k.model, fit)
	if err != nil {
		panic(err)
	}
	size := 0.0
	for i, r := range k.rows {
		w := 1.0
		if fit.ScaleByOutput {
			w = 1 / r.Output
		}
		at, err := p.Predict(r.Features)
		if err != nil {
			return math.Inf(1), noise
		}
		of, noise, size = math.Hypot(of, w*(at.Seconds-k.exact[i])), math.Hypot(noise, w*(r.Output-k.exact[i])), math.Hypot(size, w*r.Output)
	}
	return of / size, noise / size
}

// doubted reports whether the fit says that its parameters may be wrong.
func doubted(fit *Fit, kinds ...warning.Kind) bool {
	for _, w := range fit.Warnings {
		for _, kind := range kinds {
			if warning.KindOf(w) == kind {
				return true
			}
		}
	}
	return false
}

// TestKnownModels fits models of known parameters without starting values: what is found is right, or said not to be.
func TestKnownModels(t *testing.T) {
	n := 24
	if os.Getenv("LONG") != "" {
		n = 1000
	}
	count := map[string]int{}
	for seed := range uint64(n) {
		k := drawKnown(seed)
		fit, err := FitRows(context.Background(), k.model, k.rows, Options{NoCrossValidation: true})
		if err != nil {
			count["refused"]++
			t.Errorf("seed %d: %v\n%s", seed, err, k.text)
			continue
		}
		of, noise := k.off(fit)
		said := doubted(fit, warning.NotConverged, warning.PoorFit, warning.Undetermined, warning.TwoSolutions, warning.Correlated, warning.FewRows, warning.SoftEdge)
		right := of <= 1e-4+2*noise
		parameters := true
		for _, e := range fit.Parameters {
			if math.Abs(e.Value-k.truth[e.Name]) > (1e-3+3*noise)*math.Abs(k.truth[e.Name])+8*e.StdErr {
				parameters = false
			}
		}
		what := "found"
		switch {
		case !right && said:
			what = "missed, and said"
			if testing.Verbose() {
				t.Logf("seed %d: said, off by %g, noise %g\n%s%v\n%v\n%s", seed, of, noise, k.text, k.truth, fit.Parameters, strings.Join(fit.Warnings, "\n"))
			}
		case !right:
			what = "missed silently"
			t.Errorf("seed %d: off by %g, noise %g\n%s%v\n%v\n%s", seed, of, noise, k.text, k.truth, fit.Parameters, strings.Join(fit.Warnings, "\n"))
		case !parameters && said:
			what = "found, other parameters, and said"
		case !parameters:
			what = "found, other parameters silently"
			t.Errorf("seed %d: other parameters\n%s%v\n%v\n%s", seed, k.text, k.truth, fit.Parameters, strings.Join(fit.Warnings, "\n"))
		}
		count[what]++
	}
	t.Logf("of %d models: %v", n, count)
}
