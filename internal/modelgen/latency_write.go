package modelgen

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/models"
)

// latencySum writes the latency term: a sum over loops.
func (c *content) latencySum(form models.Form) []string {
	var out []string
	for _, loop := range c.wait.loops {
		var inTurn, each []string // loop-carried, and within an iteration
		for _, k := range c.wait.ops[loop] {
			if !c.hasTerm(k.param) {
				continue
			}
			id := func(class string) string { return fmt.Sprintf("f_loop_%s_%s_iname:%s", class, k.kind, loop) }
			switch {
			case !k.carried:
				each = append(each, k.param+" * "+id("path"))
			case loop == chainLoop:
				inTurn = append(inTurn, k.param+" * "+id("carried"))
			default:
				inTurn = append(inTurn, k.param+" * "+id("carried"))
				each = append(each, fmt.Sprintf("%s * max(0, %s - %s)", k.param, id("path"), id("carried")))
			}
		}
		part := exposedFeature + loop
		if form != models.LinearForm {
			part = exposed(bodyFeature+loop, windowParam)
		}
		each = append(each, c.hits(loop)...)
		inTurn = append(inTurn, c.loads(loop, part, form)...)
		for _, one := range inTurn {
			out = append(out, wavesFeature+" * "+one)
		}
		if len(each) > 0 {
			out = append(out, wavesFeature+" * "+part+" * (\n      "+strings.Join(each, "\n      + ")+")")
		}
	}
	return out
}

// hits writes the latency of hits in the multiprocessor's own cache, by loop. Loads of one element for all work-items hit it except
// for the first of each sector.
func (c *content) hits(loop string) []string {
	var turns []string
	for _, t := range c.wait.inLoop[loop] {
		if t.misses {
			turns = addOnce(turns, t.features[0])
		}
	}
	if len(turns) == 0 || !c.hasTerm(hitParam) {
		return nil
	}
	return []string{hitParam + " * " + largest(turns)}
}

// loads writes the latency of loads in an iteration of a loop; part is the expression of the share that is exposed. Loads of one
// element for all work-items miss once per sector, which neighbouring iterations share, so each miss is exposed. Loads of several
// patterns are in flight together.
func (c *content) loads(loop, part string, form models.Form) []string {
	type sum struct {
		pattern  *Pattern
		exposed  bool
		products []string
	}
	var all []sum
	for _, t := range c.wait.inLoop[loop] {
		if !c.hasTerm(t.param) {
			continue
		}
		i := slices.IndexFunc(all, func(s sum) bool { return s.pattern != nil && s.pattern == t.pattern })
		if i < 0 {
			i = len(all)
			all = append(all, sum{pattern: t.pattern, exposed: !t.misses})
		}
		all[i].products = append(all[i].products, c.product(t, form))
	}
	var sums []string
	for _, s := range all {
		text := strings.Join(s.products, " + ")
		switch {
		case s.exposed && len(s.products) > 1:
			text = part + " * (" + text + ")"
		case s.exposed:
			text = part + " * " + text
		case len(s.products) > 1:
			text = "(" + text + ")"
		}
		sums = append(sums, text)
	}
	if len(sums) < 2 || loop == bodyLoop || form == models.LinearForm || !c.together {
		return sums
	}
	joint := sums[0]
	for _, one := range sums[1:] {
		joint = fmt.Sprintf("pnorm(%s, %s, %s)", joint, one, meetParam)
	}
	return []string{joint}
}

// joinsLoads reports that the loads of several patterns are joined in some loop.
func (c *content) joinsLoads() bool {
	return c.wait != nil && slices.ContainsFunc(c.wait.loops, func(loop string) bool {
		list := c.loads(loop, "1", models.PNormForm)
		return len(list) == 1 && strings.HasPrefix(list[0], "pnorm(")
	})
}

func (c *content) hasTerm(param string) bool {
	return slices.ContainsFunc(c.terms, func(t term) bool { return t.param == param })
}

// latencyParameters writes the parameters of latency terms that are not costs.
func (c *content) latencyParameters() []string {
	out := []string{
		fmt.Sprintf("%s: {init: %d, min: 16, max: 512} # instructions that compilers unroll a loop to, up to 8 times, so that its iterations wait together", windowParam, usualWindow),
		hideParam + ": {min: 1, max: 64} # how far work and waiting of other work-items hide each other",
	}
	if c.joinsLoads() {
		out = append(out, meetParam+": {min: 1, max: 64} # how far waiting for loads of several patterns in one iteration is one")
	}
	return out
}
