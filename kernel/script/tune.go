package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// tuners are the functions that say what may be chosen of a script.
var tuners = []function{
	{name: "tunable", params: "name, values", blame: "values", do: tunable},
	{name: "constraint", params: "condition", blame: "condition", do: constraint},
}

// Tunable is a choice that a script leaves open, and the values that it may have, as texts. The first is taken where none is chosen.
type Tunable struct {
	Name   string
	Values []string
}

// ErrUnfit is of values that a constraint of a script refuses.
var ErrUnfit = errors.New("the values do not go together")

const tuningKey = "tuning"

// tuning is what is chosen in a run, and what is found there.
type tuning struct {
	chosen map[string]string
	stop   bool // at the first tunable that is not chosen
	open   *Tunable
	unfit  bool
	values map[string]starlark.Value // of the tunables so far
}

func (c *invocation) tuning() *tuning { return c.thread.Local(tuningKey).(*tuning) }

// errOpen ends a run at a tunable that is not chosen.
var errOpen = errors.New("a choice is open")

// maxValues bounds those of a tunable.
const maxValues = 1000

func tunable(c *invocation) (starlark.Value, error) {
	t, all := c.tuning(), Tunable{Name: c.text("name")}
	if !expr.IsName(all.Name) {
		c.fail("name", "", "%q cannot be the name of a tunable", all.Name)
	}
	if _, again := t.values[all.Name]; again {
		c.fail("name", "", "there is a tunable %s already", all.Name)
	}
	list, ok := c.args["values"].(starlark.Iterable)
	if !ok {
		c.fail("values", "", "expected a list of values, found %s", describe(c.args["values"]))
	}
	var values []starlark.Value
	for v := range starlark.Elements(list) {
		text, err := valueText(v)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(all.Values, text):
			c.fail("values", "", "%s is given twice", text)
		case len(values) == maxValues:
			c.fail("values", "", "there are more than %d values", maxValues)
		}
		values, all.Values = append(values, v), append(all.Values, text)
	}
	if len(values) == 0 {
		c.fail("values", "", "a tunable has at least one value")
	}
	pick, chosen := t.chosen[all.Name]
	if !chosen && t.stop {
		t.open = &all
		return nil, errOpen
	}
	at := 0
	if chosen {
		if at = slices.Index(all.Values, pick); at < 0 {
			c.fail("values", "", "%s cannot be %s", all.Name, pick)
		}
	}
	t.values[all.Name] = values[at]
	return values[at], nil
}

// valueText is a value as it is chosen.
func valueText(v starlark.Value) (string, error) {
	switch x := v.(type) {
	case starlark.Int:
		if n, ok := x.Int64(); ok {
			return strconv.FormatInt(n, 10), nil
		}
	case starlark.Bool:
		return x.String(), nil
	case starlark.String:
		if s := string(x); s != "" && len(s) <= 100 && strconv.Quote(s) == `"`+s+`"` && !strings.ContainsAny(s, ",= ") {
			return s, nil
		}
	}
	return "", fmt.Errorf("values are integers, True, False or words, found %s", describe(v))
}

// constraint ends a run whose values do not fit.
func constraint(c *invocation) (starlark.Value, error) {
	t, text := c.tuning(), c.text("condition")
	e, err := expr.ParseCondition(text)
	if err != nil {
		return nil, err
	}
	at := map[string]int64{}
	var names []string
	for name, v := range t.values {
		names = append(names, name)
		switch x := v.(type) {
		case starlark.Int:
			at[name], _ = x.Int64()
		case starlark.Bool:
			at[name] = map[bool]int64{true: 1}[bool(x)]
		}
	}
	slices.Sort(names)
	expr.FreeVars(e, func(name string) {
		switch _, number := at[name]; {
		case number:
		case slices.Contains(names, name):
			c.fail("condition", "", "%s is no number", name)
		default:
			c.fail("condition", source.Suggest(name, names), "there is no tunable %s before this", name)
		}
	})
	holds, err := expr.Holds(e, at)
	if err != nil {
		return nil, err
	}
	if !holds {
		t.unfit = true
		return nil, fmt.Errorf("%w: %s does not hold", ErrUnfit, text)
	}
	return starlark.None, nil
}

func (o Options) startTuning() *tuning {
	if o.tuning != nil {
		return o.tuning
	}
	return &tuning{chosen: o.Tuned, values: map[string]starlark.Value{}}
}

// Open runs the text of a script, whose tunables have the values that these options say, as far as the first other one. Where all are chosen it
// returns the kernels instead, as the script leaves them: Exec checks them. The error is ErrUnfit where a constraint refuses the values.
func (o Options) Open(ctx context.Context, filename, text string) (*Tunable, []Variant, error) {
	t := &tuning{chosen: o.Tuned, stop: true, values: map[string]starlark.Value{}}
	o.tuning = t
	m, err := o.Module(ctx, filename, text)
	switch {
	case t.open != nil:
		return t.open, nil, nil
	case t.unfit:
		return nil, nil, ErrUnfit
	case err != nil:
		return nil, nil, err
	}
	return nil, m.Variants(), nil
}
