package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/ops"
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

// instructions and bytes are those in the code.
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
	code := e.Record.Compiled.Code
	counted, work, err := e.perItem()
	if err != nil {
		return err
	}
	c := &Code{Rounds: 1, Notes: []string{}}
	main := code.CodePart
	if len(code.Loops) > 0 {
		var loop *samples.CodeLoop
		for _, w := range work {
			if loop = w.mainLoop(code); loop != nil {
				c.Rounds, c.By = w.counted/float64(w.in(loop.CodePart)), w.what
				e.iterations(c, w, loop.CodePart)
				break
			}
		}
		if loop == nil || c.Rounds < 1 {
			return nil
		}
		main, c.Looped = loop.CodePart, true
	}
	c.Size, c.Classes = main.Instructions, main.Classes
	for _, a := range joined(counted, code.Accesses) {
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

const almostOne = 0.99

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
// in which array it is.
func joined(counted []CodeAccess, code map[samples.CodeAccess]int) (list []CodeAccess) {
	unknown := map[[2]string]bool{}
	for key := range code {
		if key.Array == "" {
			unknown[[2]string{spaceOf(key), key.Action}] = true
		}
	}
	for _, a := range counted {
		if unknown[[2]string{a.Space, a.Action}] || a.Space == string(kernel.Local) {
			a.Array = ""
		}
		i := slices.IndexFunc(list, func(b CodeAccess) bool { return a.Space == b.Space && a.Action == b.Action && a.Array == b.Array })
		if i < 0 {
			list = append(list, a)
			continue
		}
		list[i].Counted += a.Counted
		list[i].Bytes = min(list[i].Bytes, a.Bytes)
	}
	return list
}

// anchor is work that stands in the code as it is counted, so that it tells how often a loop runs.
type anchor struct {
	what    string
	counted float64                                  // of a work-item
	in      func(samples.CodePart) int               // of a part of the code
	of      func(*kernel.Kernel, *kernel.Stmt) int64 // of one execution of a statement
}

// mainLoop is the loop with most of the work; nil where there is none.
func (w anchor) mainLoop(code *samples.Code) (main *samples.CodeLoop) {
	most := 0
	for i := range code.Loops {
		if n := w.in(code.Loops[i].CodePart); n > most {
			main, most = &code.Loops[i], n
		}
	}
	return main
}

// perItem lists what a work-item accesses as counted, and the anchors, the surest first: arithmetic of a type whose operations are one
// instruction each, then the bytes that are loaded of an array.
func (e *explainer) perItem() (accesses []CodeAccess, anchors []anchor, err error) {
	items := 1.0
	for _, n := range e.Record.Global {
		items *= float64(n)
	}
	arithmetic, inexact := map[string]float64{}, map[string]bool{}
	for _, r := range e.statistics.Records {
		count, err := r.At(e.Case.Sizes)
		if err != nil {
			return nil, nil, err
		}
		count /= items
		switch k := r.Key.(type) {
		case features.Op:
			dtype := string(k.DType)
			arithmetic[dtype] += count * float64(e.Lanes)
			inexact[dtype] = inexact[dtype] || !slices.Contains([]string{"add", "mul", "madd"}, k.Op)
		case features.Mem:
			if k.Granularity == features.SubGroup {
				count *= float64(e.Lanes)
			}
			accesses = append(accesses, CodeAccess{Action: string(k.Direction), Array: k.Variable, Space: string(k.Space), Counted: count, Bytes: k.DType.Size()})
		}
	}
	for _, dtype := range slices.Sorted(maps.Keys(arithmetic)) {
		if strings.HasPrefix(dtype, "float") && !inexact[dtype] {
			anchors = append(anchors, anchor{dtype + " operations", arithmetic[dtype], func(p samples.CodePart) int { return p.Classes[dtype] }, operations(dtype)})
		}
	}
	for _, a := range joined(accesses, nil) {
		if a.Action == string(features.Load) {
			anchors = append(anchors, anchor{a.what(), a.Counted * float64(a.Bytes), func(p samples.CodePart) int {
				_, bytes := CodeAccess{Widths: a.widths(p.Accesses)}.instructions()
				return bytes
			}, loads(a)})
		}
	}
	return accesses, anchors, nil
}

// operations counts the operations of a type in a statement.
func operations(dtype string) func(*kernel.Kernel, *kernel.Stmt) int64 {
	return func(k *kernel.Kernel, s *kernel.Stmt) (n int64) {
		v := ops.Visitor{Kernel: k, Found: func(_ string, t expr.DType, more int64) {
			if string(t) == dtype {
				n += more
			}
		}}
		if v.Visit(s.RHS) != nil {
			return 0
		}
		return n
	}
}

// loads counts the bytes that a statement loads of an array.
func loads(a CodeAccess) func(*kernel.Kernel, *kernel.Stmt) int64 {
	return func(_ *kernel.Kernel, s *kernel.Stmt) (bytes int64) {
		expr.Walk(s.RHS, func(x expr.Expr) bool {
			if at, ok := x.(*expr.Access); ok && at.Array == a.Array {
				bytes += a.Bytes
			}
			return true
		})
		return bytes
	}
}

// iterations says how many iterations of the kernel's loop that does most of an anchor's work a round does.
func (e *explainer) iterations(c *Code, w anchor, round samples.CodePart) {
	nest, err := e.Case.Nest()
	if err != nil {
		return
	}
	var most int64
	var own func(body []linear.Node) int64 // the work of a body, inner loops aside
	own = func(body []linear.Node) (n int64) {
		for _, node := range body {
			switch x := node.(type) {
			case *linear.Loop:
				if inner := own(x.Body); inner > most {
					most, c.Iname = inner, x.Iname
				}
			case *linear.Guard:
				n += own(x.Body)
			case *linear.Exec:
				n += w.of(nest.Kernel, x.Stmt)
			}
		}
		return n
	}
	own(nest.Body)
	if most > 0 {
		c.Iterations = float64(w.in(round)) / float64(most)
	}
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
		counted := fmt.Sprintf("counted %s %s of %d B %s, the code has", format.Quantity(a.Counted, ""), a.what(), a.Bytes, in)
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
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%d %s", classes[name], name)
	}
	return strings.Join(parts, ", ")
}
