package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inNumbers are constants whose values are numbers that somebody has chosen: iota, 0 and 1 are none.
var inNumbers = regexp.MustCompile(`^-?\d`)

// given is what the comment of a group says whose numbers others have chosen, as those of an interface.
const given = "The numbers are "

// TestConstants: each numeric constant says why it is what it is, or what it is of: in a comment of its own or of its line, or in that of its group, where this has three
// constants at most or says whose numbers they are.
func TestConstants(t *testing.T) {
	n := 0
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
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
				if x.Doc == nil && x.Comment == nil && (group.Doc == nil || len(group.Specs) > 3 && !strings.Contains(group.Doc.Text(), given)) {
					t.Errorf("%s: %s says nowhere why it is what it is", set.Position(x.Pos()), x.Names[0].Name)
				}
			}
			return true
		})
	}
	if n < 600 {
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
