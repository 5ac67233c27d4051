package models

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// Binary is what a model is otherwise where the machine code of the kernel is known.
type Binary struct {
	Terms      []Term      // in place of those of the same names
	Parameters []Parameter // in place of those of the same names, or more of them
}

// binarySuffix ends the name of a model as it is where the machine code is known.
const binarySuffix = "_binary"

// WithBinary returns the model as it is where the machine code of the kernel is known; nil where it has no such form.
func (m *Model) WithBinary() (*Model, error) {
	if m.Binary == nil {
		return nil, nil
	}
	out := *m
	out.Name, out.Binary, out.Parameters = m.Name+binarySuffix, nil, nil
	out.Terms = slices.Clone(m.Terms)
	for i, t := range out.Terms {
		if at := slices.IndexFunc(m.Binary.Terms, func(b Term) bool { return b.Name == t.Name }); at >= 0 {
			out.Terms[i] = m.Binary.Terms[at]
		}
	}
	bare, err := Parse(m.File, []byte(out.String()))
	if err != nil {
		return nil, err
	}
	// Of the parameters of the model some belong to terms that are replaced.
	for _, name := range bare.ParameterNames() {
		is := func(p Parameter) bool { return p.Name == name }
		for _, list := range [][]Parameter{m.Binary.Parameters, m.Parameters} {
			if at := slices.IndexFunc(list, is); at >= 0 {
				out.Parameters = append(out.Parameters, list[at])
				break
			}
		}
	}
	return Parse(m.File, []byte(out.String()))
}

// binary reads the section and tries whether the model can be read with it.
func (r *reader) binary(n *yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	if n == nil {
		return nil
	}
	f := throw.Get(n.Fields(Keys["binary"]...))
	b := &Binary{}
	known := lists.Map(r.m.Terms, func(t Term) string { return t.Name })
	each(f["terms"], func(p yamlfile.Entry) (err error) {
		defer throw.Catch(&err)
		if !slices.Contains(known, p.Key.Text) {
			return p.Key.Errorf("%q is not a term of this model, so that the binary cannot replace it", p.Key.Text).WithHint("%s", source.Suggest(p.Key.Text, known))
		}
		_, text := r.parseNode(p.Value)
		b.Terms = append(b.Terms, Term{Name: p.Key.Text, Expression: text})
		return nil
	})
	if len(b.Terms) == 0 {
		return n.Errorf("binary replaces no term of the model").WithHint("terms: {NAME: EXPRESSION}, over features f_static_code_…")
	}
	each(f["parameters"], func(p yamlfile.Entry) (err error) {
		defer throw.Catch(&err)
		one := r.m.readParameter(p.Key.Text, p.Value)
		b.Parameters = append(b.Parameters, one)
		return nil
	})
	r.m.Binary = b
	with, err := r.m.WithBinary()
	if err != nil {
		return n.Errorf("with the binary: %s", source.Message(err))
	}
	for _, p := range b.Parameters {
		if used := with.ParameterNames(); !slices.Contains(used, p.Name) {
			return n.Errorf("with the binary the expression has no parameter %q", p.Name).WithHint("%s", source.Suggest(p.Name, used))
		}
	}
	return nil
}
