package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/samples"
)

// Code compares what is counted with the machine code, where a sample has it: in a round of its main loop, the one that does most of the
// work, or, where it has no loop, in all that a work-item does.
type Code struct {
	Looped     bool           `json:"looped"`
	Rounds     float64        `json:"rounds"`               // of the main loop that a work-item makes, so that the counted work gets done
	By         string         `json:"by,omitempty"`         // the work whose count tells the rounds
	Iname      string         `json:"iname,omitempty"`      // the kernel's loop that does this work
	Iterations float64        `json:"iterations,omitempty"` // of that loop in a round
	Size       int            `json:"instructions"`         // of the main loop, or of all
	Classes    map[string]int `json:"classes"`              // of these instructions
	Executed   float64        `json:"executed,omitempty"`   // instructions that a work-item executes in all, where there is one loop at most and no branch skips some
	Accesses   []CodeAccess   `json:"accesses"`
	Notes      []string       `json:"notes"`
}

// CodeAccess is a kind of accesses as counted, and in the code.
type CodeAccess struct {
	Action    string      `json:"action"` // load, store
	Array     string      `json:"array,omitempty"`
	Space     string      `json:"space"`
	Counted   float64     `json:"counted"`
	Bytes     int64       `json:"bytes"`               // of a counted access
	Widths    []CodeWidth `json:"widths"`              // in the code
	Elsewhere int         `json:"elsewhere,omitempty"` // instructions outside of the main loop
}

// CodeWidth is how many instructions access so many bytes.
type CodeWidth struct {
	Bytes        int `json:"bytes"`
	Instructions int `json:"instructions"`
}

// what names the accesses.
func (a CodeAccess) what() string {
	if a.Array == "" {
		return fmt.Sprintf("%ss in %s memory", a.Action, a.Space)
	}
	return fmt.Sprintf("%ss of %s", a.Action, a.Array)
}

// same reports whether two are accesses of one kind.
func (a CodeAccess) same(b CodeAccess) bool {
	return a.Space == b.Space && a.Action == b.Action && a.Array == b.Array
}

func (a CodeAccess) instructions() (n, bytes int) {
	for _, w := range a.Widths {
		n, bytes = n+w.Instructions, bytes+w.Bytes*w.Instructions
	}
	return n, bytes
}

// code fills in what the machine code tells.
func (e *explainer) code(out *Explanation) error {
	if e.Record == nil || e.Record.Compiled.Code == nil || len(e.Record.Global) == 0 {
		return nil
	}
	nest, err := e.Case.Nest()
	if err != nil {
		return nil
	}
	code := e.Record.Compiled.Code
	counted, anchors, err := e.perItem(nest.Kernel)
	if err != nil {
		return err
	}
	c := &Code{Rounds: 1, Notes: []string{}}
	main, compared := code.CodePart, counted
	if len(code.Loops) > 0 {
		by := bestAnchor(anchors, nest, code)
		if by == nil {
			return nil
		}
		c.Looped, c.Rounds, c.By = true, by.rounds, by.what
		c.Iname, c.Iterations = by.loop().Iname, by.iterations
		main, compared = by.main.CodePart, onTheWay(counted, nest, by.chain)
	}
	c.Size, c.Classes = main.Instructions, main.Classes
	if len(code.Loops) <= 1 {
		c.Executed = float64(code.Instructions) + (c.Rounds-1)*float64(c.Size)
	}
	for _, a := range joined(compared, counted, code.Accesses) {
		a.Counted /= c.Rounds
		a.Widths = a.widths(main.Accesses)
		in, _ := a.instructions()
		all, _ := CodeAccess{Widths: a.widths(code.Accesses)}.instructions()
		if a.Elsewhere = all - in; a.Counted > almostOne || in > 0 {
			c.Accesses = append(c.Accesses, a)
		}
	}
	c.note(main)
	out.Code = c
	return nil
}

const almostOne = 0.99 // of all accesses: the rest are prologues and remainders

// widths are the instructions of a part of the code that are such accesses, the narrowest first.
func (a CodeAccess) widths(accesses map[samples.CodeAccess]int) []CodeWidth {
	byBytes := map[int]int{}
	for key, n := range accesses {
		if spaceOf(key) == a.Space && key.Action == a.Action && (a.Array == "" || key.Array == a.Array) {
			byBytes[key.Bytes] += n
		}
	}
	widths := []CodeWidth{}
	for _, bytes := range slices.Sorted(maps.Keys(byBytes)) {
		widths = append(widths, CodeWidth{bytes, byBytes[bytes]})
	}
	return widths
}

