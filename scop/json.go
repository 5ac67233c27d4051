package scop

import (
	"gpuperf/kernel/expr"

	"gpuperf/internal/lists"
)

// Object is what perf scop show --json prints for a nest.
type Object struct {
	Scop       string            `json:"scop"`
	File       string            `json:"file"`
	Lines      [2]int            `json:"lines"`
	Params     []string          `json:"params"`
	Context    string            `json:"context"`
	Arrays     []ArrayObject     `json:"arrays"`
	Statements []StatementObject `json:"statements"`

	nest *Nest
}

// ArrayObject is an array or a scalar; an extent that is not known is "".
type ArrayObject struct {
	Name    string     `json:"name"`
	DType   expr.DType `json:"dtype"`
	Shape   []string   `json:"shape"`
	Local   bool       `json:"local"`
	Written bool       `json:"written"`
}

// StatementObject is a statement. Its accesses are in the order in which a run makes them.
type StatementObject struct {
	Name     string         `json:"name"`
	Line     int            `json:"line"`
	Text     string         `json:"text"`
	Domain   string         `json:"domain"`
	Order    []string       `json:"order"`
	Accesses []AccessObject `json:"accesses"`
}

// AccessObject is an access. A subscript "*" may be any. Where is the part of the domain at which the access is made, if that is not all.
type AccessObject struct {
	Array     string   `json:"array"`
	Direction string   `json:"direction"` // read or write
	Index     []string `json:"index"`
	Where     string   `json:"where,omitempty"`
}

// Objects are nests as perf scop show prints them.
func Objects(nests []*Nest) []*Object {
	return lists.Map(nests, func(n *Nest) *Object { return n.object() })
}

func (n *Nest) object() *Object {
	o := &Object{
		Scop: n.Name, File: n.File, Lines: [2]int{n.First, n.Last}, Params: append([]string{}, n.Params...), Context: n.Context.String(),
		Arrays: []ArrayObject{}, Statements: []StatementObject{}, nest: n,
	}
	for _, a := range n.Arrays {
		shape := []string{}
		for _, e := range a.Shape {
			shape = append(shape, extentText(e))
		}
		o.Arrays = append(o.Arrays, ArrayObject{a.Name, a.DType, shape, a.Local, a.Written})
	}
	for _, s := range n.Statements {
		text := s.LHS.String() + " = " + s.RHS.String()
		so := StatementObject{Name: s.Name, Line: s.Pos.Line, Text: text, Domain: s.Domain.String(), Order: []string{}, Accesses: []AccessObject{}}
		for _, x := range s.Order {
			so.Order = append(so.Order, x.String())
		}
		for _, a := range s.Accesses {
			ao := AccessObject{Array: a.Array.Name, Direction: a.direction(), Index: a.subscripts()}
			if a.Where != nil {
				ao.Where = a.Where.String()
			}
			so.Accesses = append(so.Accesses, ao)
		}
		o.Statements = append(o.Statements, so)
	}
	return o
}
