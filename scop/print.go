package scop

import (
	"fmt"
	"io"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Write prints nests: their parameters, their arrays, and their statements, each with its domain, its order and its accesses.
func Write(w io.Writer, nests []*Object) error {
	for i, o := range nests {
		if _, err := io.WriteString(w, strings.Repeat("\n", min(i, 1))+o.nest.String()); err != nil {
			return err
		}
	}
	return nil
}

// String is what Write prints of the nest.
func (n *Nest) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, lines %d to %d\n", n.Name, n.File, n.First, n.Last)
	if len(n.Params) > 0 {
		fmt.Fprintf(&b, "parameters: %s\n", strings.Join(n.Params, ", "))
	}
	for _, a := range n.Arrays {
		fmt.Fprintf(&b, "%s\n", a)
	}
	for _, s := range n.Statements {
		fmt.Fprintf(&b, "\n%s: line %d: %s = %s\n", s.Name, s.Pos.Line, s.LHS, s.RHS)
		fmt.Fprintf(&b, "    domain: %s\n    order: %s\n", s.Domain, s.order())
		for _, a := range s.Accesses {
			fmt.Fprintf(&b, "    %s: %s\n", a.direction(), a)
		}
	}
	return b.String()
}

// String is like "array float64 A[n][m], only read".
func (a *Array) String() string {
	kind := "array"
	if len(a.Shape) == 0 {
		kind = "scalar"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s %s", kind, a.DType, a.Name)
	for _, e := range a.Shape {
		text.WriteString("[" + extentText(e) + "]")
	}
	switch {
	case a.Local:
		text.WriteString(", of the region")
	case !a.Written:
		text.WriteString(", only read")
	}
	return text.String()
}

func extentText(e expr.Expr) string {
	if e == nil {
		return ""
	}
	return e.String()
}

func (a Access) direction() string {
	if a.Write {
		return "write"
	}
	return "read"
}

// String is like "A[i, k + 1]", with the condition under which the access is made; "*" stands for any subscript.
func (a Access) String() string {
	text := a.Array.Name
	if len(a.Index) > 0 {
		text += "[" + strings.Join(a.subscripts(), ", ") + "]"
	}
	if a.Where != nil {
		text += " in " + a.Where.String()
	}
	return text
}

// subscripts are those of the access as text: "*" where it may be any.
func (a Access) subscripts() []string {
	out := []string{}
	for d, x := range a.Index {
		text := x.String()
		if d < len(a.Array.Any) && a.Array.Any[d] {
			text = "*"
		}
		out = append(out, text)
	}
	return out
}

func (s *Statement) order() string { return "[" + joined(s.Order) + "]" }

func joined(list []polycount.Affine) string {
	parts := lists.Map(list, func(a polycount.Affine) string { return a.String() })
	return strings.Join(parts, ", ")
}
