package campaign

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/warning"
	"gpuperf/workload"
)

// Counted is a kernel with its counts.
type Counted struct {
	workload.Case // without sizes where the counts are formulas alone
	Statistics    *features.Statistics
	alone         []features.Record // counts at the sizes for which there is no formula
}

// CountsAt counts what the kernels of a file do at each of several sizes, kernel by kernel.
func CountsAt(ctx context.Context, o frontend.Options, path string, at []map[string]int64, counting features.Options) (all []*Counted, warnings []string, err error) {
	bySize := make([][]*Counted, len(at))
	for i, sizes := range at {
		of, doubts, err := Counts(ctx, o, path, sizes, counting)
		if err != nil {
			return nil, nil, err
		}
		bySize[i] = of
		for _, text := range doubts {
			if !slices.Contains(warnings, text) {
				warnings = append(warnings, text)
			}
		}
	}
	for k := range bySize[0] {
		for _, of := range bySize {
			all = append(all, of[k])
		}
	}
	return all, warnings, nil
}

// Counts counts what the kernels of a file do, as formulas. With sizes, or
// those of a launch file, they have values, too.
func Counts(ctx context.Context, o frontend.Options, path string, at map[string]int64, counting features.Options) (all []*Counted, warnings []string, err error) {
	kernels, err := o.Load(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return countsOf(ctx, kernels, at, counting)
}

// countsOf is Counts of kernels that are loaded.
func countsOf(ctx context.Context, kernels []*frontend.Kernel, at map[string]int64, counting features.Options) (all []*Counted, warnings []string, err error) {
	for _, k := range kernels {
		own := ownSizes(k, kernels, []map[string]int64{at})[0]
		if k, err = k.At(ctx, own); err != nil {
			return nil, nil, err
		}
		c := &Counted{Case: *newCase(k, wrap(k), own)}
		if own == nil && k.Sizes == nil {
			c.Sizes = nil
		} else if err := c.CheckCounting(); err != nil {
			return nil, nil, &InputError{err}
		}
		switch within, err := k.Kernel.Match(counting.Within); {
		case err != nil:
			return nil, nil, inputf("--within: %v", err)
		case len(within) == 0 && counting.Within != "":
			warnings = append(warnings, warning.NoMatch.About("kernel "+k.Name, "--within %s selects no statement of it", counting.Within))
		}
		if c.Statistics, err = c.Case.Statistics(c.Counting(counting)); err != nil {
			return nil, nil, k.Error(err)
		}
		if len(c.Statistics.Warnings) > 0 && c.Sizes != nil {
			fixed, err := c.Case.Counts(c.Counting(counting))
			if err != nil {
				return nil, nil, k.Error(err)
			}
			c.alone = c.Statistics.Alone(fixed)
		}
		hint := ""
		takes := slices.DeleteFunc(slices.Clone(k.Takes()), func(n string) bool { return c.OpenArray(n) != nil }) // whose extent follows from the others
		if c.Sizes == nil && c.Statistics.Limited() && len(takes) > 0 {
			hint = "; it may be counted at given sizes: -p " + strings.Join(takes, "=VALUE,") + "=VALUE"
		}
		for _, w := range c.Statistics.Warnings {
			warnings = append(warnings, warning.NotCounted.About(k.Name, "%v%s", w, hint))
			hint = ""
		}
		if verdict := c.Undefined(); c.Sizes != nil && verdict != nil {
			warnings = append(warnings, warning.Undefined.About(k.Name, "%s", verdict.Msg))
		}
		warnings = append(warnings, undefined(&c.Case)...)
		all = append(all, c)
	}
	return all, warnings, nil
}

// inPart reports whether parts of a case are not counted, and nobody says that these do not matter.
func inPart(c *workload.Case) bool {
	return c != nil && c.Kernel != nil && c.IR != nil && len(c.IR.Opaque) > 0 && !(c.Own != nil && c.Own.Disregard)
}

// without are the parts of a case that are not counted, each with its line and the reason.
func without(c *workload.Case) (parts []string) {
	if c.Kernel == nil || c.IR == nil {
		return nil
	}
	for _, o := range c.IR.Opaque {
		parts = append(parts, fmt.Sprintf("line %d (%s)", o.Place.Line, o.Text))
	}
	return parts
}

func notCounted(c *workload.Case, parts []string) string {
	hint := ""
	if c.Own != nil && len(c.Own.Whole) > 0 {
		hint = "; it may be read whole at given sizes: -p " + strings.Join(c.Own.Whole, "=VALUE,") + "=VALUE"
	}
	return warning.Opaque.About("kernel "+c.Name, "opaque, and not counted: %s%s", strings.Join(parts, ", "), hint)
}

func undefined(c *workload.Case) (warnings []string) {
	for _, text := range c.Doubts() {
		warnings = append(warnings, warning.Undefined.About("kernel "+c.Name, "%s", text))
	}
	if parts := without(c); len(parts) > 0 {
		warnings = append(warnings, notCounted(c, parts))
	}
	if c.Own != nil && c.Own.Passed != nil && c.Own.Passed() != "" {
		warnings = append(warnings, warning.MissingHeader.About("kernel "+c.Name, "%s", c.Own.Passed()))
	}
	return warnings
}

// JSON is the object of the counts. An instance of a template has its arguments in its name.
func (c *Counted) JSON() (any, error) {
	o, err := c.Statistics.JSON(c.Sizes, c.alone...)
	if err == nil && c.Own != nil {
		o.Kernel = c.Name
	}
	if err == nil {
		o.Without = without(&c.Case)
	}
	return o, err
}

// WriteCounts writes tables of counts: of a kernel at several sizes one, as far as the same is counted at all of them.
func WriteCounts(w io.Writer, all []*Counted) error {
	for i := 0; i < len(all); {
		of := all[i : i+1]
		for i+len(of) < len(all) && of[0].countsAs(all[i+len(of)]) {
			of = all[i : i+len(of)+1]
		}
		var columns []features.Values
		for _, c := range of {
			if c.Sizes == nil {
				continue
			}
			head := "value"
			if len(of) > 1 {
				head = ">" + format.Sizes(c.Sizes)
			}
			v, err := c.Statistics.Values(head, c.Sizes, c.alone)
			if err != nil {
				return err
			}
			columns = append(columns, v)
		}
		title := of[0].Name
		if len(of) == 1 && len(all) > 1 && all[0].Name == all[len(all)-1].Name {
			title += " " + format.Sizes(of[0].Sizes)
		}
		part := ""
		if parts := without(&of[0].Case); len(parts) > 0 {
			part = ", in part: " + format.Count(len(parts), "opaque statement") + " not counted"
		}
		fmt.Fprintf(w, "%s%s, sub-groups of %d%s\n", strings.Repeat("\n", min(i, 1)), title, of[0].Statistics.SubgroupSize, part)
		if err := of[0].Statistics.Write(w, of[0].alone, columns...); err != nil {
			return err
		}
		i += len(of)
	}
	return nil
}

// countsAs reports whether the counts of a kernel at other sizes are those of the same things.
func (c *Counted) countsAs(o *Counted) bool {
	same := func(a, b features.Record) bool {
		return a.Key.String() == b.Key.String() && a.Count.String() == b.Count.String()
	}
	return c.Name == o.Name && c.Sizes != nil && slices.EqualFunc(c.Statistics.Records, o.Statistics.Records, same) &&
		slices.EqualFunc(c.alone, o.alone, func(a, b features.Record) bool { return a.Key.String() == b.Key.String() })
}

// FeatureValues are the values of features of a kernel at sizes.
type FeatureValues struct {
	Kernel   string           `json:"kernel"`
	At       map[string]int64 `json:"at"`
	Features []FeatureValue   `json:"features"`
}

// FeatureValue is the value of a feature, with the keys of the counts that it adds up.
type FeatureValue struct {
	Feature string   `json:"feature"`
	Value   float64  `json:"value"`
	Selects []string `json:"selects"`
}

// Features evaluates features of cases.
func Features(cases []*workload.Case, ids []features.ID, counting features.Options) (all []FeatureValues, warnings []string, err error) {
	for _, c := range cases {
		statistics, err := c.Statistics(c.Counting(counting))
		if err != nil {
			return nil, nil, err
		}
		if list := statistics.AsIfHeld(); len(list) > 0 {
			warnings = append(warnings, warning.Estimated.About(c.Name, "conditions of %s depend on data or are not affine: counted as if they held", strings.Join(list, ", ")))
		}
		if parts := without(c); len(parts) > 0 {
			warnings = append(warnings, notCounted(c, parts))
		}
		r := FeatureValues{Kernel: c.Name, At: c.Sizes}
		for _, id := range ids {
			v, err := statistics.Value(id, c.Sizes)
			if err != nil {
				return nil, nil, ofKernel(c.Name, err)
			}
			if tags, unknown := statistics.UnknownTag(id); unknown {
				warnings = append(warnings, warning.NoMatch.About("feature "+id.String(), "no access of kernel %s has the tag %q%s", c.Name, id.Tag, knownTags(tags)))
			}
			r.Features = append(r.Features, FeatureValue{id.String(), v, statistics.Explain(id)})
		}
		all = append(all, r)
	}
	return all, warnings, nil
}

// ofKernel puts the name of a kernel before an error that does not begin with it.
func ofKernel(name string, err error) error {
	if prefix := "kernel " + name + ": "; !strings.HasPrefix(err.Error(), prefix) {
		return fmt.Errorf("%s%w", prefix, err)
	}
	return err
}

func knownTags(tags []string) string {
	if len(tags) == 0 {
		return ": none has one"
	}
	return ": there are " + strings.Join(tags, ", ")
}

// FeatureTable is a table of values, a row for each.
func FeatureTable(all []FeatureValues) *format.Table {
	t := format.NewTable("kernel", "sizes", "feature", ">value")
	for _, r := range all {
		for _, f := range r.Features {
			t.Row(r.Kernel, format.Sizes(r.At), f.Feature, fmt.Sprintf("%.17g", f.Value))
		}
	}
	return t
}
