package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/models"
	"gpuperf/samples"
)

// required are the keys that every calibration of a profile has.
var required = []string{
	"model", "parameters", "rows", "kernels", "freedom", "scale_by_output", "residual", "feature_range", "definition", "origin",
}

// least are the numbers on which predictions depend, wherever they stand in a profile, with the least value of each.
var least = map[string]float64{
	"residual": 0, "log_spread": 0, "misfit": 0, "freedom": 0, "rows": 1, "kernels": 0,
	"level": 0, "points": 0, "half_width": 0, "inside": 0,
	"compute_units": 0, "subgroup_size": 0, "clock_mhz": 0,
}

// whole are those of them that are integers.
var whole = []string{"freedom", "rows", "kernels", "points", "compute_units", "subgroup_size", "clock_mhz"}

// checkValues refuses values that no calibration writes. The definitions that cannot be read are no mistake of the file: it returns why, by
// model.
func checkValues(root *yamlfile.Node) (unread map[string]error) {
	checkNumbers("the profile", root)
	if device := root.Get("device"); device == nil || device.Get("name") == nil || device.Get("name").Text == "" {
		panic(throw.Of(root.Errorf("the profile names no device").WithHint("a calibration writes device: with the name of the device and what its driver tells")))
	}
	for _, r := range itemsOf(root.Get("roof")) {
		checkReached(r)
	}
	seen := map[string]bool{}
	unread = map[string]error{}
	for _, c := range itemsOf(root.Get("models")) {
		checkCalibration(c)
		model := c.Get("model")
		definition, err := parseDefinition(c.Get("definition"))
		if err != nil {
			unread[model.Text] = err
		} else {
			checkFit(definition, c)
		}
		if seen[model.Text] {
			panic(throw.Of(model.Errorf("the profile has model %s twice", model.Text).WithHint("a profile holds one calibration of each model: remove one")))
		}
		seen[model.Text] = true
	}
	return unread
}

// checkReached refuses a rate that is no rate of its resource.
func checkReached(r *yamlfile.Node) {
	resource, rate, unit := r.Get("resource"), r.Get("rate"), r.Get("unit")
	if resource == nil || rate == nil || unit == nil {
		panic(throw.Of(r.Errorf("a rate of the roof needs resource:, rate: and unit:")))
	}
	if v, err := rate.Float(); err != nil || !(v > 0) || math.IsInf(v, 0) {
		panic(throw.Of(rate.Errorf("the rate of %s is %s", resource.Text, rate.Text).WithHint("it is a finite number above 0")))
	}
	want := map[string]string{"global memory": "B/s", "launches": "launches/s"}[resource.Text]
	if strings.HasSuffix(resource.Text, " arithmetic") {
		want = "op/s"
	}
	if want != unit.Text {
		panic(throw.Of(unit.Errorf("%q is not the unit of a rate of %q", unit.Text, resource.Text).WithHint("rates of global memory are in B/s, of launches in launches/s, of arithmetic in op/s")))
	}
}

// itemsOf are the items of a list, none where there is no list.
func itemsOf(n *yamlfile.Node) []*yamlfile.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// checkNumbers refuses empty values, and numbers out of their range.
func checkNumbers(key string, n *yamlfile.Node) {
	if n.Kind == yamlfile.Null {
		panic(throw.Of(n.Errorf("%s has no value", key)))
	}
	if from, ok := least[key]; ok && n.Kind == yamlfile.Scalar {
		if v, err := n.Float(); err != nil || v < from || math.IsInf(v, 0) {
			panic(throw.Of(n.Errorf("%s is %s", key, n.Text).WithHint("it is a finite number, %v or greater", from)))
		} else if v != math.Trunc(v) && slices.Contains(whole, key) {
			panic(throw.Of(n.Errorf("%s is %s", key, n.Text).WithHint("it is an integer")))
		}
	}
	for _, e := range n.Entries {
		checkNumbers(e.Key.Text, e.Value)
	}
	for _, item := range n.Items {
		checkNumbers("an item of "+key, item)
	}
}

func checkCalibration(c *yamlfile.Node) {
	for _, key := range required {
		if c.Get(key) == nil {
			panic(throw.Of(c.Errorf("the calibration has no %s", key).WithHint("calibrate the model again")))
		}
	}
	if name := c.Get("model"); name.Text == "" {
		panic(throw.Of(name.Errorf("the model has no name")))
	}
	if cache := c.Get("origin").Get("cache"); cache != nil && cache.Text != string(samples.Warm) && cache.Text != string(samples.Cold) {
		panic(throw.Of(cache.Errorf("%s is no state of the caches", cache.Text).WithHint("write warm or cold")))
	}
}

// checkFit checks what was fitted against the model.
func checkFit(model *models.Model, c *yamlfile.Node) {
	estimates := c.Get("parameters")
	var names []string
	for _, e := range itemsOf(estimates) {
		checkEstimate(model, e, names)
		names = append(names, e.Get("name").Text)
	}
	for _, name := range model.ParameterNames() {
		if !slices.Contains(names, name) {
			panic(throw.Of(estimates.Errorf("parameter %s of the definition is not among the parameters", name).WithHint("calibrate the model again")))
		}
	}
	for _, e := range c.Get("feature_range").Entries {
		if v, err := throw.Value(func() []float64 { return numbers(e.Value, 2) }); err != nil {
			panic(throw.Of(err))
		} else if v[0] > v[1] {
			panic(throw.Of(e.Value.Errorf("the range of %s ends before it begins", e.Key.Text).WithHint("a range is two numbers, the smaller first")))
		}
	}
	for _, direction := range itemsOf(c.Get("undetermined")) {
		numbers(direction, len(names))
	}
	if covariance := c.Get("covariance"); covariance != nil {
		checkCovariance(covariance, names)
	}
}

