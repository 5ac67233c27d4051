package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// public are the packages that other modules may use.
var public = []string{"polycount", "features", "models", "calibrate", "launch", "memory", "sass"}

// TestPublicPackages: other modules can name all that the public packages show, since no exported declaration has an internal type; and each has an Example.
func TestPublicPackages(t *testing.T) {
	for _, name := range public {
		files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		set, examples := token.NewFileSet(), 0
		for _, file := range files {
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
						examples++
					}
				}
				continue
			}
			for _, at := range internalTypes(f) {
				t.Errorf("%s: an exported declaration has an internal type", set.Position(at))
			}
		}
		if examples == 0 {
			t.Errorf("%s has no Example", name)
		}
	}
}

// internalTypes are the places in exported declarations that name a type of an internal package.
func internalTypes(f *ast.File) (places []token.Pos) {
	internal := map[string]bool{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if strings.Contains(p, "/internal/") {
			internal[path.Base(p)] = true
			if i.Name != nil {
				internal[i.Name.Name] = true
			}
		}
	}
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					places = append(places, n.Pos())
				}
			case *ast.Field: // those of structures that are not exported
				return len(n.Names) == 0 || n.Names[0].IsExported() || !strings.Contains("abcdefghijklmnopqrstuvwxyz", n.Names[0].Name[:1])
			case *ast.BlockStmt:
				return false
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
				for _, list := range []*ast.FieldList{d.Type.Params, d.Type.Results} {
					if list == nil {
						continue
					}
					for _, one := range list.List {
						look(one.Type)
					}
				}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && !s.Assign.IsValid() { // an alias gives a type a name that others can use
						look(s.Type)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						look(s.Type)
					}
				}
			}
		}
	}
	return places
}

// exportedReceiver reports that a method is of an exported type.
func exportedReceiver(r *ast.FieldList) bool {
	x := r.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return false
		}
	}
}
