package features

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Object is what `perf count --json` prints for a kernel.
type Object struct {
	Kernel       string `json:"kernel"`
	SubgroupSize int    `json:"subgroup_size"`
	Statistics   []any  `json:"statistics"` // the kind, the key's fields, and Counted; Measured for accesses to memory
	// AsIfHeld are Statistics.AsIfHeld.
	AsIfHeld []string `json:"as_if_held,omitempty"`
	// Beside names what else is counted otherwise than it runs; empty with Options.ExactBranches.
	Beside []string `json:"counted,omitempty"`
	// Without are the parts of the source that are not counted, each with its line and the reason.
	Without []string `json:"without,omitempty"`
}

// Counted is the part that all records have: the symbolic count and, where sizes are given, its value.
type Counted struct {
	Count string `json:"count"`
	Value string `json:"value,omitempty"`
}

// Measured is what records of accesses to memory have at given sizes: the accesses of work-items per element of the footprint and, for
// global memory and where Options.Lines asks for them, the cache lines and sectors that sub-groups touch. What cannot be counted is
// absent.
type Measured struct {
	AFR     *float64 `json:"afr,omitempty"`
	Lines   string   `json:"lines,omitempty"`
	Sectors string   `json:"sectors,omitempty"`
}

// JSON is the statistics as an object for encoding, with values where sizes are given (not nil).
func (s *Statistics) JSON(sizes map[string]int64, alone ...Record) (_ *Object, err error) {
	defer throw.Catch(&err)
	counts := s.counted(sizes, alone)
	o := &Object{Kernel: s.Kernel, SubgroupSize: s.SubgroupSize, Statistics: []any{}, AsIfHeld: s.AsIfHeld(), Beside: s.beside()}
	for i, r := range slices.Concat(s.Records, alone) {
		var object any
		switch k := r.Key.(type) {
		case Op:
			object = struct {
				Kind string `json:"kind"`
				Op
				Counted
			}{k.Kind(), k, counts[i]}
		case Mem:
			object = struct {
				Kind string `json:"kind"`
				Mem
				Measured
				Counted
			}{k.Kind(), k, s.measure(k, sizes), counts[i]}
		case Sync:
			object = struct {
				Kind string `json:"kind"`
				Sync
				Counted
			}{k.Kind(), k, counts[i]}
		case Footprint:
			object = struct {
				Kind string `json:"kind"`
				Footprint
				Counted
			}{k.Kind(), k, counts[i]}
		}
		o.Statistics = append(o.Statistics, object)
	}
	return o, nil
}

// measure counts what depends on more than the record's count.
func (s *Statistics) measure(key Mem, sizes map[string]int64) (m Measured) {
	if sizes == nil {
		return m
	}
	if ratio, err := s.AFR(key, sizes); err == nil {
		v, _ := ratio.Float64()
		m.AFR = &v
	}
	if !s.c.opt.Lines || key.Space != kernel.Global {
		return m
	}
	for u, to := range map[*unit]*string{&cacheLines: &m.Lines, &sectors: &m.Sectors} {
		if n, err := s.units(*u, key, sizes); err == nil {
			*to = decimal(n)
		}
	}
	return m
}

// counted gives the count of each record as text, and its value where sizes are given.
func (s *Statistics) counted(sizes map[string]int64, alone []Record) []Counted {
	var values []int64
	if sizes != nil {
		var err error
		if values, err = s.bind(nil, sizes); err != nil {
			panic(throw.Errorf("kernel %s: %w", s.Kernel, err))
		}
	}
	out := make([]Counted, len(s.Records), len(s.Records)+len(alone))
	for i, r := range s.Records {
		out[i].Count = r.Count.String()
		if sizes != nil {
			out[i].Value = decimal(s.evals[i].Rat(values))
		}
	}
	for _, r := range alone {
		n := throw.Get(r.Count.Eval(sizes))
		out = append(out, Counted{Value: decimal(n)})
	}
	return out
}

// Alone are the counts at given sizes of the same kernel for which there is no formula.
func (s *Statistics) Alone(at *Statistics) (alone []Record) {
	return lists.Where(at.Records, func(r Record) bool {
		return !slices.ContainsFunc(s.Records, func(o Record) bool { return o.Key == r.Key })
	})
}

// Values are what the records count at sizes.
type Values struct {
	Head   string // of their column
	Counts []string
}

// Values are those at sizes, of the records and of those that have values alone.
func (s *Statistics) Values(head string, sizes map[string]int64, alone []Record) (v Values, err error) {
	defer throw.Catch(&err)
	for _, c := range s.counted(sizes, alone) {
		v.Counts = append(v.Counts, c.Value)
	}
	v.Head = head
	return v, nil
}

// mostText is up to how many characters a formula has a place in a table beside its values: ten lines of a terminal, which nobody reads further.
const mostText = 800

