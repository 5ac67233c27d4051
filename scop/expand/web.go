package expand

import (
	"slices"

	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// web are writes and reads of an array that values connect.
type web struct {
	writers, readers []*scop.Statement
	// initial: some of its reads get what the array held before the nest.
	initial bool
}

// websOf are the webs of an array, in the order of the text.
func websOf(a *deps.Analysis, x *scop.Array) (webs []*web) {
	reads, writes := map[*scop.Statement]*web{}, map[*scop.Statement]*web{}
	for _, s := range a.Nest.Statements {
		for _, access := range s.Accesses {
			switch {
			case access.Array != x:
			case access.Write:
				writes[s] = &web{writers: []*scop.Statement{s}}
			case reads[s] == nil:
				reads[s] = &web{readers: []*scop.Statement{s}}
			}
		}
	}
	for _, d := range a.Dependences {
		if d.Array != x || !d.ValueBased || writes[d.From] == reads[d.To] {
			continue
		}
		to, from := writes[d.From], reads[d.To]
		to.writers, to.readers = append(to.writers, from.writers...), append(to.readers, from.readers...)
		for _, s := range from.writers {
			writes[s] = to
		}
		for _, s := range from.readers {
			reads[s] = to
		}
	}
	for _, i := range a.Initial {
		if i.Array == x {
			reads[i.Statement].initial = true
		}
	}
	for _, s := range a.Nest.Statements {
		for _, w := range []*web{reads[s], writes[s]} {
			if w != nil && !slices.Contains(webs, w) {
				webs = append(webs, w)
			}
		}
	}
	return webs
}

// statements are those of all accesses.
func (w *web) statements() []*scop.Statement { return slices.Concat(w.writers, w.readers) }

// common are the loops around all statements.
func (w *web) common() []*scop.Loop {
	list := w.statements()
	common := list[0].Loops
	for _, s := range list {
		n := 0
		for n < min(len(common), len(s.Loops)) && common[n] == s.Loops[n] {
			n++
		}
		common = common[:n]
	}
	return common
}

func (w *web) has(d *deps.Dependence) bool { return d.Among(w.statements()) }
