package launchfile

import (
	"math"

	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/kernel/expr"
)

// Assumption is what neither a source nor its machine code tells: how often a branch is taken, how often a loop turns, what the second-level
// cache serves; or what holds for the sizes.
type Assumption struct {
	// Branch, Loop or Region is an address ("0x5c0"), a line of a source ("saxpy.cu:12") or for regions a range of addresses
	// ("0x300-0x7f0"); the others are "".
	Branch, Loop, Region string
	Value                float64   // a part, 0 to 1, or a number of turns, at the sizes of the file
	Trips                expr.Expr // of a loop, in the sizes
	Holds                string    // a condition on the sizes, as lp.assume takes it; "" where it is about something else

	node, value *yamlfile.Node
	most        float64
}

// Errorf is an error at the place of the assumption.
func (a Assumption) Errorf(format string, args ...any) error { return a.node.Errorf(format, args...) }

// assumptions are the kinds of assumptions about code: a place, its value, and the most that this may be.
var assumptions = []struct {
	place, value string
	most         float64
}{{"branch", "taken", 1}, {"loop", "trips", 1e15}, {"region", "l2_hit", 1}}

// assume reads the list of assumptions.
func (r *reader) assume(n *yamlfile.Node) (all []Assumption, err error) {
	defer throw.Catch(&err)
	items := throw.Get(n.List())
	for _, item := range items {
		a := r.assumption(item)
		all = append(all, a)
	}
	return all, nil
}

func (r *reader) assumption(n *yamlfile.Node) (a Assumption) {
	fields := throw.Get(n.Fields(Keys["assumption"]...))
	a.node = n
	if sizes := fields["sizes"]; sizes != nil && len(fields) == 1 {
		a.Holds = throw.Get(sizes.String())
		return a
	}
	for _, k := range assumptions {
		place, value := fields[k.place], fields[k.value]
		if place == nil || value == nil || len(fields) != 2 {
			continue
		}
		into := map[string]*string{"branch": &a.Branch, "loop": &a.Loop, "region": &a.Region}[k.place]
		*into = throw.Get(place.String())
		v := r.number(value)
		a.Trips, a.value, a.most = v.expr, value, k.most
		a.at(r.file.Sizes)
		return a
	}
	panic(throw.Of(n.Errorf("expected an assumption").
		WithHint(`write {branch: "0x5c0", taken: 0.5}, {loop: "saxpy.cu:12", trips: 17}, {region: "0x300-0x7f0", l2_hit: 0.8} or {sizes: "n %% 16 = 0"}`)))
}

// at evaluates the assumption at sizes.
func (a *Assumption) at(sizes map[string]int64) {
	if a.Holds != "" {
		return
	}
	var err error
	if a.Value, err = expr.EvalFloat(a.Trips, sizes); err != nil || math.IsNaN(a.Value) || a.Value < 0 || a.Value > a.most {
		panic(throw.Of(a.value.Errorf("expected a number from 0 to %g, found %q", a.most, a.value.Text)))
	}
}

// AssumedAt are the assumptions about code with their values at sizes, where they differ from those of the file.
func (f *File) AssumedAt(sizes map[string]int64) (all []Assumption, err error) {
	defer throw.Catch(&err)
	at := f.at(sizes)
	for _, a := range f.Assume {
		if a.Holds != "" {
			continue
		}
		a.at(at)
		all = append(all, a)
	}
	return all, nil
}
