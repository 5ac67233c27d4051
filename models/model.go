// Package models is the language of performance models: expressions over feature values and parameters, their derivatives, and
// the model files that hold them.
//
// Parse reads a file into a Model. Model.Compile resolves terms and the user's own features, differentiates by every parameter,
// and assembles flat programs that evaluate without allocating. The package knows features by name only: any identifier that
// starts with f_ is one, and other packages say whether it can be computed. Package calibrate fits models.
package models

import (
	_ "embed"
	"math"
	"slices"

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