// Write prints the records as an aligned table, with columns of values, and those that have values alone.
func (s *Statistics) Write(w io.Writer, alone []Record, at ...Values) (err error) {
	defer throw.Catch(&err)
	counts := s.counted(nil, alone)
	head := []string{"kind", "what", "variable", "strides along l and g", "once per", "count"}
	for _, v := range at {
		head = append(head, v.Head)
	}
	t := format.NewTable(head...)
	for i, r := range slices.Concat(s.Records, alone) {
		count := counts[i].Count
		if i >= len(s.Records) && s.exceeds(r.Key) {
			count = noFormula
		} else if len(count) > mostText && len(at) > 0 {
			count = fmt.Sprintf("a formula of %d characters, which --json has", len(count))
		}
		cells := append(columns(r.Key), count)
		for j, c := range cells {
			if c == "" {
				cells[j] = "-"
			}
		}
		for _, v := range at {
			cells = append(cells, v.Counts[i])
		}
		t.Row(cells...)
	}
	throw.If(t.Write(w))
	if rule := s.rule(); rule != "" {
		_, err = fmt.Fprintln(w, rule)
	}
	return err
}

// AsIfHeld lists the statements that exact counts have at points at which they may not run, or of whose selects they have both sides: a
// condition depends on data, or is not affine in sizes and indices. It is in the order of the kernel.
func (s *Statistics) AsIfHeld() (statements []string) {
	for _, stmt := range s.c.k.Statements {
		if s.c.held[stmt.ID] {
			statements = append(statements, stmt.ID)
		}
	}
	return statements
}

// rule names what counts include that does not run as they say; "" where it is all the same.
func (s *Statistics) rule() string {
	if list := s.AsIfHeld(); len(list) > 0 {
		const most = 4 // conditions in a line
		if more := len(list) - most; more > 1 {
			list = append(list[:most], fmt.Sprintf("%d more", more))
		}
		return "counted as if their conditions held, which depend on data or are not affine: " + strings.Join(list, ", ")
	}
	if notes := s.beside(); notes != nil {
		return "counted: " + strings.Join(notes, "; ") + " (--exact-branches: what runs)"
	}
	return ""
}

// beside names what is counted otherwise than it runs, where branches are not exact.
func (s *Statistics) beside() (notes []string) {
	if s.c.opt.ExactBranches {
		return nil
	}
	if slices.ContainsFunc(s.c.k.Statements, s.c.partial) {
		notes = append(notes, "both sides of branches, and all sub-groups of a work-group where some work-items are idle")
	}
	if names := s.c.unevenInames(); len(names) > 0 {
		notes = append(notes, "once for a work-group each value of "+strings.Join(names, ", ")+", which work-items do not start at together")
	}
	if names := s.c.readByConditions(); len(names) > 0 {
		notes = append(notes, "not the conditions of statements, which load "+strings.Join(names, ", "))
	}
	for _, r := range s.Records {
		if m, ok := r.Key.(Mem); ok && m.Space == kernel.Global && m.Granularity == SubGroup {
			if rows, err := s.c.spansRows(m.LStrides); err == nil && rows {
				notes = append(notes, fmt.Sprintf("%s once per sub-group, which is for its stride of 0 along l.0: sub-groups have several rows, with an element each", m.Variable))
				break
			}
		}
	}
	return notes
}

// unevenInames lists the inames of loops that do not start at the same value in all work-items of a group.
func (c *counter) unevenInames() (names []string) {
	for _, s := range c.k.Statements {
		for _, l := range c.unevenLoops(s) {
			if !slices.Contains(names, l.iname) {
				names = append(names, l.iname)
			}
		}
	}
	return names
}

// readByConditions lists the arrays in global memory that conditions of statements load, which counts leave out unless branches are exact.
func (c *counter) readByConditions() (names []string) {
	for _, s := range c.k.Statements {
		for _, p := range s.Predicates {
			for _, a := range expr.Accesses(p) {
				if array := c.k.Array(a.Array); array != nil && array.Space == kernel.Global && !slices.Contains(names, a.Array) {
					names = append(names, a.Array)
				}
			}
		}
	}
	return names
}

// partial reports whether work-items that a statement is counted for may not run it.
func (c *counter) partial(s *kernel.Stmt) bool {
	if len(s.Predicates) > 0 || expr.Any(s.RHS, func(e expr.Expr) bool { _, is := e.(*expr.Cond); return is }) {
		return true
	}
	full, err := c.fillsGroups(s)
	return err == nil && !full
}

// fillsGroups reports whether all work-items of a work-group run a statement if one does.
func (c *counter) fillsGroups(s *kernel.Stmt) (bool, error) {
	size, err := c.size()
	if err != nil {
		return false, err
	}
	domain, err := c.k.DomainOf(s.Inames)
	if err == nil && c.k.Assumptions != nil {
		domain, err = domain.Intersect(c.k.Assumptions.AddDims(domain.Dims()...))
	}
	if err != nil {
		return false, err
	}
	var locals []string
	var within []polycount.Constraint
	for _, name := range s.Inames {
		if tag := c.k.Tags[name]; tag.Kind == kernel.LocalAxis {
			locals, within = append(locals, name), append(within, kernel.Within(name, 0, size[tag.Axis]-1)...)
		}
	}
	all, err := domain.Project(nameset.Remove(s.Inames, locals...)...)
	if err == nil {
		all, err = all.AddDims(locals...).Constrain(within...)
	}
	if err != nil {
		return false, err
	}
	return all.IsSubset(domain)
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

// decimal writes a number exactly, or to six places where it has no end. Counts with averages need not be integers.
func decimal(v *big.Rat) string {
	if v.IsInt() {
		return v.RatString()
	}
	places, exact := v.FloatPrec()
	if !exact {
		places = 6
	}
	return v.FloatString(places)
}