// parseDefinition reads the model file in a profile. Its errors stand where they are in the profile.
func parseDefinition(n *yamlfile.Node) (*models.Model, error) {
	m, err := models.Parse("", []byte(n.Text))
	var inner *source.Error
	if errors.As(err, &inner) {
		offset := max(0, inner.Pos.Column-1)
		for i, line := range slices.Collect(strings.SplitAfterSeq(n.Text, "\n")) {
			if i+1 < inner.Pos.Line {
				offset += utf8.RuneCountInString(line)
			}
		}
		return nil, n.ErrorIn(offset, "the definition of the model: %s", inner.Msg).WithHint("%s", inner.Hint)
	}
	return m, err
}

// checkEstimate checks one parameter; those before it are named.
func checkEstimate(model *models.Model, e *yamlfile.Node, before []string) {
	name, value, stderr := e.Get("name"), e.Get("value"), e.Get("stderr")
	switch {
	case name == nil:
		panic(throw.Of(e.Errorf("the parameter has no name")))
	case slices.Contains(before, name.Text):
		panic(throw.Of(name.Errorf("parameter %s stands here twice", name.Text)))
	case !slices.Contains(model.ParameterNames(), name.Text):
		panic(throw.Of(name.Errorf("the definition of the model has no parameter %s", name.Text).WithHint("it has: %s", strings.Join(model.ParameterNames(), ", "))))
	case value == nil:
		panic(throw.Of(e.Errorf("parameter %s has no value", name.Text)))
	case stderr == nil:
		panic(throw.Of(e.Errorf("parameter %s has no stderr", name.Text).WithHint("its standard error: .nan where it is not known")))
	}
	v := throw.Get(value.Float())
	allowed := model.Parameter(name.Text)
	if math.IsInf(v, 0) || v < allowed.Min || v > allowed.Max {
		panic(throw.Of(value.Errorf("parameter %s is %s", name.Text, value.Text).WithHint("%s", boundsText(allowed))))
	}
	if v, err := stderr.Float(); err == nil && v < 0 {
		panic(throw.Of(stderr.Errorf("a standard error is not negative")))
	}
	checkPrior(e.Get("prior"))
}

// checkPrior checks what a general fit says of a parameter, nil for none.
func checkPrior(prior *yamlfile.Node) {
	if prior == nil {
		return
	}
	for _, key := range []string{"value", "stderr"} {
		n := prior.Get(key)
		if n == nil {
			panic(throw.Of(prior.Errorf("the prior has no %s", key)))
		}
		if v, err := n.Float(); err != nil || !(v >= 0) || math.IsInf(v, 0) {
			panic(throw.Of(n.Errorf("the %s of a prior is %s", key, n.Text).WithHint("it is a finite number, 0 or greater")))
		}
	}
}

// boundsText says which values a model allows for a parameter.
func boundsText(p models.Parameter) string {
	switch {
	case math.IsInf(p.Min, -1) && math.IsInf(p.Max, 1):
		return "a parameter is a finite number"
	case math.IsInf(p.Max, 1):
		return fmt.Sprintf("the model allows finite numbers, %v or greater", p.Min)
	case math.IsInf(p.Min, -1):
		return fmt.Sprintf("the model allows finite numbers, %v or less", p.Max)
	}
	return fmt.Sprintf("the model allows numbers from %v to %v", p.Min, p.Max)
}

// numbers reads a list of finite numbers.
func numbers(n *yamlfile.Node, count int) []float64 {
	items := throw.Get(n.List())
	if len(items) != count {
		panic(throw.Of(n.Errorf("there are %d numbers here and not %d", len(items), count)))
	}
	out := make([]float64, count)
	for i, item := range items {
		out[i] = throw.Get(item.Float())
		if math.IsInf(out[i], 0) {
			panic(throw.Of(item.Errorf("expected a finite number")))
		}
	}
	return out
}

// checkCovariance refuses a matrix that is no covariance of the parameters.
func checkCovariance(n *yamlfile.Node, names []string) {
	rows := itemsOf(n)
	if len(rows) != len(names) {
		panic(throw.Of(n.Errorf("the covariance has %d rows for %d parameters", len(rows), len(names))))
	}
	const rounding = 1e-6 // of correlations
	c := make([][]float64, len(rows))
	correlation := mat.NewSymDense(len(rows), nil)
	for i, row := range rows {
		c[i] = numbers(row, len(names))
		if c[i][i] < 0 {
			panic(throw.Of(row.Items[i].Errorf("the variance of %s is negative", names[i])))
		}
		for j, v := range c[i][:i] {
			scale := math.Sqrt(c[i][i]) * math.Sqrt(c[j][j])
			switch off := math.Abs(v - c[j][i]); {
			case off > rounding*scale:
				panic(throw.Of(row.Items[j].Errorf("the covariance is not symmetric: %g here, and %g in row %d", v, c[j][i], j+1)))
			case math.Abs(v) > (1+rounding)*scale:
				panic(throw.Of(row.Items[j].Errorf("%s and %s would have a correlation beyond 1", names[i], names[j])))
			case scale > 0:
				correlation.SetSym(i, j, v/scale)
			}
		}
		correlation.SetSym(i, i, 1)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(correlation, false) || slices.Min(eigen.Values(nil)) < -rounding {
		panic(throw.Of(n.Errorf("this is no covariance: a combination of the parameters would have a negative variance")))
	}
}
