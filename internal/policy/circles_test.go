package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostInCircle is how many files of a package may call each other in a circle: three are read together, more are one file in pieces.
const mostInCircle = 3

// TestCircles: where more files of a package call each other, each of them another one and so itself again in the end, testdata/circles.txt says why. UPDATE=1 writes the
// list anew: give new ones a reason, or move what they share.
func TestCircles(t *testing.T) {
	const list = "testdata/circles.txt"
	text, err := os.ReadFile(list)
	if err != nil && os.Getenv("UPDATE") == "" {
		t.Fatal(err)
	}
	why, before := map[string]string{}, map[string]int{} // by package
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		size, reason, _ := strings.Cut(rest, ", ")
		why[name] = reason
		n := 0
		if _, err := fmt.Sscanf(size, "%d files", &n); err != nil {
			t.Fatalf("%s: %s: %v", list, line, err)
		}
		before[name] = n
	}
	byPackage := map[string][]string{}
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") {
			byPackage[path.Dir(name)] = append(byPackage[path.Dir(name)], name)
		}
	}
	var out []string
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		n := 0
		for _, circle := range circles(calls(t, byPackage[pkg])) {
			if len(circle) > mostInCircle {
				n += len(circle)
				if os.Getenv("UPDATE") == "" && why[pkg] == "" {
					t.Errorf("%s: %s call each other in a circle: give what they share a place below them, or say in %s why not", pkg, strings.Join(circle, ", "), list)
				}
			}
		}
		if n == 0 {
			if why[pkg] != "" {
				t.Errorf("%s: %s has no circle of files any more: it leaves the list", list, pkg)
			}
			continue
		}
		if m := before[pkg]; m > 0 && n > m+max(m/10, 1) && os.Getenv("UPDATE") == "" {
			t.Errorf("%s: the circles have grown from %d files to %d", pkg, m, n)
		}
		if why[pkg] == "" {
			why[pkg] = "not cut yet"
		}
		out = append(out, fmt.Sprintf("%s: %d files of %d, %s", pkg, n, len(byPackage[pkg]), why[pkg]))
	}
	if len(byPackage) < 80 {
		t.Errorf("%d packages", len(byPackage))
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(list, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// calls are the files of a package whose functions and methods each file uses. Types of other packages are not known: what a value of them returns is left out.
func calls(t *testing.T, names []string) map[string][]string {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Error: func(error) {}, Importer: unknown{}}
	pkg, _ := config.Check("own", set, files, info)
	file := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	out := map[string][]string{}
	for _, f := range files {
		out[file(f.Pos())] = nil
	}
	for id, of := range info.Uses {
		f, is := of.(*types.Func)
		if !is || f.Pkg() != pkg || types.IsInterface(receiverOf(f)) {
			continue
		}
		if from, to := file(id.Pos()), file(f.Origin().Pos()); from != to && !slices.Contains(out[from], to) {
			out[from] = append(out[from], to)
		}
	}
	return out
}

// unknown imports every package as one of which nothing is known.
type unknown struct{}

func (unknown) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// circles are the sets of files from each of which calls lead to each other one, and back (Tarjan, "Depth-first search and linear graph algorithms", 1972).
func circles(to map[string][]string) (out [][]string) {
	number, least, open := map[string]int{}, map[string]int{}, []string{}
	var visit func(x string)
	visit = func(x string) {
		number[x] = len(number) + 1
		least[x] = number[x]
		open = append(open, x)
		for _, y := range to[x] {
			if number[y] == 0 {
				visit(y)
			}
			if slices.Contains(open, y) {
				least[x] = min(least[x], least[y])
			}
		}
		if least[x] == number[x] {
			i := slices.Index(open, x)
			out = append(out, slices.Sorted(slices.Values(open[i:])))
			open = open[:i]
		}
	}
	for _, x := range slices.Sorted(maps.Keys(to)) {
		if number[x] == 0 {
			visit(x)
		}
	}
	return out
}

// receiverOf is the type that a method is of, itself for a function: who calls the method of an interface does not call the file that declares it.
func receiverOf(f *types.Func) types.Type {
	if r := f.Signature().Recv(); r != nil {
		return r.Type()
	}
	return f.Type()
}
