package models

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
)

// Form is how the costs of global memory and of on-chip work combine to a time.
type Form string

// The forms.
const (
	LinearForm  Form = "linear"  // their sum (Perflex paper, equation 7)
	OverlapForm Form = "overlap" // the larger of the two, with an edge (equation 8)
	PNormForm   Form = "pnorm"   // anything from the sum to the larger, by an exponent
)

// Forms lists the forms, the simplest first.
var Forms = []Form{LinearForm, OverlapForm, PNormForm}

// shapeParameter is the parameter that a form has besides those of the costs. From the least p_edge on, the overlap of a cost with 0 is
// that cost within 0.3 %; a softer edge would scale every cost that has no other to overlap with.
var shapeParameter = map[Form]struct {
	name     string
	min, max float64
}{
	OverlapForm: {"p_edge", 3, 100},
	PNormForm:   {"p_norm", 1, 64},
}

// Names of the terms that a linear model must have to be converted to another form.
const (
	gmemTerm   = "gmem"
	onchipTerm = "onchip"
)

// workTerm is the term that combines the two where the expression joins the result with something else, as with the latency of
// a kernel that has too few work-groups to hide it.
const workTerm = "work"

// parts are the parts of a sum: the combination of two terms, and the other addends.
type parts struct {
	form   Form
	a, b   string // the terms
	shape  string // the shape parameter, "" for the linear form
	others []*Expr
	term   int // index of the term with this expression, -1 for the model's expression
}

// parts returns the parts of the term work if it has such a combination, else those of the model's expression.
func (m *Model) parts() (parts, bool) {
	if i := slices.IndexFunc(m.Terms, func(t Term) bool { return t.Name == workTerm }); i >= 0 {
		if p, ok := partsOf(m.Terms[i].expr); ok {
			p.term = i
			return p, true
		}
	}
	return partsOf(m.expression)
}

func partsOf(sum *Expr) (parts, bool) {
	p := parts{term: -1}
	var linear []string
	for _, e := range sum.addends() {
		form := e.form()
		combines := form != "" && e.Args[0].Op == TermRef && e.Args[1].Op == TermRef && e.Args[2].Op == Param
		switch {
		case combines && p.form != "":
			return p, false
		case combines:
			p.form, p.a, p.b, p.shape = form, e.Args[0].Name, e.Args[1].Name, e.Args[2].Name
		case e.Op == TermRef && (e.Name == gmemTerm || e.Name == onchipTerm):
			linear = append(linear, e.Name)
			p.others = append(p.others, e)
		default:
			p.others = append(p.others, e)
		}
	}
	if p.form != "" {
		return p, true
	}
	if slices.Sort(linear); !slices.Equal(linear, []string{gmemTerm, onchipTerm}) {
		return p, false
	}
	p.form, p.a, p.b = LinearForm, gmemTerm, onchipTerm
	p.others = slices.DeleteFunc(p.others, func(e *Expr) bool { return e.Op == TermRef && slices.Contains(linear, e.Name) })
	return p, true
}

// addends lists the addends of an expression.
func (e *Expr) addends() []*Expr {
	if e.Op != Add {
		return []*Expr{e}
	}
	return append(e.Args[0].addends(), e.Args[1].addends()...)
}

// Form returns the form of the model and the terms that it combines, for example overlap, gmem and onchip; ok is false where the
// expression is no sum with such a combination. Where the model has a term work, the form is that term's.
func (m *Model) Form() (form Form, gmem, onchip string, ok bool) {
	p, ok := m.parts()
	return p.form, p.a, p.b, ok
}

// As returns the model in another form, or itself where it has that form already. A model without form is an error.
func (m *Model) As(form Form) (*Model, error) {
	p, ok := m.parts()
	if !ok {
		return nil, m.ErrorAt(m.Place("expression"), "model %s has no form that could be another: its expression does not combine two terms", m.Name).
			WithHint("write it with terms gmem and onchip, for example overhead + gmem + onchip")
	}
	if p.form == form {
		return m, nil
	}
	out := *m
	sum := lists.Map(p.others, (*Expr).String)
	out.Parameters = slices.DeleteFunc(slices.Clone(m.Parameters), func(q Parameter) bool { return q.Name == p.shape })
	switch shape, shaped := shapeParameter[form]; {
	case shaped:
		name := shape.name
		for slices.Contains(m.ParameterNames(), name) && name != p.shape {
			name += "_"
		}
		sum = append(sum, fmt.Sprintf("%s(%s, %s, %s)", form, p.a, p.b, name))
		out.Parameters = append(out.Parameters, Parameter{Name: name, Min: shape.min, Max: shape.max})
	case form == LinearForm:
		sum = append(sum, p.a, p.b)
	default:
		return nil, fmt.Errorf("no form %q; there are: %s", form, strings.Join(words(Forms), ", "))
	}
	if p.term >= 0 {
		out.Terms = slices.Clone(m.Terms)
		out.Terms[p.term].Expression = strings.Join(sum, " + ")
	} else {
		out.Expression = strings.Join(sum, " + ")
	}
	return Parse(m.File, []byte(out.String()))
}

// ParseForm reads the name of a form.
func ParseForm(text string) (Form, error) {
	if f := Form(text); slices.Contains(Forms, f) {
		return f, nil
	}
	return "", fmt.Errorf("no form %q; there are: %s", text, strings.Join(words(Forms), ", "))
}

// form is the form of overlap that a node is, "" for another node.
func (e *Expr) form() Form {
	switch e.Op {
	case Overlap:
		return OverlapForm
	case PNorm:
		return PNormForm
	}
	return ""
}
