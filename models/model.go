// Package models is the language of performance models: expressions over feature values and parameters, their derivatives, and
// the model files that hold them.
//
// Parse reads a file into a Model. Model.Compile resolves terms and the user's own features, differentiates by every parameter,
// and assembles flat programs that evaluate without allocating. The package knows features by name only: any identifier that
// starts with f_ is one, and other packages say whether it can be computed. Package calibrate fits models.
package models

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

// Version is the version of the format of model files.
const Version = 1

// Schema is the JSON schema of model files.
//
//go:embed schema.json
var Schema []byte

// Model is the contents of a model file.
type Model struct {
	Name       string
	Output     string      // the feature that the model predicts, f_cl_wall_time in most models
	Terms      []Term      // named parts of the expression, in the order of the file
	Expression string      // over features, parameters and terms
	Parameters []Parameter // those that the file describes; others have no initial value, bounds or unit
	Features   []Custom    // the user's own features
	Fit        FitOptions
	Measure    []Measurement
	Binary     *Binary // nil where it is the same whether the machine code of the kernel is known or not

	File string // the name under which it was read
	text string

	expression *Expr
	places     map[string]place // where identifiers, terms and keys first occur
}

// place is the place of a value, or that of a character of its text.
type place struct {
	of     *yamlfile.Node
	offset int // in characters; -1 is the value itself
}

// Term is a named part of a model, for use in its expression and in other terms.
type Term struct {
	Name       string
	Expression string

	expr *Expr
}

// Parameter describes a parameter before it is calibrated.
type Parameter struct {
	Name string
	Init *float64 // where the fit starts; nil: the fit finds starts itself
	Min  float64  // -Inf when not bounded
	Max  float64  // +Inf when not bounded
	Unit string   // free text; "s per N thing" gives an implied rate, see package calibrate
}

// Custom is a feature defined by an expression over other features.
type Custom struct {
	Name       string
	Expression string

	expr *Expr
}

// FitOptions say how the parameters are found.
type FitOptions struct {
	ScaleByOutput bool // residuals are relative to the measured output (Perflex paper, section 7.2)
	Nonnegative   bool // parameters are at least 0 unless they have a min of their own
	Starts        int  // number of starting points where the model gives none; 0 is the default of package calibrate
}

// Pos is a place in a model file, and Error an error at one: the names by which other modules know them.
type (
	Pos   = source.Pos
	Error = source.Error
)

// ErrorAt returns an error at a place of the model file.
func (m *Model) ErrorAt(pos Pos, format string, args ...any) *Error {
	return source.At(m.File, m.text, pos, format, args...)
}

// Place returns where an identifier (a feature or parameter), a term or a key first occurs in the file.
func (m *Model) Place(name string) Pos {
	switch at := m.places[name]; {
	case at.of == nil:
		return Pos{}
	case at.offset < 0:
		return at.of.Pos
	default:
		return at.of.PosOf(at.offset)
	}
}

// Text returns the text of the file that the model was read from, for its hash.
func (m *Model) Text() string { return m.text }

// Expr returns the expression with its terms and the user's features expanded, over features of kernels and parameters alone.
func (m *Model) Expr() *Expr { return m.expand(m.expression) }

// OutputExpr returns the output as an expression over features; it is the output feature itself unless that is the user's own.
func (m *Model) OutputExpr() *Expr { return m.expand(&Expr{Op: Feature, Name: m.Output}) }

// FeatureNames lists the features that the model needs as input, in order of first use, with the user's own expanded.
func (m *Model) FeatureNames() []string { return m.Expr().names(Feature) }

// ParameterNames lists the parameters in order of first use.
func (m *Model) ParameterNames() []string { return m.Expr().names(Param) }

// Parameter returns the description of a parameter. The file's nonnegative option gives min 0 where the file gives no min.
func (m *Model) Parameter(name string) Parameter {
	p := Parameter{Name: name, Min: math.Inf(-1), Max: math.Inf(1)}
	if i := slices.IndexFunc(m.Parameters, func(p Parameter) bool { return p.Name == name }); i >= 0 {
		p = m.Parameters[i]
	}
	if m.Fit.Nonnegative && math.IsInf(p.Min, -1) {
		p.Min = min(0, p.Max)
	}
	return p
}

