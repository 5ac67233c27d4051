// Package policy holds tests of the repository as a whole: which package may import which, how large folders and files
// may be, and which functions may be reachable from nowhere.
package policy

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "gpuperf"
	root   = "../.."
)

// standardOnly are the packages that import nothing but the standard library and each other.
var standardOnly = []string{"internal/intmath", "internal/lex", "internal/lists", "internal/throw", "internal/nameset", "internal/source", "polycount"}

// restricted imports: the library on the left is imported by the packages on the right alone.
var restricted = map[string][]string{
	"github.com/ebitengine/purego":       {"device/cuda", "device/dl", "device/nvml", "device/opencl"},
	"github.com/ianlancetaylor/demangle": {"device/cuda", "emulate/survey", "launchfile/draft"},
	"go.starlark.net":                    {"kernel/script", "internal/microbench"},
	"github.com/expr-lang/expr":          {"internal/exprlang", "models", "kernel/expr"},
	"github.com/spf13/cobra":             {"cmd/perf", "internal/command/complete", "internal/command/manual"},
	"golang.org/x/tools":                 {"internal/lint"},
	"honnef.co/go/tools":                 {"internal/lint"},
}

// row is a package in the table of docs/architecture.md.
type row struct {
	name    string
	imports []string // packages of the module, those for everyone aside
	any     bool     // it may import all packages above
	leaf    bool     // every package below may import it
	tests   bool     // only tests use it
}

var (
	rowPattern = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\| (.*) \\|$")
	codeSpan   = regexp.MustCompile("`([a-z/]+)`")
)

// table reads the packages, from the bottom up, that docs/architecture.md lists. The third column names what a package
// imports; "for everyone" marks packages that all below may import, and "everything above" a package that composes.
func table(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, m := range rowPattern.FindAllStringSubmatch(string(text), -1) {
		r := row{name: m[1], any: strings.Contains(m[3], "everything above"), leaf: strings.Contains(m[3], "for everyone"), tests: strings.HasPrefix(m[2], "For tests: ")}
		for _, c := range codeSpan.FindAllStringSubmatch(m[3], -1) {
			r.imports = append(r.imports, c[1])
		}
		rows = append(rows, r)
	}
	if len(rows) < 30 {
		t.Fatalf("docs/architecture.md lists %d packages: the table was not found", len(rows))
	}
	return rows
}

// TestImports: a package imports exactly what the table says, only packages above its own row, and none for tests unless it is for tests itself.
func TestImports(t *testing.T) {
	rows := table(t)
	actual := packageImports(t)
	level := func(name string) int { return slices.IndexFunc(rows, func(r row) bool { return r.name == name }) }
	for name := range actual {
		if level(name) < 0 {
			t.Errorf("package %s is not in the table of docs/architecture.md", name)
		}
	}
	for i, r := range rows {
		if _, ok := actual[r.name]; !ok {
			t.Errorf("docs/architecture.md names %s, which has no Go file", r.name)
		}
		for _, imported := range r.imports {
			if !slices.Contains(actual[r.name], module+"/"+imported) {
				t.Errorf("docs/architecture.md says that %s imports %s; it does not", r.name, imported)
			}
		}
		for _, imported := range actual[r.name] {
			own, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				checkLibrary(t, r.name, imported)
				continue
			}
			at := level(own)
			switch {
			case at < 0:
			case at >= i:
				t.Errorf("%s imports %s, which stands below it in the table", r.name, own)
			case !r.any && !rows[at].leaf && !slices.Contains(r.imports, own):
				t.Errorf("%s imports %s; the table does not say so", r.name, own)
			}
			if at >= 0 && rows[at].tests && !r.tests {
				t.Errorf("%s imports %s, which is for tests", r.name, own)
			}
			if isStandardOnly(r.name) && !isStandardOnly(own) {
				t.Errorf("%s imports only the standard library, not %s", r.name, own)
			}
		}
	}
}

func checkLibrary(t *testing.T, pkg, library string) {
	if isStandardOnly(pkg) && strings.Contains(strings.SplitN(library, "/", 2)[0], ".") {
		t.Errorf("%s imports only the standard library, not %s", pkg, library)
	}
	for name, users := range restricted {
		if (library == name || strings.HasPrefix(library, name+"/")) && !slices.Contains(users, pkg) {
			t.Errorf("%s imports %s, which is for %v alone", pkg, name, users)
		}
	}
}

func isStandardOnly(pkg string) bool {
	return slices.ContainsFunc(standardOnly, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

// packageImports maps each package to its sorted imports, those of tests aside.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		pkg := path.Dir(file)
		if out[pkg] == nil {
			out[pkg] = []string{}
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(out[pkg], name) {
				out[pkg] = append(out[pkg], name)
			}
		}
	}
	return out
}

// goFiles lists the Go files of the repository, with slashes, relative to its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
