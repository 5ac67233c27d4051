package models

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
