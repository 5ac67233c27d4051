package sass

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/terminal"
)

// Write writes the functions: their facts, and their instructions with loops indented.
func (l *Listing) Write(w io.Writer) error {
	return l.each(w, func(f *Function) error {
		if err := f.writeFacts(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return f.writeCode(w)
	})
}

// WriteFacts writes the facts of the functions alone.
func (l *Listing) WriteFacts(w io.Writer) error {
	return l.each(w, func(f *Function) error { return f.writeFacts(w) })
}

// each writes the functions with an empty line between them.
func (l *Listing) each(w io.Writer, write func(*Function) error) error {
	for i, f := range l.Functions {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := write(f); err != nil {
			return err
		}
	}
	return nil
}

func (f *Function) writeFacts(w io.Writer) error {
	facts := f.Facts()
	title := f.Name
	if f.Target != "" {
		title += " (" + f.Target + ")"
	}
	fmt.Fprintln(w, terminal.Heading.Paint(w, title))
	if facts.Registers > 0 {
		fmt.Fprintf(w, "  registers     %d\n", facts.Registers)
	} else {
		fmt.Fprintf(w, "  registers     at least %d\n", facts.Named)
	}
	fmt.Fprintf(w, "  instructions  %d: %s\n", facts.Instructions, classes(facts.Classes))
	if len(facts.Accesses) > 0 {
		fmt.Fprintf(w, "  accesses      %s\n", accesses(facts.Accesses))
	}
	if s := facts.Spills; s != (Spills{}) {
		fmt.Fprintf(w, "  spills        %d B loaded by %d instructions, %d B stored by %d\n", s.LoadBytes, s.Loads, s.StoreBytes, s.Stores)
	}
	if facts.Barriers > 0 {
		fmt.Fprintf(w, "  barriers      %d\n", facts.Barriers)
	}
	return writeLoops(w, facts.Loops)
}

func writeLoops(w io.Writer, loops []LoopFacts) error {
	if len(loops) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := format.NewTable("loop", "lines", ">instructions", "of these", "accesses")
	for _, l := range loops {
		t.Row(indentation(l.Depth-1)+fmt.Sprintf("%04x", l.Address), lines(l.Lines), fmt.Sprint(l.Instructions),
			classes(l.Classes), accesses(l.Accesses))
	}
	return t.WriteIndented(w, "  ")
}

// indentation is that of what stands in so many loops. Beyond some none is more.
func indentation(depth int) string { return strings.Repeat("  ", min(depth, 16)) }

func lines(span []int) string {
	switch {
	case span == nil:
		return ""
	case span[0] == span[1]:
		return fmt.Sprint(span[0])
	}
	return fmt.Sprintf("%d-%d", span[0], span[1])
}

func classes(counts []ClassCount) string {
	parts := lists.Map(counts, func(c ClassCount) string { return fmt.Sprintf("%d %s", c.Instructions, c.Class) })
	return strings.Join(parts, ", ")
}

// accesses has a group for each space and action, with how many instructions move how many bytes.
func accesses(counts []AccessCount) string {
	text := ""
	for i, a := range counts {
		switch {
		case i > 0 && counts[i-1].Space == a.Space && counts[i-1].Action == a.Action:
			text += ","
		case i > 0:
			text += fmt.Sprintf("; %s %s", a.Space, a.Action)
		default:
			text += fmt.Sprintf("%s %s", a.Space, a.Action)
		}
		text += fmt.Sprintf(" %d × %d B", a.Instructions, a.Bytes)
	}
	return text
}

// writeCode writes the instructions of each block, indented by the depth of its loop, with a line before each block that says where
// control goes from it. Padding is left out.
func (f *Function) writeCode(w io.Writer) error {
	place := Place{}
	for n, b := range f.Blocks {
		if f.padding(n) {
			continue
		}
		indent := "  "
		if b.Loop != nil {
			indent += indentation(b.Loop.Depth)
		}
		if _, err := fmt.Fprintln(w, indent+terminal.Heading.Paint(w, f.heading(b))); err != nil {
			return err
		}
		for i := b.From; i < b.To; i++ {
			in := &f.Instructions[i]
			if in.Source != place && in.Source != (Place{}) {
				fmt.Fprintf(w, "%s      // %s:%d\n", indent, filepath.Base(in.Source.File), in.Source.Line)
			}
			place = in.Source
			fmt.Fprintln(w, indent+"  "+in.describe())
		}
	}
	return nil
}

// heading names a block by its address, and tells its loop and its edges.
func (f *Function) heading(b Block) string {
	text := strings.TrimSpace(fmt.Sprintf("%04x %s", f.address(b), b.Label))
	if b.Loop != nil && f.Blocks[b.Loop.Header].From == b.From {
		text += fmt.Sprintf(" loop of depth %d", b.Loop.Depth)
	}
	return text + f.leads("→", b.Next) + f.leads("calls", b.Calls)
}

func (f *Function) leads(how string, to []int) string {
	if len(to) == 0 {
		return ""
	}
	all := lists.Map(f.addresses(to), func(address int64) string { return fmt.Sprintf("%04x", address) })
	return " " + how + " " + strings.Join(all, ", ")
}

// describe gives the address, the control bits where they are known, and the instruction.
func (in *Instruction) describe() string {
	text := fmt.Sprintf("%04x  ", in.Address)
	if in.Code != nil {
		text += in.Code.Control().String() + "  "
	}
	return text + in.String()
}
