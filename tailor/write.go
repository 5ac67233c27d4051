package tailor

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/models"
	"gpuperf/workload"
)

// text writes the model file.
func (c *content) text(opt Options, form models.Form, subjects []*subject, patterns, small []*Pattern, measure []planned) string {
	var b strings.Builder
	c.header(&b, opt, form, subjects, patterns, small)
	fmt.Fprintf(&b, "version: 1\nname: %s\noutput: f_cl_wall_time\n", opt.Name)
	used := slices.DeleteFunc(slices.Clone(c.own), func(o ownFeature) bool {
		return !c.uses(o.name) || o.name == farFeature && c.findsEdge(form)
	})
	if len(used) > 0 {
		b.WriteString("features:\n")
		for _, o := range used {
			fmt.Fprintf(&b, "  # %s\n  %s: %s\n", o.why, o.name, o.expression)
		}
	}
	b.WriteString("terms:\n")
	for _, p := range []part{overhead, gmem, onchip} {
		fmt.Fprintf(&b, "  %s: >-\n", p)
		for i, sum := range c.sum(p, form) {
			sign := ""
			if i > 0 {
				sign = "+ "
			}
			fmt.Fprintf(&b, "    %s%s\n", sign, sum)
		}
	}
	fmt.Fprintf(&b, "expression: %s\n", joined[form].expression)
	b.WriteString("parameters:\n")
	for _, t := range c.terms {
		fmt.Fprintf(&b, "  %s: {unit: %s} # %s\n", t.param, t.unit, t.why)
	}
	if c.findsEdge(form) {
		fmt.Fprintf(&b, "  %s: {init: %d, min: %d, max: %d, unit: B} # the footprint from which on accesses miss the cache\n", edge, c.cache/2, c.cache/4, c.cache*5/4)
	}
	if c.mixes(form) {
		fmt.Fprintf(&b, "  %s: {min: 1, max: 64} # 1: the costs of a kernel's patterns add up; the larger it is, the better they hide each other\n", mix)
	}
	if p := joined[form].parameter; p != "" {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	b.WriteString("fit: {scale_by_output: true, nonnegative: true}\n")
	b.WriteString("measure:\n")
	for _, m := range measure {
		fmt.Fprintf(&b, "  # %s\n", m.why)
		for line := range strings.Lines(m.Measurement.String()) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// mix is the parameter that tells how the costs of different patterns of one kernel join.
const mix = "p_mix"

// sum lists the addends of a part. In a form that is not linear, patterns join by a p-norm of their own, from a sum, where they
// wait for the same thing, to the largest, where each waits for its own; the kernels that make all accesses together tell.
func (c *content) sum(p part, form models.Form) []string {
	var out, patterns []string
	var last *Pattern
	for _, t := range c.terms {
		switch {
		case t.part != p:
		case t.pattern == nil || !c.mixes(form):
			out = append(out, c.product(t, form))
		case t.pattern == last:
			patterns[len(patterns)-1] += " + " + c.product(t, form)
		default:
			patterns, last = append(patterns, c.product(t, form)), t.pattern
		}
	}
	if len(patterns) > 0 {
		joint := patterns[0]
		for _, one := range patterns[1:] {
			joint = fmt.Sprintf("pnorm(%s,\n      %s, %s)", joint, one, mix)
		}
		out = append(out, joint)
	}
	if len(out) == 0 {
		return []string{"0"}
	}
	return out
}

// mixes reports that patterns join by a p-norm.
func (c *content) mixes(form models.Form) bool {
	return c.together && form != models.LinearForm
}

// edge is the parameter that tells from which footprint on accesses miss the cache; at twice as much all do. Caches of several
// parts may hold what all read once in each, so that it need not be their size.
const edge = "p_cache"

// findsEdge reports that this is fitted, not assumed.
func (c *content) findsEdge(form models.Form) bool {
	return c.fitsCache && form != models.LinearForm && c.uses(farFeature)
}

// product is a term as an expression.
func (c *content) product(t term, form models.Form) string {
	sum := strings.Join(t.features, " + ")
	if len(t.features) > 1 {
		sum = "(" + sum + ")"
	}
	factor := t.factor
	if factor == farFeature && c.findsEdge(form) {
		factor = fmt.Sprintf("min(1, max(0, %s / %s - 1))", bytesFeature, edge)
	}
	if factor != "" {
		sum = factor + " * " + sum
	}
	return t.param + " * " + sum
}

// joined tells how a form joins the three terms, and describes the parameter that it has besides those of the costs.
var joined = map[models.Form]struct{ expression, parameter string }{
	models.LinearForm:  {"overhead + gmem + onchip", ""},
	models.OverlapForm: {"overhead + overlap(gmem, onchip, p_edge)", "p_edge: {min: 3, max: 100} # how sharply the larger of the two hides the other"},
	models.PNormForm:   {"overhead + pnorm(gmem, onchip, p_norm)", "p_norm: {min: 1, max: 64} # 1: costs add up; the larger it is, the better they hide each other"},
}

// header says what the file is for and what was found.
func (c *content) header(b *strings.Builder, opt Options, form models.Form, subjects []*subject, patterns, small []*Pattern) {
	fmt.Fprintf(b, "# A model (form %s) and the measurements that calibrate it, chosen by `perf calibrate --for` for\n", form)
	for _, s := range subjects {
		var sizes []string
		for _, at := range s.Sizes {
			sizes = append(sizes, strings.ReplaceAll(workload.FormatSizes(at), ", ", ","))
		}
		fmt.Fprintf(b, "#   %s of %s at %s\n", s.program(), s.Script, strings.Join(sizes, "; "))
	}
	b.WriteString("# None of these is measured. Edit the file as you like; `perf calibrate` of it measures what it then names.\n#\n")
	b.WriteString("# Accesses to global memory, by pattern:\n")
	rows := [][]string{{"parameter", "kernel", "accesses", "type", "lstrides", "gstrides", "reuse", "share"}}
	for _, p := range append(append([]*Pattern(nil), patterns...), small...) {
		for _, u := range p.Uses {
			name := "p_" + p.Name
			if !slices.Contains(patterns, p) {
				name = "left out"
			}
			reuse := "no"
			if p.Reuse {
				reuse = "yes"
			}
			rows = append(rows, []string{
				name, u.Kernel, strings.Join(u.Tags, ","), string(p.DType) + " " + string(p.Direction), braces(p.LStrides), braces(p.GStrides), reuse,
				fmt.Sprintf("%.2g %%", 100*u.Share),
			})
		}
	}
	writeTable(b, rows)
	for i, n := range c.notes {
		if i == 0 {
			b.WriteString("#\n# Notes:\n")
		}
		fmt.Fprintf(b, "#   %s\n", n)
	}
	if opt.Machine.Name != "" {
		fmt.Fprintf(b, "#\n# Made for a device like %s.\n", opt.Machine.Name)
	}
}

func braces(s features.Strides) string { return "{" + string(s) + "}" }

// writeTable writes rows in columns, as a comment.
func writeTable(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, r := range rows {
		line := "#  "
		for i, cell := range r {
			line += fmt.Sprintf(" %-*s", width[i]+1, cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
