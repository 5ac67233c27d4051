package models

import (
	"maps"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

// resolve checks that every name is defined, that no definition needs itself, and that every definition is used.
func (r *reader) resolve(output *yamlfile.Node) error {
	m := r.m
	known := lists.Map(m.Terms, func(t Term) string { return t.Name })
	const visiting, done = 1, 2 // states of a term
	state := make(map[string]int)
	var visit func(at *yamlfile.Node, e *Expr) error
	visit = func(at *yamlfile.Node, e *Expr) error {
		for _, leaf := range slices.Concat(e.leaves(TermRef), e.leaves(Feature)) {
			inner := m.definition(leaf)
			switch {
			case inner == nil && leaf.Op == TermRef:
				return r.unknown(at, leaf.Name, known)
			case inner == nil || state[leaf.Name] == done:
				continue
			case state[leaf.Name] == visiting:
				return r.in(at, leaf.Name, "%s is defined by itself", leaf.Name)
			}
			state[leaf.Name] = visiting
			if err := visit(r.nodes[leaf.Name], inner); err != nil {
				return err
			}
			state[leaf.Name] = done
		}
		return nil
	}
	if err := visit(r.nodes["expression"], m.expression); err != nil {
		return err
	}
	if err := visit(output, &Expr{Op: Feature, Name: m.Output}); err != nil {
		return err
	}
	for _, t := range m.Terms {
		if state[t.Name] == 0 {
			return r.nodes[t.Name].Errorf("the expression does not use the term %s", t.Name).WithHint("use it, or remove it")
		}
	}
	for _, f := range m.Features {
		if state[f.Name] == 0 {
			return r.nodes[f.Name].Errorf("nothing uses the feature %s", f.Name).WithHint("use it, or remove it")
		}
	}
	if slices.Contains(m.FeatureNames(), m.Output) {
		return output.Errorf("the expression uses its own output %s", m.Output)
	}
	return nil
}

func (e *Expr) leaves(op Op) []*Expr {
	return lists.Map(e.names(op), func(n string) *Expr { return &Expr{Op: op, Name: n} })
}

func (r *reader) unknown(at *yamlfile.Node, name string, terms []string) error {
	err := r.in(at, name, "%q is not a term of this model", name)
	if near := source.Nearest(name, slices.Concat(terms, slices.Sorted(maps.Keys(functions)))); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("features start with f_, parameters with p_; terms stand under terms:")
}
