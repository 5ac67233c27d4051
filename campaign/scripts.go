package campaign

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/kernel/script"
)

// scriptFile is a script that a command was given.
type scriptFile struct {
	file     string // as the user named it, without "#name"
	label    string // goes before the names of its kernels: "" of the only script, else its name and "#"
	variants []script.Variant
}

// loadScripts loads scripts for one command. A kernel that is given twice counts once.
func loadScripts(ctx context.Context, paths []string) (scripts []scriptFile, err error) {
	var files []string // absolute
	given := map[[2]string]bool{}
	for _, path := range paths {
		variants, err := LoadScript(ctx, path)
		if err != nil {
			return nil, err
		}
		file, _, _ := source.CutName(path)
		absolute, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		variants = slices.DeleteFunc(slices.Clone(variants), func(v script.Variant) bool {
			key := [2]string{absolute, v.Name}
			again := given[key]
			given[key] = true
			return again
		})
		scripts = append(scripts, scriptFile{file: file, variants: variants})
		files = append(files, absolute)
	}
	if only := slices.Compact(slices.Sorted(slices.Values(files))); len(only) == 1 {
		return scripts, nil
	}
	for i, name := range distinct(files) {
		scripts[i].label = name + "#"
	}
	return scripts, nil
}

// distinct shortens absolute paths to the last elements that tell different ones apart.
func distinct(paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		for n := 1; ; n++ {
			out[i] = lastElements(path, n)
			if out[i] == path || !slices.ContainsFunc(paths, func(o string) bool { return o != path && lastElements(o, n) == out[i] }) {
				break
			}
		}
	}
	return out
}

// lastElements is the end of a path, of at most n elements.
func lastElements(path string, n int) string {
	elements := strings.Split(path, string(filepath.Separator))
	return strings.Join(elements[max(0, len(elements)-n):], string(filepath.Separator))
}
