// Package advice says what would make an emulated launch faster, each time with what emulation says of it.
//
// A rule (rules.go) has a condition, which looks at what the launch does (study.go), a sentence, and a change of the launch, with which it is
// emulated again (changes.go): work-groups of another size or more of them at once, accesses as if they were coalesced or had no conflicts,
// instructions that are left out, several results by each work-item. The traces are not executed again, but where the launch itself changes.
package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/internal/format"
	"gpuperf/internal/parallel"
)

// worth is the least gain at which advice is confirmed.
const worth = 1.05

// Give adds to a result what would make the launch faster: what emulation confirms first, of that what is about a certain defect, and of
// that what gains most. Rules whose change was emulated without gain are left out.
func Give(r *emulate.Result) {
	s := look(r)
	var all []emulate.Advice
	trials := make([]*trial, len(rules))
	parallel.For(len(rules), func(i int) { trials[i] = rules[i].try(s) })
	for i, rule := range rules {
		t := trials[i]
		if t == nil {
			continue
		}
		a := emulate.Advice{Rule: rule.name, Defect: t.because, Remedy: strings.TrimSuffix(t.do, ","), General: rule.general}
		a.Array, a.Line = s.site(t.in)
		if t.seconds > 0 {
			a.Gain = r.Seconds / t.seconds
			a.Confirmed = a.Gain >= worth
		}
		if t.seconds > 0 && !a.Confirmed {
			continue
		}
		a.Text = fmt.Sprintf("%s. Remedy: %s", a.Defect, a.Remedy)
		if a.Confirmed {
			a.Text += fmt.Sprintf(". Emulated with it: %s, %s× as fast", format.Seconds(t.seconds), format.Factor(a.Gain))
		}
		all = append(all, a)
	}
	order := func(a emulate.Advice) int {
		switch {
		case !a.Confirmed:
			return 2
		case a.General:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b emulate.Advice) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(b.Gain, a.Gain))
	})
	r.Advice = all
}

// Prefer puts into a result advice that others give on the launch, such as on its source, with gains of theirs. It replaces what emulation says of the same defects, and what
// holds of any code that waits. The greatest gain comes first.
func Prefer(r *emulate.Result, given []emulate.Advice) {
	if len(given) == 0 {
		return
	}
	all := slices.Clone(given)
	for _, a := range r.Advice {
		if !a.General && !slices.ContainsFunc(given, func(g emulate.Advice) bool { return g.Rule == a.Rule }) {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b emulate.Advice) int { return cmp.Compare(b.Gain, a.Gain) })
	r.Advice = all
}
