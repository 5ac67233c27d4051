package kernel

import (
	"slices"

	"gpuperf/polycount"
)

// Doubt is something in the source that is undefined.
type Doubt struct {
	// Text says what, with its place in the source.
	Text string
	// Where are the sizes at which it is: a set without dimensions, over parameters; nil for all.
	Where *polycount.Set
}

// DoubtsAt are the texts of the doubts that there are at sizes, or at some of those that are not given.
func (k *Kernel) DoubtsAt(sizes map[string]int64) (texts []string) {
	for _, d := range k.Doubts {
		text := d.Text
		if d.Where != nil {
			given := map[string]int64{}
			for _, n := range d.Where.Params() {
				if v, ok := sizes[n]; ok {
					given[n] = v
				}
			}
			at, err := d.Where.Fix(given)
			if err == nil {
				if none, err := at.IsEmpty(); err == nil && none {
					continue
				}
			}
			if len(given) < len(d.Where.Params()) {
				text += ", at some sizes"
			}
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}
