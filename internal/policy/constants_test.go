package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reasoned are the folders whose numbers decide what is predicted, emulated and compiled: there each named number says why it is what it is, or what it is of.
var reasoned = []string{"device/machine", "launch", "memory", "scop/offload", "scop/schedule"}

// inNumbers are constants whose values are numbers that somebody has chosen: iota, 0 and 1 are none.
var inNumbers = regexp.MustCompile(`^-?\d`)

// TestConstants: each numeric constant of these folders has a comment, its own or that of its group, or its line's.
func TestConstants(t *testing.T) {
	n := 0
	for _, name := range goFiles(t) {
		within := func(folder string) bool { return strings.HasPrefix(name, folder+"/") }
		if strings.HasSuffix(name, "_test.go") || !slices.ContainsFunc(reasoned, within) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			group, ok := node.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				return true
			}
			for _, spec := range group.Specs {
				x := spec.(*ast.ValueSpec)
				if !numeric(x) {
					continue
				}
				n++
				if x.Doc == nil && x.Comment == nil && (group.Doc == nil || len(group.Specs) > 3) {
					t.Errorf("%s: %s says nowhere why it is what it is", set.Position(x.Pos()), x.Names[0].Name)
				}
			}
			return true
		})
	}
	if n < 40 {
		t.Errorf("%d constants", n)
	}
}

// numeric reports whether some value of a constant is a number from 2.
func numeric(x *ast.ValueSpec) (is bool) {
	for _, v := range x.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			is = is || ok && lit.Kind != token.STRING && lit.Kind != token.CHAR && inNumbers.MatchString(lit.Value) && lit.Value != "0" && lit.Value != "1"
			return true
		})
	}
	return is
}
