package facts

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Write writes the data sheet of a device, in the format of the embedded ones: what it does not say is as in the sheet of base, an architecture or
// another device. The comment stands at its beginning.
func Write(w io.Writer, comment, name, base string, known map[Key]Fact) error {
	var b strings.Builder
	for line := range strings.Lines(comment) {
		b.WriteString("# " + line)
	}
	fmt.Fprintf(&b, "\nversion: 1\ndevices:\n  - names: [%q]\n    architecture: %q\n    facts:\n", name, base)
	for _, k := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(&b, "      %s: {value: %s, source: %q}\n", k, strconv.FormatFloat(known[k].Value, 'g', -1, 64), known[k].Source)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Base names the sheet that says most of a device with a name and an architecture: its own, that of the architecture, or that of the one of which most
// is known.
func Base(name, architecture string) string {
	switch {
	case len(find(sheets().Devices, name).Facts) > 0:
		return name
	case len(find(sheets().Architectures, architecture).Facts) > 0:
		return architecture
	}
	all := sheets().Architectures
	return slices.MaxFunc(all, func(a, b *sheet) int { return len(a.Facts) - len(b.Facts) }).Names[0]
}