// expand replaces terms and the user's features by their definitions. Parse has refused cycles.
func (m *Model) expand(e *Expr) *Expr {
	memo := make(map[string]*Expr)
	var rec func(*Expr) *Expr
	rec = func(e *Expr) *Expr {
		return e.substitute(func(leaf *Expr) *Expr {
			inner := m.definition(leaf)
			if inner == nil {
				return nil
			}
			r, ok := memo[leaf.Name]
			if !ok {
				r = rec(inner)
				memo[leaf.Name] = r
			}
			return r
		})
	}
	return rec(e)
}

func (m *Model) definition(leaf *Expr) *Expr {
	switch leaf.Op {
	case TermRef:
		for _, t := range m.Terms {
			if t.Name == leaf.Name {
				return t.expr
			}
		}
	case Feature:
		for _, f := range m.Features {
			if f.Name == leaf.Name {
				return f.expr
			}
		}
	}
	return nil
}

// Linear reports whether the model is linear in its parameters: then a fit has one minimum and needs no starting point.
func (m *Model) Linear() bool {
	e := m.Expr()
	linear := true
	e.walk(func(n *Expr) { linear = linear && !(n.isCondition() && len(n.names(Param)) > 0) })
	for _, p := range e.names(Param) {
		linear = linear && len(e.Derivative(p).names(Param)) == 0
	}
	return linear
}

// ShapeParameters lists the parameters that shape a curve and carry no unit of the output: those of the steepness or exponent of
// step, overlap and pnorm, in exponents, in conditions, and inside exp, log, tanh, sin, cos and atan. The others are costs, whose size follows
// from the sizes of the output and of the features that they multiply.
func (m *Model) ShapeParameters() []string {
	type place struct {
		e     *Expr
		shape bool
	}
	seen := make(map[place]bool)
	shape := make(map[string]bool)
	e := m.Expr()
	var walk func(place)
	walk = func(at place) {
		if seen[at] {
			return
		}
		seen[at] = true
		if at.e.Op == Param && at.shape {
			shape[at.e.Name] = true
		}
		for i, a := range at.e.Args {
			walk(place{a, at.shape || shapes(at.e.Op, i)})
		}
	}
	walk(place{e, false})
	var out []string
	for _, p := range e.names(Param) {
		if shape[p] {
			out = append(out, p)
		}
	}
	return out
}

// shapes reports whether the i-th argument of an operation shapes its curve.
func shapes(op Op, i int) bool {
	switch op {
	case Exp, Log, Tanh, Sin, Cos, Atan, Less, AtMost, Equals, Differs:
		return true
	case Pow, Step, PowLog:
		return i == 1
	case Overlap, PNorm, Share:
		return i == 2
	}
	return false
}

// LinearParameters lists parameters in which the model is linear, all together, for any values of the others: as many as are found one
// after the other.
func (m *Model) LinearParameters() (list []string) {
	e := m.Expr()
	inCondition := make(map[string]bool)
	e.walk(func(n *Expr) {
		if n.isCondition() {
			for _, p := range n.names(Param) {
				inCondition[p] = true
			}
		}
	})
	for _, p := range e.names(Param) {
		if inCondition[p] {
			continue
		}
		slope := e.Derivative(p).names(Param)
		if !slices.ContainsFunc(append(list, p), func(other string) bool { return slices.Contains(slope, other) }) {
			list = append(list, p)
		}
	}
	return list
}

// Growth returns a function that tells how the model's time grows with each feature, in the order of FeatureNames: its derivatives where
// every cost is paid. A cost that hides behind a larger one grows all the same, so that overlap, pnorm and max of two costs count as
// their sum. A feature with no cost, or only with costs fitted to 0, has the growth 0.
func (m *Model) Growth() func(features, params []float64) []float64 {
	t := m.growth()
	return func(features, params []float64) []float64 {
		t.run(features, params)
		out := make([]float64, len(t.out))
		for i, r := range t.out {
			out[i] = t.regs[r]
		}
		return out
	}
}

// GrowthWithin is Growth for features in ranges, as [Compiled.Within] is Eval.
func (m *Model) GrowthWithin() func(features []Range, params []float64) []Range {
	return m.growth().ranges
}

