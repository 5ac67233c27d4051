package features

import (
	"fmt"
	"io"
	"math/big"
	"strings"
	"text/tabwriter"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Object is what `perf count --json` prints for a kernel.
type Object struct {
	Kernel       string `json:"kernel"`
	SubgroupSize int    `json:"subgroup_size"`
	Statistics   []any  `json:"statistics"` // OpObject, MemObject, SyncObject, FootprintObject
}

// Counted is the part that all records have: the symbolic count and, where sizes are given, its value.
type Counted struct {
	Count string `json:"count"`
	Value string `json:"value,omitempty"`
}

// OpObject is a record of an operation.
type OpObject struct {
	Kind        string      `json:"kind"`
	Op          string      `json:"op"`
	DType       expr.DType  `json:"dtype"`
	Granularity Granularity `json:"granularity"`
	Counted
}

// MemObject is a record of a memory access. Strides are by axis; an axis that is absent has stride 0. With sizes it has
// the accesses of work-items per element of the footprint and, for global memory and where Options.Lines asks for them, the
// cache lines and sectors that sub-groups touch; what cannot be counted is absent.
type MemObject struct {
	Kind        string            `json:"kind"`
	Space       kernel.Space      `json:"space"`
	DType       expr.DType        `json:"dtype"`
	Direction   Direction         `json:"direction"`
	Variable    string            `json:"variable"`
	Tag         string            `json:"tag"`
	LStrides    map[string]string `json:"lstrides"`
	GStrides    map[string]string `json:"gstrides"`
	Granularity Granularity       `json:"granularity"`
	AFR         *float64          `json:"afr,omitempty"`
	Lines       string            `json:"lines,omitempty"`
	Sectors     string            `json:"sectors,omitempty"`
	Counted
}

// SyncObject is a record of a synchronization.
type SyncObject struct {
	Kind string `json:"kind"`
	Op   string `json:"op"`
	Counted
}

// FootprintObject is a record of a footprint.
type FootprintObject struct {
	Kind      string    `json:"kind"`
	Variable  string    `json:"variable"`
	Direction Direction `json:"direction"`
	Counted
}

// JSON is the statistics as an object for encoding, with values where sizes are given (not nil).
func (s *Statistics) JSON(sizes map[string]int64) (*Object, error) {
	counts, err := s.counted(sizes)
	if err != nil {
		return nil, err
	}
	o := &Object{Kernel: s.Kernel, SubgroupSize: s.SubgroupSize, Statistics: []any{}}
	for i, r := range s.Records {
		var object any
		switch k := r.Key.(type) {
		case Op:
			object = OpObject{k.Kind(), k.Op, k.DType, k.Granularity, counts[i]}
		case Mem:
			m := MemObject{
				Kind: k.Kind(), Space: k.Space, DType: k.DType, Direction: k.Direction, Variable: k.Variable, Tag: k.Tag,
				LStrides: k.LStrides.Axes(), GStrides: k.GStrides.Axes(), Granularity: k.Granularity, Counted: counts[i],
			}
			if sizes != nil {
				s.measureMem(&m, k, sizes)
			}
			object = m
		case Sync:
			object = SyncObject{k.Kind(), k.Op, counts[i]}
		case Footprint:
			object = FootprintObject{k.Kind(), k.Variable, k.Direction, counts[i]}
		}
		o.Statistics = append(o.Statistics, object)
	}
	return o, nil
}

// measureMem adds what depends on more than the record's count.
func (s *Statistics) measureMem(m *MemObject, key Mem, sizes map[string]int64) {
	if ratio, err := s.AFR(key, sizes); err == nil {
		v, _ := ratio.Float64()
		m.AFR = &v
	}
	if !s.c.opt.Lines || key.Space != kernel.Global {
		return
	}
	for u, to := range map[unit]*string{cacheLines: &m.Lines, sectors: &m.Sectors} {
		if n, err := s.units(u, key, sizes); err == nil {
			*to = decimalOf(n)
		}
	}
}

// counted gives the count of each record as text, and its value where sizes are given.
func (s *Statistics) counted(sizes map[string]int64) ([]Counted, error) {
	var values []int64
	if sizes != nil {
		var err error
		if values, err = s.bind(nil, sizes); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", s.Kernel, err)
		}
	}
	out := make([]Counted, len(s.Records))
	for i, r := range s.Records {
		out[i].Count = r.Count.String()
		if sizes != nil {
			out[i].Value = decimal(s.evals[i], values)
		}
	}
	return out, nil
}

// decimal is the value of a count.
func decimal(e *polycount.Evaluator, values []int64) string {
	if v, ok := e.Int64(values); ok {
		return fmt.Sprint(v)
	}
	return decimalOf(e.Rat(values))
}

// Write prints the records as an aligned table, with values where sizes are given (not nil).
func (s *Statistics) Write(w io.Writer, sizes map[string]int64) error {
	counts, err := s.counted(sizes)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"kind", "what", "variable", "strides along l and g", "once per", "count"}
	if sizes != nil {
		head = append(head, "value")
	}
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for i, r := range s.Records {
		cells := columns(r.Key)
		for j, c := range cells {
			if c == "" {
				cells[j] = "-"
			}
		}
		cells = append(cells, counts[i].Count)
		if sizes != nil {
			cells = append(cells, counts[i].Value)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}

// columns are kind, what, variable, strides and granularity of a key.
func columns(key Key) []string {
	switch k := key.(type) {
	case Op:
		return []string{k.Kind(), string(k.DType) + " " + k.Op, "", "", string(k.Granularity)}
	case Mem:
		name := k.Variable
		if k.Tag != "" {
			name += "$" + k.Tag
		}
		strides := fmt.Sprintf("{%s} {%s}", k.LStrides, k.GStrides)
		return []string{k.Kind(), fmt.Sprintf("%s %s %s", k.Space, k.DType, k.Direction), name, strides, string(k.Granularity)}
	case Footprint:
		return []string{k.Kind(), string(k.Direction), k.Variable, "", ""}
	}
	per := string(WorkItem)
	if key == (Sync{kernelLaunch}) {
		per = "launch"
	}
	return []string{key.Kind(), key.String(), "", "", per}
}

// decimalOf writes a number exactly, or to six places where it has no end. Counts with averages need not be integers.
func decimalOf(v *big.Rat) string {
	if v.IsInt() {
		return v.RatString()
	}
	places, exact := v.FloatPrec()
	if !exact {
		places = 6
	}
	return v.FloatString(places)
}
