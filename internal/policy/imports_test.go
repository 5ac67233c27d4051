// Package policy holds tests of the repository as a whole: which package may import which, and what files must not say.
package policy

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "gpuperf"

// layers lists the packages from the bottom up. A package imports only packages above its own line, or of its own
// folder (kernel/linear imports kernel). docs/architecture.md explains the order.
var layers = []string{
	"internal/bounded",
	"internal/nameset",
	"internal/intmath",
	"internal/source",
	"internal/lex",
	"internal/yamlfile",
	"internal/parallel",
	"internal/format",
	"internal/chart",
	"polycount/internal/arith",
	"polycount/internal/linear",
	"polycount/internal/quasi",
	"polycount/internal/count",
	"polycount",
	"models",
	"models/library",
	"samples",
	"device/facts",
	"device",
	"device/opencl",
	"device/devicetest",
	"device/replay",
	"roofline",
	"kernel/expr",
	"kernel",
	"kernel/transform",
	"kernel/ops",
	"lift",
	"lift/lower",
	"lift/rules",
	"lift/derive",
	"kernel/linear",
	"kernel/interp",
	"kernel/script",
	"emit",
	"launch",
	"features",
	"microbench",
	"workload",
	"modelgen",
	"measure",
	"calibrate/lm",
	"calibrate",
	"explain",
	"evaluate",
	"campaign",
	"lift/rank",
	"lift/explore",
	"cmd/perf",
}

// standardOnly packages import nothing but the standard library and each other.
var standardOnly = []string{"internal/intmath", "internal/lex", "polycount/internal/arith", "polycount/internal/linear", "polycount/internal/quasi", "polycount/internal/count", "polycount", "internal/source"}

// restricted imports: the library on the left is imported by the packages on the right alone.
var restricted = map[string][]string{
	"github.com/ebitengine/purego": {"device/opencl"},
	"go.starlark.net":              {"kernel/script", "microbench"},
	"github.com/spf13/cobra":       {"cmd/perf"},
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range goFiles(t, "../..") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		rel, err := filepath.Rel("../..", filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(rel)
		if strings.Contains(pkg, "testdata") {
			continue
		}
		level := slices.Index(layers, pkg)
		if level < 0 {
			t.Errorf("%s: package %s is not in the table of layers", file, pkg)
			continue
		}
		seen[pkg] = true
		for _, imported := range imports(t, file) {
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				if at := slices.Index(layers, own); at < 0 || at >= level {
					t.Errorf("%s: %s must not import %s", file, pkg, own)
				}
				if slices.Contains(standardOnly, pkg) && !slices.Contains(standardOnly, own) {
					t.Errorf("%s: %s imports only the standard library, not %s", file, pkg, own)
				}
				continue
			}
			if slices.Contains(standardOnly, pkg) && strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") {
				t.Errorf("%s: %s imports only the standard library, not %s", file, pkg, imported)
			}
			for library, users := range restricted {
				if (imported == library || strings.HasPrefix(imported, library+"/")) && !slices.Contains(users, pkg) {
					t.Errorf("%s: %s is for %v alone", file, library, users)
				}
			}
		}
	}
	for _, pkg := range layers {
		if !seen[pkg] {
			t.Errorf("the table of layers names %s, which has no Go file", pkg)
		}
	}
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func goFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