// growth computes how the time grows with each feature.
func (m *Model) growth() *tape {
	e := m.Expr()
	sum := e.unhidden(map[*Expr]*Expr{})
	names := e.names(Feature)
	roots := make([]*Expr, len(names))
	for i, name := range names {
		roots[i] = sum.Derivative(name)
	}
	return assemble(names, e.names(Param), roots)
}

// unhidden is the expression with the sum of two costs in place of their overlap, and nothing rounded. A maximum with a constant is no
// overlap.
func (e *Expr) unhidden(memo map[*Expr]*Expr) *Expr {
	if len(e.Args) == 0 {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	args := make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = a.unhidden(memo)
	}
	if e.Op == Choose {
		args[0] = e.Args[0]
	}
	r := &Expr{Op: e.Op, Value: e.Value, Name: e.Name, Args: args}
	switch {
	case e.Op == Overlap, e.Op == PNorm, e.Op == Max && args[0].Op != Const && args[1].Op != Const:
		r = add(args[0], args[1])
	case e.Op == Ceil, e.Op == Floor, e.Op == Round:
		r = args[0]
	}
	memo[e] = r
	return r
}

// String prints the model as a model file, which Parse reads back.
func (m *Model) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: %d\nname: %s\noutput: %s\n", Version, quote(m.Name), quote(m.Output))
	if len(m.Features) > 0 {
		b.WriteString("features:\n")
		for _, f := range m.Features {
			fmt.Fprintf(&b, "  %s: %s\n", quoteBlock(f.Name), quoteBlock(f.Expression))
		}
	}
	writeTerms(&b, "", m.Terms)
	fmt.Fprintf(&b, "expression: %s\n", quoteBlock(m.Expression))
	writeParameters(&b, "", m.Parameters)
	b.WriteString(m.Fit.String())
	if len(m.Measure) > 0 {
		b.WriteString("measure:\n")
		for _, s := range m.Measure {
			for line := range strings.Lines(s.String()) {
				b.WriteString("  " + line)
			}
		}
	}
	if m.Binary != nil {
		b.WriteString("binary:\n")
		writeTerms(&b, "  ", m.Binary.Terms)
		writeParameters(&b, "  ", m.Binary.Parameters)
	}
	return b.String()
}

func writeTerms(b *strings.Builder, indent string, list []Term) {
	if len(list) > 0 {
		b.WriteString(indent + "terms:\n")
	}
	for _, t := range list {
		fmt.Fprintf(b, "%s  %s: %s\n", indent, t.Name, quoteBlock(t.Expression))
	}
}

func writeParameters(b *strings.Builder, indent string, list []Parameter) {
	if len(list) > 0 {
		b.WriteString(indent + "parameters:\n")
	}
	for _, p := range list {
		fmt.Fprintf(b, "%s  %s: {%s}\n", indent, p.Name, strings.Join(p.fields(), ", "))
	}
}

// String prints the options as the fit line of a model file, nothing where all are at their default.
func (o FitOptions) String() string {
	if o == (FitOptions{}) {
		return ""
	}
	var f []string
	if o.ScaleByOutput {
		f = append(f, "scale_by_output: true")
	}
	if o.Nonnegative {
		f = append(f, "nonnegative: true")
	}
	if o.Starts > 0 {
		f = append(f, fmt.Sprintf("starts: %d", o.Starts))
	}
	return "fit: {" + strings.Join(f, ", ") + "}\n"
}

func (p Parameter) fields() []string {
	var f []string
	number := func(key string, v float64) {
		f = append(f, key+": "+strconv.FormatFloat(v, 'g', -1, 64))
	}
	if p.Init != nil {
		number("init", *p.Init)
	}
	if !math.IsInf(p.Min, -1) {
		number("min", p.Min)
	}
	if !math.IsInf(p.Max, 1) {
		number("max", p.Max)
	}
	if p.Unit != "" {
		f = append(f, "unit: "+quote(p.Unit))
	}
	return f
}

// quoteBlock quotes an expression or identifier for use as a value outside brackets, where YAML needs quotes.
func quoteBlock(s string) string {
	first := func(r rune) bool { return r < utf8.RuneSelf && isWord(byte(r)) || r == '(' }
	switch {
	case strings.IndexFunc(s, first) != 0, strings.TrimSpace(s) != s, strings.HasSuffix(s, ":"):
	case strings.Contains(s, ": "), strings.Contains(s, " #"), strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }):
	default:
		return s
	}
	return quote(s)
}
