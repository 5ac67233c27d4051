package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// wantJSON reports whether the user asked for JSON.
func wantJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json")
	return on
}

// printJSON writes v, indented, without escaping < and >, which formulas are full of.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// table is a table of text: columns are as wide as their widest cell; a column whose header starts with '>' is set
// flush right.
type table struct {
	header []string
	rows   [][]string
}

func newTable(header ...string) *table { return &table{header: header} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) {
	width := make([]int, len(t.header))
	right := make([]bool, len(t.header))
	head := make([]string, len(t.header))
	for i, h := range t.header {
		head[i], right[i] = strings.CutPrefix(h, ">")
		width[i] = utf8.RuneCountInString(head[i])
	}
	for _, row := range t.rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range append([][]string{head}, t.rows...) {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// seconds formats a duration in seconds with three or four significant digits and the fitting unit.
func seconds(s float64) string {
	for _, unit := range []struct {
		scale float64
		name  string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		if math.Abs(s) >= unit.scale {
			return fmt.Sprintf("%.4g %s", s/unit.scale, unit.name)
		}
	}
	return fmt.Sprintf("%.3g s", s)
}

// percent formats a ratio.
func percent(r float64) string { return fmt.Sprintf("%.2f %%", 100*r) }

// note prints a line of progress or a warning, on standard error.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

// warn prints warnings, on standard error.
func warn(cmd *cobra.Command, warnings []string) {
	for _, w := range warnings {
		note(cmd, "warning: %s", w)
	}
}
