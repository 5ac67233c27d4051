package warning_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/warning"
)

// TestKinds checks that each constant has exactly one row.
func TestKinds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []warning.Kind
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Kind" {
				text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				declared = append(declared, warning.Kind(text))
			}
		}
		return true
	})
	var described []warning.Kind
	for _, i := range warning.Kinds {
		described = append(described, i.Kind)
	}
	if !slices.Equal(declared, described) {
		t.Errorf("constants and rows differ:\n%v\n%v", declared, described)
	}
}

func TestPrinter(t *testing.T) {
	at := func(n string) string {
		return warning.Extrapolation.About("feature "+n, "9 is outside the range 1 to 2")
	}
	cost := warning.NoCost.About("", "the model has no cost for stores of y")
	for _, tt := range []struct {
		name  string
		quiet bool
		now   []string
		add   []string
		want  string
	}{
		{"one", false, nil, []string{at("a")}, "warning: feature a: 9 is outside the range 1 to 2 [extrapolation]\n"},
		{
			"several of two kinds", false, nil,
			[]string{warning.In("k n=1", at("a")), cost, warning.In("k n=1", at("b")), cost, warning.In("k n=1", at("a"))},
			"warning: k n=1, feature a: 9 is outside the range 1 to 2 [extrapolation]\n    and 1 more like this: k n=1, feature b\n" +
				"warning: the model has no cost for stores of y [no-cost]\n",
		},
		{
			"many", false, nil,
			[]string{at("a"), at("b"), at("c"), at("d"), at("e")},
			"warning: feature a: 9 is outside the range 1 to 2 [extrapolation]\n    and 4 more like this: feature b; feature c; feature d; …\n",
		},
		{
			"the first at once", false,
			[]string{at("a"), at("b")},
			[]string{at("c")},
			"warning: feature a: 9 is outside the range 1 to 2 [extrapolation]\nwarning: 2 more like the one above [extrapolation]: feature b; feature c\n",
		},
		{"of unknown kind, at once", false, []string{"k: it took 5 s", "l: it took 7 s"}, nil, "warning: k: it took 5 s\nwarning: l: it took 7 s\n"},
		{"of unknown kind", false, nil, []string{"it took 5 s", "it took 17 s", "it hung"}, "warning: it took 5 s\n    and 1 more like this\nwarning: it hung\n"},
		{"quiet", true, []string{cost}, []string{cost, at("a"), "it hung"}, "warning: feature a: 9 is outside the range 1 to 2 [extrapolation]\nwarning: it hung\n"},
	} {
		var out strings.Builder
		p := warning.Printer{Quiet: tt.quiet}
		for _, text := range tt.now {
			p.Now(&out, text)
		}
		p.Add(tt.add...)
		p.Flush(&out)
		p.Flush(&out)
		if out.String() != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, out.String(), tt.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for text, want := range map[string]warning.Kind{
		warning.NoCost.About("k", "x[%d]", 3):           warning.NoCost,
		warning.NoCost.About("", "x"):                   warning.NoCost,
		"loads of x [no-such-kind]":                     "",
		"loads of x":                                    "",
		"[noisy] at the beginning":                      "",
		warning.In("k", warning.Noisy.About("n=1", "")): warning.Noisy,
	} {
		if got := warning.KindOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
