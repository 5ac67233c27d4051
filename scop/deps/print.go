package deps

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/internal/format"
	"gpuperf/scop"
)

// Object is what perf scop deps --json prints for a nest.
type Object struct {
	Scop        string             `json:"scop"`
	Statements  []StatementObject  `json:"statements"`
	Dependences []DependenceObject `json:"dependences"`
	Loops       []LoopObject       `json:"loops"`
}

// StatementObject is a statement; value is the number of its executions, where no parameter is left.
type StatementObject struct {
	Name       string `json:"name"`
	Line       int    `json:"line"`
	Domain     string `json:"domain"`
	Executions string `json:"executions"`
	Value      string `json:"value,omitempty"`
}

// DependenceObject is a dependence. CarriedBy is the iterator of the loop that carries it, absent where points of one iteration of all common loops
// depend on each other; distance is absent where it is not constant.
type DependenceObject struct {
	Kind       Kind    `json:"kind"`
	ValueBased bool    `json:"value_based"`
	From       string  `json:"from"`
	To         string  `json:"to"`
	Array      string  `json:"array"`
	Map        string  `json:"map"`
	CarriedBy  *string `json:"carried_by"`
	Distance   []int64 `json:"distance,omitempty"`
}

// LoopObject is a loop with its class.
type LoopObject struct {
	Line     int    `json:"line"`
	Iterator string `json:"iterator"`
	Class    Class  `json:"class"`
}

// JSON is the analysis as perf scop deps --json prints it.
func (a *Analysis) JSON() (*Object, error) {
	o := &Object{Scop: a.Nest.Name, Statements: []StatementObject{}, Dependences: []DependenceObject{}, Loops: []LoopObject{}}
	for _, s := range a.Nest.Statements {
		count, err := s.Domain.Count()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: executions of %s: %w", a.Nest.File, s.Pos.Line, s.Name, err)
		}
		so := StatementObject{Name: s.Name, Line: s.Pos.Line, Domain: s.Domain.String(), Executions: count.String()}
		if v, err := count.Eval(nil); err == nil {
			so.Value = v.RatString()
		}
		o.Statements = append(o.Statements, so)
	}
	for _, d := range a.Dependences {
		do := DependenceObject{
			Kind: d.Kind, ValueBased: d.ValueBased, From: d.From.Name, To: d.To.Name, Array: d.Array.Name, Map: d.Map.String(), Distance: d.Distance,
		}
		if d.Carrier != nil {
			do.CarriedBy = &d.Carrier.Iterator
		}
		o.Dependences = append(o.Dependences, do)
	}
	for _, l := range a.Loops {
		o.Loops = append(o.Loops, LoopObject{l.Pos.Line, l.Iterator, l.Class})
	}
	return o, nil
}

// Write prints analyses: the executions of statements, the dependences, and what the loops are.
func Write(w io.Writer, all []*Object) error {
	for i, o := range all {
		fmt.Fprintf(w, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), o.Scop)
		t := format.NewTable("statement", ">line", "executions", ">value")
		for _, s := range o.Statements {
			t.Row(s.Name, fmt.Sprint(s.Line), s.Executions, s.Value)
		}
		if err := t.Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		t = format.NewTable("kind", "by", "array", "carried by", "distance", "map")
		for _, d := range o.Dependences {
			by, carrier, distance := "memory", "-", "-"
			if d.ValueBased {
				by = "value"
			}
			if d.CarriedBy != nil {
				carrier = *d.CarriedBy
			}
			if d.Distance != nil {
				distance = strings.Trim(strings.ReplaceAll(fmt.Sprint(d.Distance), " ", ","), "[]")
			}
			t.Row(string(d.Kind), by, d.Array, carrier, distance, d.Map)
		}
		if err := t.Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		t = format.NewTable(">line", "loop", "class")
		for _, l := range o.Loops {
			t.Row(fmt.Sprint(l.Line), l.Iterator, string(l.Class))
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// Objects analyses nests, with values in place of parameters, within limits, so that a stranger's file is safe to open.
func Objects(ctx context.Context, nests []*scop.Nest, values map[string]int64) (all []*Object, err error) {
	all, err = scop.Each(ctx, nests, scop.Work/2, func(n *scop.Nest) (*Object, error) { return object(n, values) })
	if bounded.Stopped(err) {
		err = fmt.Errorf("%s: the analysis of dependences %w", nests[0].File, err)
	}
	return all, err
}

func object(n *scop.Nest, values map[string]int64) (*Object, error) {
	fixed, err := n.Fix(values)
	if err != nil {
		return nil, err
	}
	a, err := Analyze(fixed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.File, err)
	}
	return a.JSON()
}