// spaceOf is the space of an access in the code. What may be in several is global.
func spaceOf(a samples.CodeAccess) string {
	if a.Space == "generic" {
		return string(kernel.Global)
	}
	return a.Space
}

// joined joins the accesses that the code does not tell apart: those in local memory, and those of a kind of which it does not say of each
// in which array it is. Where not all of these are to be compared, none is, nor is what atomic operations and copies access, too.
func joined(compared, counted []CodeAccess, code map[samples.CodeAccess]int) (list []CodeAccess) {
	join, leave := map[[2]string]bool{}, map[[2]string]bool{} // by space and action, and by space and array
	for key := range code {
		join[[2]string{spaceOf(key), key.Action}] = join[[2]string{spaceOf(key), key.Action}] || key.Array == ""
		if key.Action == "atomic" || key.Action == "copy" {
			leave[[2]string{spaceOf(key), key.Array}] = true
		}
	}
	together := func(a CodeAccess) bool { return a.Space == string(kernel.Local) || join[[2]string{a.Space, a.Action}] }
	for _, a := range counted {
		if together(a) && !slices.ContainsFunc(compared, a.same) {
			leave[[2]string{a.Space, a.Action}] = true
		}
	}
	for _, a := range compared {
		if leave[[2]string{a.Space, ""}] || leave[[2]string{a.Space, a.Array}] || together(a) && leave[[2]string{a.Space, a.Action}] {
			continue
		}
		if together(a) {
			a.Array = ""
		}
		list = add(list, a)
	}
	return list
}

// add adds an access to a list in which each kind stands once.
func add(list []CodeAccess, a CodeAccess) []CodeAccess {
	i := slices.IndexFunc(list, a.same)
	if i < 0 {
		return append(list, a)
	}
	list[i].Counted += a.Counted
	list[i].Bytes = min(list[i].Bytes, a.Bytes)
	return list
}

// note says where the code differs from what is counted.
func (c *Code) note(part samples.CodePart) {
	say := func(text string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(text, args...)) }
	in := "for a work-item"
	if c.Looped {
		in = "in a round"
	}
	if c.Iterations > 1 {
		say("the compiler unrolled the loop over %s: a round does %s iterations of it", c.Iname, format.Quantity(c.Iterations, ""))
	}
	for _, a := range c.Accesses {
		n, bytes := a.instructions()
		counted := fmt.Sprintf("%s: counted %s × %d B %s, the code has", a.what(), format.Quantity(a.Counted, ""), a.Bytes, in)
		widest := 0
		for _, w := range a.Widths {
			widest = max(widest, w.Bytes)
		}
		fewer := float64(bytes) < (1-differing)*a.Counted*float64(a.Bytes)
		switch {
		case n == 0 && a.Elsewhere > 0:
			say("%s none in its loop and %d outside: the compiler moved them out of the loop", counted, a.Elsewhere)
		case n == 0:
			say("%s none", counted)
		case int64(widest) > a.Bytes && fewer:
			say("%s %d, of up to %d B: the compiler merged neighbours, and keeps in registers what is used again", counted, n, widest)
		case int64(widest) > a.Bytes:
			say("%s %d, of up to %d B: the compiler merged neighbours", counted, n, widest)
		case fewer:
			say("%s %d: the compiler keeps in registers what is used again", counted, n)
		case float64(n) > (1+differing)*math.Max(a.Counted, 1):
			say("%s %d, of which a work-item may not execute all", counted, n)
		}
	}
	for _, action := range []string{"load", "store"} {
		private := CodeAccess{Space: string(kernel.Private), Action: action}
		private.Widths = private.widths(part.Accesses)
		if n, bytes := private.instructions(); n > 0 {
			say("%d %ss of %d B together in private memory %s: registers are spilled, or arrays do not fit into them", n, action, bytes, in)
		}
	}
}

// differing is the share from which on a count and the code are told apart.
const differing = 0.05

// classText lists instructions by class, the most frequent first.
func classText(classes map[string]int) string {
	names := slices.SortedFunc(maps.Keys(classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(classes[b], classes[a]), strings.Compare(a, b))
	})
	return lists.Join(names, ", ", func(name string) string { return fmt.Sprintf("%d %s", classes[name], name) })
}
