package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A unit of work is about what one element of a list, eight bytes of a string or a bit of a long integer cost.
const (
	maxWeight = 1 << 20 // of one operand: no single operation handles more
	budgetKey = "budget"
)

// budget is what a run may still spend.
type budget struct{ left int64 }

func newThread(name string, o Options) *starlark.Thread {
	steps, work := o.Steps, o.Work
	if steps == 0 {
		steps = defaultSteps
	}
	if work == 0 {
		work = defaultWork
	}
	thread := &starlark.Thread{Name: name, Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(steps)
	thread.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(fmt.Sprintf("the script takes more than %d steps", steps)) }
	thread.SetLocal(budgetKey, &budget{work})
	return thread
}

// spend takes units from the budget of the thread's run.
func spend(thread *starlark.Thread, units int64) error {
	b, ok := thread.Local(budgetKey).(*budget)
	if !ok {
		return nil
	}
	if units > maxWeight {
		return fmt.Errorf("a value of more than %d elements is more than a kernel script may handle", maxWeight)
	}
	if b.left -= units; b.left < 0 {
		return fmt.Errorf("the script does more work than it may (its operations handle too many elements)")
	}
	return nil
}

// weigh is the number of units in a value with everything in it, counted as often as it occurs; it stops early
// beyond maxWeight.
func weigh(v starlark.Value) int64 {
	var total int64
	var visit func(v starlark.Value)
	visit = func(v starlark.Value) {
		if total++; total > maxWeight {
			return
		}
		switch v := v.(type) {
		case starlark.String:
			total += int64(len(v)) / 8
		case starlark.Bytes:
			total += int64(len(v)) / 8
		case starlark.Int:
			if _, small := v.Int64(); !small { // arithmetic on long ones is not linear
				total += int64(v.BigInt().BitLen())
			}
		case *starlark.Dict:
			for _, item := range v.Items() {
				visit(item[0])
				visit(item[1])
				if total > maxWeight {
					return
				}
			}
		case starlark.Sequence: // lists, tuples, sets; ranges and strings' elements count as what they would unfold to
			total += int64(v.Len())
			if v.Type() == "range" || total > maxWeight {
				return
			}
			it := v.Iterate()
			defer it.Done()
			for x := starlark.Value(nil); it.Next(&x); {
				visit(x)
				if total > maxWeight {
					return
				}
			}
		case starlark.Iterable: // a lazy view of a string
			total += int64(len(v.String()))
		}
	}
	visit(v)
	return total
}

// meterBuiltins are what meter.go makes files call.
var meterBuiltins = starlark.StringDict{
	chargeName:  starlark.NewBuiltin("charge", charge),
	timesName:   starlark.NewBuiltin("*", times),
	percentName: starlark.NewBuiltin("%", percent),
	dotName:     starlark.NewBuiltin(".", attribute),
	"getattr":   starlark.NewBuiltin("getattr", getattr),
}

func charge(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], spend(thread, weigh(args[0]))
}

func times(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	units := weigh(args[0]) + weigh(args[1])
	for i, x := range args {
		switch x.(type) {
		case starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple:
			if n, err := starlark.AsInt32(args[1-i]); err == nil && n > 0 {
				units = product(weigh(x), int64(n))
			} else if _, isInt := args[1-i].(starlark.Int); isInt && err != nil {
				units = maxWeight + 1
			}
		}
	}
	if err := spend(thread, units); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.STAR, args[0], args[1])
}

// product of two counts, without overflow beyond what matters.
func product(a, b int64) int64 {
	if a > maxWeight || b > maxWeight {
		return maxWeight + 1
	}
	return a * b
}

func percent(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	units := weigh(args[0]) + weigh(args[1])
	if s, ok := args[0].(starlark.String); ok {
		units += product(int64(strings.Count(string(s), "%")), weigh(args[1]))
	}
	if err := spend(thread, units); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.PERCENT, args[0], args[1])
}

func attribute(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return attr(args[0], string(args[1].(starlark.String)))
}

func getattr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, fallback starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &name, &fallback); err != nil {
		return nil, err
	}
	v, err := attr(x, name)
	if err != nil && fallback != nil {
		return fallback, nil
	}
	return v, err
}

// attr is x.name; a method of a value with a size charges for it, and for what it may return, at each call.
func attr(x starlark.Value, name string) (starlark.Value, error) {
	var v starlark.Value
	var err error
	if has, ok := x.(starlark.HasAttrs); ok {
		v, err = has.Attr(name)
	}
	if v == nil && err == nil {
		err = fmt.Errorf("%s has no .%s", x.Type(), name)
	}
	method, ok := v.(*starlark.Builtin)
	if err != nil || !ok {
		return v, err
	}
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := spend(thread, weigh(x)+growth(x, name, args, kwargs)); err != nil {
			return nil, err
		}
		return starlark.Call(thread, method, args, kwargs)
	}), nil
}

// growth bounds what a method of a string may return beyond its receiver and arguments.
func growth(x starlark.Value, name string, args starlark.Tuple, kwargs []starlark.Tuple) int64 {
	s, ok := x.(starlark.String)
	if !ok {
		return 0
	}
	switch name {
	case "replace":
		if len(args) >= 2 {
			if old, ok := args[0].(starlark.String); ok {
				return product(int64(strings.Count(string(s), string(old))), weigh(args[1]))
			}
		}
	case "format":
		total := weigh(args)
		for _, kv := range kwargs {
			total += weigh(kv)
		}
		return product(int64(strings.Count(string(s), "{")), total)
	case "join":
		if len(args) == 1 {
			return product(weigh(s), int64(max(0, starlark.Len(args[0]))))
		}
	}
	return 0
}
