package features

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Record is a count of the operation, access, synchronization or footprint that its key describes, in one launch of the kernel.
type Record struct {
	Key   Key
	Count *polycount.Poly

	compiled *evaluator // of Count; nil of a record that is in no statistics
}

// At is the count at sizes.
func (r Record) At(sizes map[string]int64) (float64, error) {
	if r.compiled != nil {
		if v, ok := r.compiled.int64(sizes); ok {
			return float64(v), nil
		}
	}
	n, err := r.Count.Eval(sizes)
	if err != nil {
		return 0, err
	}
	v, _ := n.Float64()
	return v, nil
}

// failure is a record whose count could not be made.
type failure struct {
	key Key
	err error
}

// Key says what a record counts: an Op, Mem, Sync or Footprint. Keys are comparable.
type Key interface {
	Kind() string // "op", "mem", "sync" or "footprint"
	String() string
	order() []string
}

// Granularity is what an event is counted once for.
type Granularity string

// The granularities.
const (
	WorkItem Granularity = "workitem"
	SubGroup Granularity = "subgroup"
)

// Direction of a memory access ("load", "store") or a footprint ("read", "write").
type Direction string

// The directions.
const (
	Load  Direction = "load"
	Store Direction = "store"
	Read  Direction = "read"
	Write Direction = "write"
)

// Op is an arithmetic operation: add, mul, madd, div, pow, shift, bw (bitwise), maxmin, or func:<name>. Subtractions are
// additions. Once per sub-group; an operation on vectors is one on scalars for each lane.
type Op struct {
	Op          string      `json:"op"`
	DType       expr.DType  `json:"dtype"` // of the result
	Granularity Granularity `json:"granularity"`
}

// Mem is an access to memory of the device or of the work-group. An access to a vector is one access, of the vector's type;
// its strides are in elements of the array.
type Mem struct {
	Space       kernel.Space `json:"space"` // Global, Local or Constant
	DType       expr.DType   `json:"dtype"`
	Direction   Direction    `json:"direction"` // Load or Store
	Variable    string       `json:"variable"`
	Tag         string       `json:"tag"` // of the access, "" for none
	LStrides    Strides      `json:"lstrides"`
	GStrides    Strides      `json:"gstrides"`
	Granularity Granularity  `json:"granularity"`
}

// Sync is a synchronization: barrier_local or barrier_global, counted for one work-item, or kernel_launch.
type Sync struct {
	Op string `json:"op"`
}

// Footprint is the set of elements of a variable that are read or written, each once.
type Footprint struct {
	Variable  string    `json:"variable"`
	Direction Direction `json:"direction"` // Read or Write
}

// Kind is "op".
func (Op) Kind() string { return "op" }

// Kind is "mem".
func (Mem) Kind() string { return "mem" }

// Kind is "sync".
func (Sync) Kind() string { return "sync" }

// Kind is "footprint".
func (Footprint) Kind() string { return "footprint" }

// String is like "float32 madd (subgroup)".
func (o Op) String() string { return fmt.Sprintf("%s %s (%s)", o.DType, o.Op, o.Granularity) }

// String is like "global float32 load a$aLD lstrides:{0:1;1:n} gstrides:{1:16*n} (workitem)".
func (m Mem) String() string {
	name := m.Variable
	if m.Tag != "" {
		name += "$" + m.Tag
	}
	return fmt.Sprintf("%s %s %s %s lstrides:{%s} gstrides:{%s} (%s)", m.Space, m.DType, m.Direction, name, m.LStrides, m.GStrides, m.Granularity)
}

// Selector is the tag by which identifiers select the access: its own, or the implicit one of an access to global memory.
func (m Mem) Selector() string {
	if m.Tag != "" || m.Space != kernel.Global {
		return m.Tag
	}
	return expr.ImplicitTag(m.Variable, m.Direction == Store)
}

func (s Sync) String() string { return s.Op }

// String is like "read a".
func (f Footprint) String() string { return string(f.Direction) + " " + f.Variable }

func (o Op) order() []string { return []string{"0", string(o.DType), o.Op} }

func (m Mem) order() []string {
	return []string{
		"1", string(m.Space), string(m.Direction), m.Variable, m.Tag, string(m.LStrides), string(m.GStrides),
		string(m.DType), string(m.Granularity),
	}
}
func (s Sync) order() []string      { return []string{"2", s.Op} }
func (f Footprint) order() []string { return []string{"3", f.Variable, string(f.Direction)} }

func compareKeys(a, b Key) int { return slices.Compare(a.order(), b.order()) }

// Strides are distances in elements between neighbours along hardware axes, as in "0:1;1:16*n": axes in order, values as
// polynomials in the kernel's parameters. An axis that is absent has stride 0. The value "?" says that the distance is not
// constant, as in x[i % 16] or x[k[i]].
type Strides string

// Varying is the stride of an access whose neighbours are at distances that are not constant.
const Varying = "?"

func makeStrides(byAxis map[int]string) Strides {
	var items []string
	for _, axis := range slices.Sorted(maps.Keys(byAxis)) {
		if byAxis[axis] != "0" {
			items = append(items, fmt.Sprintf("%d:%s", axis, byAxis[axis]))
		}
	}
	return Strides(strings.Join(items, ";"))
}

// Axes maps the number of each axis, as text, to its stride.
func (s Strides) Axes() map[string]string {
	out := map[string]string{}
	if s == "" {
		return out
	}
	for _, item := range strings.Split(string(s), ";") {
		axis, stride, _ := strings.Cut(item, ":")
		out[axis] = stride
	}
	return out
}

// MarshalJSON writes the axes, as in {"0": "1", "1": "16*n"}.
func (s Strides) MarshalJSON() ([]byte, error) { return json.Marshal(s.Axes()) }

// Along is the stride along an axis; "0" where the axis is absent.
func (s Strides) Along(axis int) string {
	return cmp.Or(s.Axes()[fmt.Sprint(axis)], "0")
}
