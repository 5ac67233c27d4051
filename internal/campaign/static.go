package campaign

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/explain"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Static evaluates the static features of cases.
func Static(cases []*workload.Case, opt launch.Options) (all []*launch.Vector, warnings []string, err error) {
	for _, c := range cases {
		if err := c.CheckSizes(); err != nil {
			return nil, nil, &InputError{err}
		}
		program, err := c.Static(opt)
		if err != nil {
			return nil, nil, err
		}
		v, err := program.At(c.Sizes)
		if err != nil {
			return nil, nil, err
		}
		v.Kernel = c.Name
		if !v.Exact {
			warnings = append(warnings, warning.Estimated.About(c.Name, "work-items differ so much that features are estimated from a sample of them"))
		}
		all = append(all, v)
	}
	return all, warnings, nil
}

// WriteStatic writes the static features of cases.
func WriteStatic(w io.Writer, cases []*workload.Case, all []*launch.Vector) error {
	for i, v := range all {
		fmt.Fprintf(w, "%s%s, %s\n", strings.Repeat("\n", min(i, 1)), v.Kernel, samples.Identity{Source: "at", Sizes: cases[i].Sizes})
		if err := v.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// programOf is the launch of a case as compilers make it.
func programOf(p *Predictor, c *workload.Case) (*launch.Program, error) {
	return c.Static(launch.Options{SubgroupSize: int(p.Device.SubgroupSize), Device: p.Facts, Compiled: true, Values: true})
}

// called is what warnings about a case call a feature, or a parameter by what it is the cost of; "" where there are no words for it.
func called(p *Predictor, c *workload.Case, values map[string]float64, name string) string {
	var statistics *features.Statistics // which totals need not
	if !p.Static() {
		var err error
		if statistics, err = c.Counts(features.Options{SubgroupSize: int(p.Device.SubgroupSize)}); err != nil {
			return ""
		}
	}
	if id, err := features.ParseID(name); err == nil {
		return explain.Words(statistics, c.Sizes, []features.ID{id})
	}
	var ids []features.ID
	params := map[string]float64{}
	for _, e := range p.Fit.Parameters {
		params[e.Name] = e.Value
	}
	parts, _ := p.Model.Split(values, params)
	for _, part := range parts {
		if part.Parameter == name {
			more, _ := features.ParseIDs(part.Features()) // of a model, whose features were read before
			ids = append(ids, more...)
		}
	}
	if words := explain.Words(statistics, c.Sizes, ids); words != "" {
		return "the cost of " + words
	}
	return ""
}

// assumed says what of a case follows from data that nobody knows, and is assumed: addresses in arrays that L1 does not hold, and conditions.
func assumed(p *Predictor, c *workload.Case) (warnings []string, err error) {
	if !p.Static() || !p.Facts.Known(facts.L1Bytes) {
		return nil, nil
	}
	program, err := programOf(p, c)
	if err != nil {
		return nil, err
	}
	var arrays, lines []string
	for _, a := range program.Scattered() {
		if n, err := a.Elements(c.Sizes); err != nil || n*a.DType.Size() > p.Facts.Int(facts.L1Bytes) {
			arrays = append(arrays, a.Name)
		}
	}
	for _, at := range program.Conditional() {
		lines = append(lines, strconv.Itoa(at.Line))
	}
	if len(arrays) > 0 {
		warnings = append(warnings, warning.Estimated.About("", "addresses in %s follow from data, and are taken to be any: it takes less where neighbours access what is near", format.First(arrays, 3)))
	}
	if len(lines) > 0 {
		warnings = append(warnings, warning.Estimated.About("", "what conditions on data guard is taken to be run by all (from line %s on): it takes less where few do", format.First(lines, 3)))
	}
	return warnings, nil
}
