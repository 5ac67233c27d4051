package modelgen

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/models"
	"gpuperf/workload"
)

// text writes the model file.
func (c *content) text(opt Options, form models.Form, subjects []*subject, patterns, small []*Pattern, measure []planned) string {
	var b strings.Builder
	c.header(&b, opt, form, subjects, patterns, small)
	fmt.Fprintf(&b, "version: 1\nname: %s\noutput: f_cl_wall_time\n", opt.Name)
	used := slices.DeleteFunc(slices.Clone(c.own), func(o ownFeature) bool {
		return !c.uses(o.name) || o.name == farFeature && c.findsEdge(form) || strings.HasPrefix(o.name, exposedFeature) && form != models.LinearForm
	})
	if len(used) > 0 {
		b.WriteString("features:\n")
		for _, o := range used {
			fmt.Fprintf(&b, "  # %s\n  %s: %s\n", o.why, o.name, o.expression)
		}
	}
	b.WriteString("terms:\n")
	parts := []part{overhead, groups, memory, loads, arithmetic}
	if c.wait != nil {
		parts = append(parts, latency)
	}
	for _, p := range parts {
		fmt.Fprintf(&b, "  %s: >-\n", p)
		fmt.Fprintf(&b, "    %s\n", strings.Join(c.sum(p, form), "\n    + "))
	}
	fmt.Fprintf(&b, "  gmem: %s\n  onchip: %s\n", overlapped(form, memory, groups), overlapped(form, loads, arithmetic))
	expression := joined[form].expression
	if c.wait != nil {
		fmt.Fprintf(&b, "  work: %s\n", strings.TrimPrefix(expression, "overhead + "))
		expression = joined[form].latency
	}
	fmt.Fprintf(&b, "expression: %s\n", expression)
	b.WriteString("parameters:\n")
	for _, t := range c.terms {
		fmt.Fprintf(&b, "  %s: {unit: %s} # %s\n", t.param, t.unit, t.why)
	}
	if c.findsEdge(form) {
		fmt.Fprintf(&b, "  %s: {init: %d, min: %d, max: %d, unit: B} # the footprint from which on accesses miss the cache\n", edge, c.cache/2, c.cache/4, c.cache*5/4)
	}
	for i := range c.mixing(form) {
		fmt.Fprintf(&b, "  %s: {min: 1, max: 64} # 1: the costs of a kernel's patterns add up; the larger it is, the better they hide each other\n", mixName(i))
	}
	if p := joined[form].parameter; p != "" {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	if c.wait != nil && form != models.LinearForm {
		for _, p := range c.latencyParameters() {
			fmt.Fprintf(&b, "  %s\n", p)
		}
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

// hiding is the exponent of the p-norms within gmem and onchip, if the form is not linear: work-groups start while others access
// memory, and arithmetic overlaps with loads. A calibration determines it poorly; in the experiment of section 7.4 the exponent
// between gmem and onchip is near 2 on GPUs.
const hiding = 2

func overlapped(form models.Form, a, b part) string {
	if form == models.LinearForm {
		return fmt.Sprintf("%s + %s", a, b)
	}
	return fmt.Sprintf("pnorm(%s, %s, %d)", a, b, hiding)
}

// sum lists the addends of a part. In a form that is not linear, patterns that caches serve are joined by a p-norm of their own:
// between their sum, where they use the same resource, and the largest, where each uses its own. The kernels with all accesses
// determine its exponent. Traffic to memory adds up.
func (c *content) sum(p part, form models.Form) []string {
	if p == latency {
		return c.latencySum(form)
	}
	var out []string
	var last *Pattern
	var sets [][]*Pattern
	if p == loads {
		sets = c.mixing(form)
	}
	products := make([][]string, len(sets)) // of the patterns of each set
	for _, t := range c.terms {
		if t.part != p {
			continue
		}
		i := slices.IndexFunc(sets, func(set []*Pattern) bool { return slices.Contains(set, t.pattern) })
		switch product := c.product(t, form); {
		case i < 0:
			out = append(out, product)
		case t.pattern == last:
			products[i][len(products[i])-1] += " + " + product
		default:
			products[i] = append(products[i], product)
		}
		last = t.pattern
	}
	for i, list := range products {
		joint := list[0]
		for _, one := range list[1:] {
			joint = fmt.Sprintf("pnorm(%s,\n      %s, %s)", joint, one, mixName(i))
		}
		out = append(out, joint)
	}
	if len(out) == 0 {
		return []string{"0"}
	}
	return out
}

// mixing lists the sets of patterns that caches serve and a p-norm joins: those that some kernel makes accesses of several of.
func (c *content) mixing(form models.Form) (sets [][]*Pattern) {
	for _, t := range c.terms {
		if t.pattern == nil || t.part != loads || !c.together || form == models.LinearForm {
			continue
		}
		joined := []*Pattern{t.pattern}
		sets = slices.DeleteFunc(sets, func(set []*Pattern) bool {
			if !slices.ContainsFunc(set, t.pattern.sharesKernel) {
				return false
			}
			for _, o := range set {
				if o != t.pattern {
					joined = append(joined, o)
				}
			}
			return true
		})
		sets = append(sets, joined)
	}
	return slices.DeleteFunc(sets, func(set []*Pattern) bool { return len(set) < 2 })
}

// mixName is the exponent of the i-th p-norm that joins the costs of several patterns of one kernel.
func mixName(i int) string {
	if i == 0 {
		return "p_mix"
	}
	return fmt.Sprintf("p_mix_%d", i+1)
}

// sharesKernel reports that some kernel makes accesses of both patterns.
func (p *Pattern) sharesKernel(o *Pattern) bool {
	return slices.ContainsFunc(p.Uses, func(a Use) bool {
		return slices.ContainsFunc(o.Uses, func(b Use) bool { return a.subject == b.subject })
	})
}

// edge is the parameter of the footprint from which on accesses miss the cache; at twice as much all of them do. A cache in several parts
// may hold a copy of shared data in each part, so the edge need not be the cache's size.
const edge = "p_cache"

// findsEdge reports that the edge is fitted, not assumed.
func (c *content) findsEdge(form models.Form) bool {
	return c.fitsCache && form != models.LinearForm && c.uses(farFeature)
}

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

// joined has, by form, the expression that joins the three terms, the one with latency, and the description of the parameter that the form
// has besides those of the costs.
var joined = map[models.Form]struct{ expression, latency, parameter string }{
	models.LinearForm:  {"overhead + gmem + onchip", "overhead + work + latency", ""},
	models.OverlapForm: {"overhead + overlap(gmem, onchip, p_edge)", hidden, "p_edge: {min: 3, max: 100} # how sharply the larger of the two hides the other"},
	models.PNormForm:   {"overhead + pnorm(gmem, onchip, p_norm)", hidden, "p_norm: {min: 1, max: 64} # 1: costs add up; the larger it is, the better they hide each other"},
}

// hidden joins work and latency by a p-norm: work-items work while others stall.
const hidden = "overhead + pnorm(work, latency, " + hideParam + ")"

// header writes a comment with the kernels of the file, their patterns and notes.
func (c *content) header(b *strings.Builder, opt Options, form models.Form, subjects []*subject, patterns, small []*Pattern) {
	fmt.Fprintf(b, "# A model (form %s) and the measurements that calibrate it, chosen by `perf calibrate --for` for\n", form)
	for _, s := range subjects {
		sizes := lists.Map(s.Sizes, func(at map[string]int64) string { return strings.ReplaceAll(workload.FormatSizes(at), ", ", ",") })
		fmt.Fprintf(b, "#   %s of %s at %s\n", s.Variant.Name, s.Script, strings.Join(sizes, "; "))
	}
	b.WriteString("# None of these is measured. Edit the file as you like; `perf calibrate` of it measures what it then names.\n#\n")
	b.WriteString("# Accesses to global memory, by pattern:\n")
	t := format.NewTable("parameter", "kernel", "accesses", "type", "lstrides", "gstrides", "reuse", "share")
	for _, p := range slices.Concat(patterns, small) {
		for _, u := range p.Uses {
			name := "p_" + p.Name
			if !slices.Contains(patterns, p) {
				name = "left out"
			}
			reuse := "no"
			if p.Reuse {
				reuse = "yes"
			}
			t.Row(name, u.Kernel, strings.Join(u.Tags, ","), string(p.DType)+" "+string(p.Direction), braces(p.LStrides), braces(p.GStrides), reuse,
				fmt.Sprintf("%.2g %%", 100*u.Share))
		}
	}
	t.WriteIndented(b, "#   ")
	for i, n := range c.notes {
		if i == 0 {
			b.WriteString("#\n# Notes:\n")
		}
		fmt.Fprintf(b, "#   %s\n", n)
	}
	if opt.Device.Name() != "" {
		fmt.Fprintf(b, "#\n# Made for a device like %s.\n", opt.Device.Name())
	}
}

func braces(s features.Strides) string { return "{" + string(s) + "}" }
