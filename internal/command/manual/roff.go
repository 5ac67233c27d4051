package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/lists"
)

// roffOrder is the order of sections in pages for man; others follow.
var roffOrder = []string{"SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "GLOBAL OPTIONS", "EXAMPLES"}

// Roff writes the page in the language of man, with the version of the program at its foot.
func (p *Page) Roff(w io.Writer, version string) error {
	var b strings.Builder
	name := dashed(p.Name)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"perf %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(version), roff(name), roff(p.Short))
	sections := slices.Clone(p.sections)
	slices.SortStableFunc(sections, func(x, y section) int { return place(x) - place(y) })
	for _, s := range sections {
		fmt.Fprintf(&b, ".SH %s\n", s.roff)
		for i, block := range s.blocks {
			block.roff(&b, i == 0)
		}
	}
	if len(p.related) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", lists.Join(p.related, ",\n", func(r string) string { return fmt.Sprintf("\\fB%s\\fR(1)", roff(dashed(r))) }))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func place(s section) int {
	if i := slices.Index(roffOrder, s.roff); i >= 0 {
		return i
	}
	return len(roffOrder)
}

func (b block) roff(out *strings.Builder, first bool) {
	text := roff(b.text)
	switch {
	case b.head != "":
		fmt.Fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", roff(strings.TrimSpace(b.head)), text)
	case b.indent >= deep:
		fmt.Fprintf(out, ".RS\n%s\n.RE\n", text)
	case b.indent > 0:
		fmt.Fprintf(out, ".nf\n%s%s\n.fi\n", strings.Repeat(" ", b.indent), text)
	case first:
		fmt.Fprintf(out, "%s\n", text)
	default:
		fmt.Fprintf(out, ".PP\n%s\n", text)
	}
}

// roff writes a text so that none of it is a command of roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

func dashed(name string) string { return strings.ReplaceAll(name, " ", "-") }

// WritePages writes a page for man into a folder for a command and for each below it: perf.1, perf-count.1 and so on. It returns the files.
func WritePages(dir, version string, cmd *cobra.Command, more ...Section) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	page := PageOf(cmd, more...)
	path := filepath.Join(dir, dashed(page.Name)+".1")
	var text strings.Builder
	if err := page.Roff(&text, version); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	files := []string{path}
	for _, c := range available(cmd) {
		below, err := WritePages(dir, version, c, more...)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	return files, nil
}
