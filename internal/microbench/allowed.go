package microbench

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
)

// ValueKind is the type of an argument's value.
type ValueKind uint8

// The kinds of value.
const (
	TextValue ValueKind = iota
	BoolValue
	IntValue
)

// Value is a value of an argument: comparable, so that it can be a key.
type Value struct {
	Kind ValueKind
	Int  int64  // of an integer; 1 is True
	Text string // of a string
}

// String is the value as filters write it: True, 16, float32.
func (v Value) String() string {
	switch v.Kind {
	case BoolValue, IntValue:
		return v.starlark().String()
	}
	return v.Text
}

// MarshalJSON gives the value itself: true, 16, "float32".
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Kind {
	case BoolValue:
		return json.Marshal(v.Int != 0)
	case IntValue:
		return json.Marshal(v.Int)
	}
	return json.Marshal(v.Text)
}

func (v Value) starlark() starlark.Value {
	switch v.Kind {
	case BoolValue:
		return starlark.Bool(v.Int != 0)
	case IntValue:
		return starlark.MakeInt64(v.Int)
	}
	return starlark.String(v.Text)
}

func valueOf(v starlark.Value) (Value, error) {
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			return Value{Kind: BoolValue, Int: 1}, nil
		}
		return Value{Kind: BoolValue}, nil
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return Value{Kind: IntValue, Int: n}, nil
		}
	case starlark.String:
		if v != "" && !strings.ContainsAny(string(v), ":, \t\r\n") {
			return Value{Text: string(v)}, nil
		}
	}
	return Value{}, fmt.Errorf("%s is no value: use strings without spaces, commas and colons, integers, True and False", v)
}

// Allowed is the set of values that an argument may take.
type Allowed struct {
	Default []Value `json:"default"`        // taken where a filter does not say
	Also    []Value `json:"also,omitempty"` // allowed on request
	// Integers: on request also any integer from Min to Max that MultipleOf divides.
	Integers   bool  `json:"integers,omitempty"`
	Min        int64 `json:"min,omitempty"`
	Max        int64 `json:"max,omitempty"`
	MultipleOf int64 `json:"multiple_of,omitempty"`
}

// String describes the set: "float32, float64", or "16 (also 8, 32)", or "1024, 1152 (any multiple of 64 from 64)".
func (a Allowed) String() string {
	var more []string
	if a.Integers {
		what := "any integer"
		if a.MultipleOf > 1 {
			what = fmt.Sprintf("any multiple of %d", a.MultipleOf)
		}
		what += fmt.Sprintf(" from %d", a.Min)
		if a.Max < math.MaxInt64 {
			what += fmt.Sprintf(" to %d", a.Max)
		}
		more = append(more, what)
	}
	if len(a.Also) > 0 {
		more = append(more, "also "+join(a.Also))
	}
	if len(more) == 0 {
		return join(a.Default)
	}
	return join(a.Default) + " (" + strings.Join(more, ", ") + ")"
}

func join(values []Value) string {
	return lists.Join(values, ", ", Value.String)
}

// Parse returns the value that a text of a filter stands for, false where it is not allowed.
func (a Allowed) Parse(text string) (Value, bool) {
	for _, v := range slices.Concat(a.Default, a.Also) {
		if v.String() == text {
			return v, true
		}
	}
	if a.Integers {
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil && strconv.FormatInt(n, 10) == text && n >= a.Min && n <= a.Max && n%a.MultipleOf == 0 {
			return Value{Kind: IntValue, Int: n}, true
		}
	}
	return Value{}, false
}

// allowedValue is an Allowed in a generator file.
type allowedValue struct{ Allowed }

func (a *allowedValue) Type() string          { return "values" }
func (a *allowedValue) Freeze()               {}
func (a *allowedValue) Truth() starlark.Bool  { return true }
func (a *allowedValue) Hash() (uint32, error) { return starlark.String(a.String()).Hash() }

// predeclared are the names that generator files have for sets of values.
var predeclared = starlark.StringDict{
	"choices":  starlark.NewBuiltin("choices", choices),
	"integers": starlark.NewBuiltin("integers", integers),
}

// choices(default, also=[]) is a finite set.
func choices(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var def, also starlark.Iterable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "default", &def, "also?", &also); err != nil {
		return nil, err
	}
	a := &allowedValue{}
	var err error
	if a.Default, err = valueList(def); err == nil {
		a.Also, err = valueList(also)
	}
	if err == nil && len(a.Default) == 0 {
		err = fmt.Errorf("choices: no default value")
	}
	return a, err
}

// integers(default, min=1, max=None, multiple_of=1) is an open set; its default may hold words with a meaning too.
func integers(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (_ starlark.Value, err error) {
	defer throw.Catch(&err)
	var def starlark.Iterable
	var top starlark.Value = starlark.None
	a := &allowedValue{Allowed{Integers: true, Min: 1, Max: math.MaxInt64, MultipleOf: 1}}
	throw.If(starlark.UnpackArgs(b.Name(), args, kwargs, "default", &def, "min?", &a.Min, "max?", &top, "multiple_of?", &a.MultipleOf))
	if top != starlark.None {
		if err := starlark.AsInt(top, &a.Max); err != nil {
			return nil, fmt.Errorf("integers: max: %w", err)
		}
	}
	if a.MultipleOf < 1 || a.Min > a.Max {
		return nil, fmt.Errorf("integers: no multiple of %d from %d to %d", a.MultipleOf, a.Min, a.Max)
	}
	a.Default = throw.Get(valueList(def))
	if len(a.Default) == 0 {
		return nil, fmt.Errorf("integers: no default value")
	}
	for _, v := range a.Default {
		open := Allowed{Integers: true, Min: a.Min, Max: a.Max, MultipleOf: a.MultipleOf}
		if _, ok := open.Parse(v.String()); !ok && v.Kind == IntValue {
			return nil, fmt.Errorf("integers: default %s is not in the set", v)
		}
	}
	return a, nil
}

func valueList(list starlark.Iterable) ([]Value, error) {
	if list == nil {
		return nil, nil
	}
	var out []Value
	for x := range starlark.Elements(list) {
		v, err := valueOf(x)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// allowedOf reads an entry of args: a list of values, or what choices and integers return.
func allowedOf(v starlark.Value) (Allowed, error) {
	switch v := v.(type) {
	case *allowedValue:
		return v.Allowed, nil
	case starlark.Iterable:
		list, err := valueList(v)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("no value is allowed")
		}
		return Allowed{Default: list}, err
	}
	return Allowed{}, fmt.Errorf("%s is no set of values", v)
}
