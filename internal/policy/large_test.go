package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	maxFunction = 60 // lines: what fits on a screen
	maxMethods  = 40 // of a type: more are more than one idea
)

// TestLarge keeps functions and types small. Those that are larger stand in testdata/large.txt, each with its size and a reason: they may not grow by over a tenth, and leave the list when they have
// become small. UPDATE=1 writes the list anew: read the diff, and give new ones a reason or cut them.
func TestLarge(t *testing.T) {
	sizes := map[string]int{}
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			on := receiver(f)
			if on != "" {
				sizes["type "+path.Dir(name)+"."+strings.TrimSuffix(on, ".")]++
			}
			sizes["func "+name+" "+on+f.Name.Name] += set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
		}
	}
	const list = "testdata/large.txt"
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	update := os.Getenv("UPDATE") != ""
	known, out := map[string]bool{}, []string{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, rest, ok := strings.Cut(line, ": ")
		size, why, ok2 := strings.Cut(rest, ", ")
		n, err := strconv.Atoi(size)
		if !ok || !ok2 || err != nil || why == "" {
			t.Fatalf("%s:%d: %q: expected a function or type, its size, and the reason for it", list, i+1, line)
		}
		known[name] = true
		now := sizes[name]
		switch {
		case update:
		case !large(name, now):
			t.Errorf("%s:%d: %s has %d lines or methods now: it leaves the list", list, i+1, name, now)
		case now > n+n/10:
			t.Errorf("%s has grown from %d to %d: cut it", name, n, now)
		}
		if large(name, now) {
			out = append(out, fmt.Sprintf("%s: %d, %s", name, now, why))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		switch n := sizes[name]; {
		case !large(name, n) || known[name]:
		case update:
			out = append(out, fmt.Sprintf("%s: %d, not cut yet", name, n))
		default:
			t.Errorf("%s has %d lines or methods, more than %d: cut it, or say in %s why not", name, n, limit(name), list)
		}
	}
	if len(known) < 20 || len(sizes) < 5000 {
		t.Errorf("%d in the list of %d", len(known), len(sizes))
	}
	if update {
		slices.Sort(out)
		if err := os.WriteFile(list, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func large(name string, n int) bool { return n > limit(name) }

func limit(name string) int {
	if strings.HasPrefix(name, "type ") {
		return maxMethods
	}
	return maxFunction
}
