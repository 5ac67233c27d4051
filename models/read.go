package models

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// Keys are the keys of each map in a model file.
var Keys = map[string][]string{
	"model":       {"version", "name", "output", "features", "terms", "expression", "parameters", "fit", "measure", "binary"},
	"parameter":   {"init", "min", "max", "unit"},
	"fit":         {"scale_by_output", "nonnegative", "starts"},
	"measure":     {"tags", "match", "script", "remove_work", "sizes"},
	"remove_work": {"keep", "accumulators"},
	"binary":      {"terms", "parameters"},
}

// Load reads a model file.
func Load(path string) (*Model, error) { return yamlfile.Load(path, Parse) }

// New makes a model of an output feature and an expression, as the Perflex paper's Model(output, expression).
func New(name, output, expression string) (*Model, error) {
	return Parse("", []byte((&Model{Name: name, Output: output, Expression: expression}).String()))
}

// Parse reads the text of a model file. Errors are *source.Error: an unknown key, a value of the wrong kind, a mistake in an
// expression, an unknown term, a cycle, or a parameter, term or feature that is described and never used.
func Parse(file string, text []byte) (_ *Model, err error) {
	defer throw.Catch(&err)
	root := throw.Get(yamlfile.Parse(file, text))
	m := &Model{File: file, text: string(text), places: make(map[string]place)}
	f := throw.Get(yamlfile.Format{Name: "model", Version: Version, Keys: Keys["model"], Needed: []string{"name", "output", "expression"}}.Fields(root))
	for key, n := range f {
		m.places[key] = place{n, -1}
	}
	m.Name = throw.Get(f["name"].String())
	m.readOutput(f["output"])
	r := reader{m: m, nodes: make(map[string]*yamlfile.Node)}
	for _, step := range []func() error{
		func() error { return r.features(f["features"]) },
		func() error { return r.terms(f["terms"]) },
		func() error { return r.expression(f["expression"]) },
		func() error { return r.resolve(f["output"]) },
		func() error { return r.parameters(f["parameters"]) },
		func() error { return m.readFit(f["fit"]) },
		func() error { return m.readMeasure(f["measure"]) },
		func() error { return r.binary(f["binary"]) },
	} {
		throw.If(step())
	}
	return m, nil
}

func (m *Model) readOutput(n *yamlfile.Node) {
	text := throw.Get(n.String())
	name, ok := FeatureName(text)
	if !ok {
		panic(throw.Of(n.Errorf("the output must be one feature, and %q is not the name of one", text).
			WithHint("a feature's name starts with f_, for example f_cl_wall_time")))
	}
	m.Output = name
}

// reader holds what the steps of reading expressions share.
type reader struct {
	m     *Model
	nodes map[string]*yamlfile.Node // the expression of each term and custom feature
}

// parseNode parses the expression in a scalar and notes the places of its identifiers.
func (r *reader) parseNode(n *yamlfile.Node) (*Expr, string) {
	text := throw.Get(n.String())
	text = strings.TrimRight(text, " \t\n\r")
	e, tokens, err := parse(text)
	if err != nil {
		panic(throw.Of(n.Within(err)))
	}
	for _, t := range tokens {
		if name := squeeze(t.Text); t.Kind == lex.Name && r.m.places[name].of == nil {
			r.m.places[name] = place{n, utf8.RuneCountInString(text[:t.At])}
		}
	}
	return e, text
}

// each calls do with the pairs of a section, which may be missing.
func each(section *yamlfile.Node, do func(yamlfile.Entry) error) {
	if section == nil {
		return
	}
	pairs := throw.Get(section.Pairs())
	for _, p := range pairs {
		throw.If(do(p))
	}
}

func (r *reader) features(n *yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	each(n, func(p yamlfile.Entry) (err error) {
		defer throw.Catch(&err)
		name, ok := FeatureName(p.Key.Text)
		if !ok {
			return p.Key.Errorf("%q is not the name of a feature", p.Key.Text).WithHint("a feature's name starts with f_")
		}
		e, text := r.parseNode(p.Value)
		if params := e.names(Param); len(params) > 0 {
			return r.in(p.Value, params[0], "a feature belongs to a kernel and has no parameters, this has %s", params[0])
		}
		if terms := e.names(TermRef); len(terms) > 0 {
			return r.in(p.Value, terms[0], "%q is neither a feature nor a number", terms[0]).WithHint("the names of features start with f_")
		}
		r.m.Features = append(r.m.Features, Custom{Name: name, Expression: text, expr: e})
		r.nodes[name] = p.Value
		return nil
	})
	return nil
}

