package microbench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
)

// List writes a table with the first sentence about each generator.
func List(w io.Writer, generators []*Generator) error {
	t := format.NewTable("tags", "arguments", "what it runs")
	for _, g := range generators {
		names := append([]string{g.Name}, slices.DeleteFunc(slices.Clone(g.Tags), func(tag string) bool { return tag == g.Name })...)
		args := lists.Map(g.Args, func(a Arg) string { return a.Name })
		sentence, _, _ := strings.Cut(g.Doc, ". ")
		columns := [][]string{names, format.Wrap(strings.Join(args, " "), 30), format.Wrap(strings.TrimSuffix(sentence, "."), 70)}
		for i := range max(len(columns[0]), len(columns[1]), len(columns[2])) {
			cells := lists.Map(columns, func(c []string) string { return strings.Join(c[min(i, len(c)):min(i+1, len(c))], "") })
			t.Row(cells...)
		}
	}
	return t.Write(w)
}

// Describe writes all that generators say of themselves.
func Describe(w io.Writer, generators []*Generator) error {
	var b strings.Builder
	for i, g := range generators {
		fmt.Fprintf(&b, "%s%s (tags: %s)\n", strings.Repeat("\n", min(i, 1)), g.Name, strings.Join(g.Tags, ", "))
		for _, line := range format.Wrap(g.Doc, 100) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		t := format.NewTable("argument", "values")
		for _, a := range g.Args {
			t.Row(a.Name, a.Allowed.String())
		}
		t.WriteIndented(&b, "  ")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
