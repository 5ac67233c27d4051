package policy

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unreached are functions that the command does not reach, and why they stay: by package and name, or by package alone
// for the unexported functions behind those that have an Example. Packages for tests need no entry.
var unreached = map[string]string{
	"polycount":             "behind reading polynomials, and printing unions",
	"lift/explore/Rederive": "holds the claims on variants to the derivations of today",
}

// TestDeadCode: with LONG=1, tests reach every function, and what the command does not reach is used in an Example of its package, which
// prints it, or stands in the list above. That analyses the whole program; without LONG=1 there is TestNamed alone.
func TestDeadCode(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("LONG=1 (make deadcode) analyses the whole program")
	}
	examples := examples(t)
	for _, f := range deadcode(t, "-test") { // what staticcheck does not find: exported helpers of tests
		t.Errorf("%s is reached neither by the command nor by a test", f)
	}
	used, tests := map[string]bool{}, map[string]bool{}
	for _, r := range table(t) {
		tests[r.name] = r.tests
	}
	for _, f := range deadcode(t) {
		pkg, name := path.Split(f)
		if tests[strings.TrimSuffix(pkg, "/")] {
			continue
		}
		exported := ast.IsExported(name[strings.LastIndex(name, ".")+1:])
		key := f
		if _, ok := unreached[f]; !ok && !exported {
			key = strings.TrimSuffix(pkg, "/")
		}
		if _, ok := unreached[key]; ok {
			used[key] = true
		} else if !examples[pkg+name[strings.LastIndex(name, ".")+1:]] && !strings.HasSuffix(name, ".String") {
			t.Errorf("%s is not reached by the command: remove it, or use it in an Example", f)
		}
	}
	for key := range unreached {
		if !used[key] {
			t.Errorf("the list of unreached functions names %s, which is reached or gone", key)
		}
	}
}

// TestNamed: each exported function is named somewhere but where it is declared, and each entry of the list above names one that is there or a
// package. That is less than TestDeadCode finds, in a second.
func TestNamed(t *testing.T) {
	declared, named := map[string]string{}, map[string]int{} // folder/Function or folder/Type.Method by the last name in it
	packages := map[string]bool{}
	for _, file := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		packages[path.Dir(file)] = true
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && !strings.HasSuffix(file, "_test.go") {
				declared[path.Join(path.Dir(file), receiver(f)+f.Name.Name)] = f.Name.Name
				named[f.Name.Name]--
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				named[id.Name]++
			}
			return true
		})
	}
	for f, name := range declared {
		if named[name] <= 0 && !slices.Contains(calledByName, name) {
			t.Errorf("%s is named nowhere: remove it, or add it to calledByName", f)
		}
	}
	for key := range unreached {
		if declared[key] == "" && !packages[key] {
			t.Errorf("the list of unreached functions names %s, which is gone", key)
		}
	}
}

// calledByName are methods that templates call, or other modules by an interface.
var calledByName = []string{"AttrNames", "Less", "MarshalYAML", "PeakRates", "Swap", "UnmarshalText", "Versions"}

// receiver is the type of a method with a dot behind, "" of a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

var deadLine = regexp.MustCompile(`^(\S+):\d+:\d+: unreachable func: (\S+)$`)

// deadcode lists functions that are unreachable, as folder/Function or folder/Type.Method.
func deadcode(t *testing.T, flags ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"tool", "deadcode"}, flags...), "./...")...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var list []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		m := deadLine.FindStringSubmatch(lines.Text())
		if m == nil {
			t.Fatalf("deadcode printed %q", lines.Text())
		}
		list = append(list, path.Join(filepath.ToSlash(filepath.Dir(m[1])), m[2]))
	}
	return list
}

// examples lists what the Examples of each package use: the folder and the name of a function or method.
func examples(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, file := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					out[path.Join(path.Dir(file), s.Sel.Name)] = true
				}
				return true
			})
		}
	}
	return out
}