func (r *reader) terms(n *yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	each(n, func(p yamlfile.Entry) (err error) {
		defer throw.Catch(&err)
		if why := termName(p.Key.Text); why != "" {
			return p.Key.Errorf("%q cannot be the name of a term", p.Key.Text).WithHint("%s", why)
		}
		e, text := r.parseNode(p.Value)
		r.m.Terms = append(r.m.Terms, Term{Name: p.Key.Text, Expression: text, expr: e})
		r.nodes[p.Key.Text] = p.Value
		return nil
	})
	return nil
}

func (r *reader) expression(n *yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	e, text := r.parseNode(n)
	r.m.Expression, r.m.expression = text, e
	r.nodes["expression"] = n
	return nil
}

// in returns an error at the first use of a word in the expression of a node.
func (r *reader) in(n *yamlfile.Node, name, format string, args ...any) *source.Error {
	tokens, _ := language.Lex(n.Text)
	for _, t := range tokens {
		if squeeze(t.Text) == name {
			return n.ErrorIn(utf8.RuneCountInString(n.Text[:t.At]), format, args...)
		}
	}
	return n.Errorf(format, args...)
}

func (r *reader) parameters(n *yamlfile.Node) (err error) {
	defer throw.Catch(&err)
	used := r.m.ParameterNames()
	each(n, func(pair yamlfile.Entry) (err error) {
		defer throw.Catch(&err)
		name := pair.Key.Text
		if !slices.Contains(used, name) {
			return pair.Key.Errorf("the expression has no parameter %q", name).WithHint("%s", source.Suggest(name, used))
		}
		p := r.m.readParameter(name, pair.Value)
		r.m.Parameters = append(r.m.Parameters, p)
		return nil
	})
	return nil
}

func (m *Model) readParameter(name string, n *yamlfile.Node) Parameter {
	p := Parameter{Name: name, Min: math.Inf(-1), Max: math.Inf(1)}
	f := throw.Get(n.Fields(Keys["parameter"]...))
	var init float64
	float := (*yamlfile.Node).Float
	throw.If(cmp.Or(yamlfile.Optional(f["init"], float, &init), yamlfile.Optional(f["min"], float, &p.Min), yamlfile.Optional(f["max"], float, &p.Max),
		yamlfile.Optional(f["unit"], (*yamlfile.Node).String, &p.Unit)))
	if f["init"] != nil {
		p.Init = &init
	}
	switch {
	case p.Min >= p.Max:
		panic(throw.Of(n.Errorf("min %g of %s is not below its max %g", p.Min, name, p.Max)))
	case p.Init != nil && math.IsInf(init, 0):
		panic(throw.Of(f["init"].Errorf("the initial value of %s is not finite", name)))
	case p.Init != nil && (init < p.Min || init > p.Max):
		panic(throw.Of(f["init"].Errorf("the initial value %g of %s is outside its bounds %g and %g", init, name, p.Min, p.Max)))
	}
	return p
}

func (m *Model) readFit(n *yamlfile.Node) error {
	if n == nil {
		return nil
	}
	f, err := n.Fields(Keys["fit"]...)
	if err != nil {
		return err
	}
	boolean := (*yamlfile.Node).Bool
	err = cmp.Or(yamlfile.Optional(f["scale_by_output"], boolean, &m.Fit.ScaleByOutput), yamlfile.Optional(f["nonnegative"], boolean, &m.Fit.Nonnegative),
		yamlfile.Optional(f["starts"], (*yamlfile.Node).Int, &m.Fit.Starts))
	if v := f["starts"]; err == nil && v != nil && (m.Fit.Starts < 1 || m.Fit.Starts > 10000) {
		return v.Errorf("the number of starts is between 1 and 10000")
	}
	return err
}
