package launchfile

import (
	"cmp"
	"slices"

	"gpuperf/internal/yamlfile"
)

// Application is how a launch went in the application that it was captured from.
type Application struct {
	Times  []float64 // seconds that launches took, in order: all, or every so many
	Timed  int64     // how many launches were timed
	Total  float64   // seconds of all of these
	Cold   bool      // the first of the times is of a launch whose code had just been loaded, or whose buffers had just been copied
	Stream int64     // by the number that the driver's records have
	Order  int64     // of the first such launch among all that the application made
	// Starts are when the launches began that Times are of, in seconds since the first of all launches did; nil is not said.
	Starts []float64
	// Addresses are where buffers lay, by their names, in bytes: in all launches, or in the first ones and so on, over and over. Nil is not said.
	Addresses []map[string]int64
}

// Warm are the times, without the cold one where there are others.
func (a *Application) Warm() []float64 {
	if a.Cold && len(a.Times) > 1 {
		return slices.Clone(a.Times[1:])
	}
	return slices.Clone(a.Times)
}

// Median is the middle one of the warm times; 0 where there is none.
func (a *Application) Median() float64 {
	times := a.Warm()
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return (times[(len(times)-1)/2] + times[len(times)/2]) / 2
}

// Start is when a launch began: the one that so large a part of the launches come before, from 0 to less than 1. Between those that Starts has it is taken to come evenly.
func (a *Application) Start(part float64) float64 {
	at := part * float64(len(a.Starts))
	i := min(int(at), len(a.Starts)-1)
	next := a.Starts[min(i+1, len(a.Starts)-1)]
	return a.Starts[i] + (at-float64(i))*(next-a.Starts[i])
}

// application reads how a launch went.
func (r *reader) application(n *yamlfile.Node) (*Application, error) {
	f, err := n.Fields(Keys["application"]...)
	if err != nil {
		return nil, err
	}
	if f["seconds"] == nil {
		return nil, n.Errorf("the application has no times").WithHint("write seconds: [1.5e-05], one number a launch")
	}
	a := &Application{}
	list, err := f["seconds"].List()
	for _, one := range list {
		v, wrong := positive(one)
		a.Times, a.Total, err = append(a.Times, v), a.Total+v, cmp.Or(err, wrong)
	}
	a.Timed = int64(len(a.Times))
	err = cmp.Or(err,
		yamlfile.Optional(f["total"], positive, &a.Total),
		yamlfile.Optional(f["timed"], amount, &a.Timed),
		yamlfile.Optional(f["cold"], (*yamlfile.Node).Bool, &a.Cold),
		yamlfile.Optional(f["stream"], amount, &a.Stream),
		yamlfile.Optional(f["order"], amount, &a.Order),
		yamlfile.Optional(f["starts"], starts, &a.Starts),
		yamlfile.Optional(f["addresses"], addresses, &a.Addresses),
	)
	switch {
	case err != nil:
		return nil, err
	case len(a.Times) == 0:
		return nil, f["seconds"].Errorf("there is no time")
	case a.Starts != nil && len(a.Starts) != len(a.Times):
		return nil, f["starts"].Errorf("%d launches began, and %d have times", len(a.Starts), len(a.Times))
	case a.Timed < int64(len(a.Times)):
		return nil, f["timed"].Errorf("%d launches have no %d times", a.Timed, len(a.Times))
	}
	return a, nil
}

// starts reads when launches began.
func starts(n *yamlfile.Node) (all []float64, err error) {
	list, err := n.List()
	for _, one := range list {
		v, wrong := one.Float()
		if wrong == nil && !(v >= 0) {
			wrong = one.Errorf("expected a number of seconds, at least 0, found %g", v)
		}
		all, err = append(all, v), cmp.Or(err, wrong)
	}
	return all, err
}

// addresses reads places in memory by the names of buffers: one map, or a list of them.
func addresses(n *yamlfile.Node) (all []map[string]int64, err error) {
	list := []*yamlfile.Node{n}
	if n.Kind == yamlfile.List {
		list, err = n.List()
	}
	for _, one := range list {
		places, wrong := one.Ints()
		for name, at := range places {
			if at < 0 {
				wrong = one.Errorf("an address is at least 0, and %s is at %d", name, at)
			}
		}
		all, err = append(all, places), cmp.Or(err, wrong)
	}
	return all, err
}

// positive reads a number of seconds.
func positive(n *yamlfile.Node) (float64, error) {
	v, err := n.Float()
	if err == nil && !(v > 0) {
		err = n.Errorf("expected more than 0 seconds, found %g", v)
	}
	return v, err
}
