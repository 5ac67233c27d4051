package kernel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"gpuperf/kernel/expr"
)

// String is the readable IR. Its statements and rules are in the syntax of ParseInstructions, its domains and
// assumptions in isl's notation.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\n", k.Name)
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		b.WriteString(title + ":\n")
		for _, l := range lines {
			b.WriteString("  " + l + "\n")
		}
	}
	var lines []string
	for _, d := range k.Domains {
		lines = append(lines, d.String())
	}
	section("domains", lines)
	if k.Assumptions != nil {
		section("assumptions", []string{k.Assumptions.String()})
	}
	lines = nil
	for _, a := range k.Averages {
		lines = append(lines, a.String())
	}
	section("averages", lines)
	lines = nil
	for _, v := range k.Values {
		lines = append(lines, v.String())
	}
	section("values", lines)
	lines = nil
	for _, n := range k.Inames() {
		if t, ok := k.Tags[n]; ok {
			lines = append(lines, n+": "+t.String())
		}
	}
	section("inames", lines)
	lines = nil
	for _, p := range k.Priorities {
		lines = append(lines, strings.Join(p, ", "))
	}
	section("loop priorities", lines)
	section("arguments", describe(k.Args))
	section("temporaries", describe(k.Temps))
	lines = nil
	for _, r := range k.Rules {
		lines = append(lines, r.String())
	}
	section("rules", lines)
	lines = nil
	for _, f := range k.Functions {
		lines = append(lines, f.String())
	}
	section("functions", lines)
	lines = nil
	for _, s := range k.Statements {
		lines = append(lines, s.String())
	}
	section("statements", lines)
	return b.String()
}

// Key identifies the kernel by its content: equal kernels have equal keys.
func (k *Kernel) Key() string {
	sum := sha256.Sum256([]byte(k.String()))
	return hex.EncodeToString(sum[:])
}

func describe(list []*Array) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return out
}

// String describes the array: name, type, address space, shape, layout.
func (a *Array) String() string {
	dtype, space := string(a.DType), string(a.Space)
	if dtype == "" {
		dtype = "?"
	}
	switch {
	case a.IsValue:
		space = "value"
	case a.Constant:
		space = "constant"
	case a.Space == Auto:
		space = "auto"
	}
	text := fmt.Sprintf("%s: %s %s", a.Name, space, dtype)
	if a.PerItem {
		text += " per work-item"
	}
	if a.Shape == nil && !a.IsValue {
		text += " [?]"
	} else if len(a.Shape) > 0 {
		text += " [" + joinExprs(a.Shape) + "]"
	}
	if a.Axes != nil {
		var items []string
		for _, x := range a.Axes {
			if x.Stride != nil {
				items = append(items, "stride:"+x.Stride.String())
			} else {
				items = append(items, fmt.Sprintf("N%d", x.Nest))
			}
		}
		text += " layout " + strings.Join(items, ",")
	}
	if a.Offset != nil {
		text += " offset " + a.Offset.String()
	}
	return text
}

func joinExprs(list []expr.Expr) string {
	var b strings.Builder
	expr.WriteList(&b, list)
	return b.String()
}

// String prints the statement with all its attributes: ParseInstructions reads it back.
func (s *Stmt) String() string {
	var b strings.Builder
	switch s.Kind {
	case Assign:
		b.WriteString(s.LHS.String() + " = " + s.RHS.String())
	case LocalBarrier:
		b.WriteString("... lbarrier")
	case GlobalBarrier:
		b.WriteString("... gbarrier")
	case Nop:
		b.WriteString("... nop")
	}
	b.WriteString("  {id=" + s.ID)
	for _, a := range []struct {
		key  string
		list []string
	}{{"inames", s.Inames}, {"dep", s.Deps}, {"tags", s.Tags}, {"nosync", s.NoSync}} {
		if len(a.list) > 0 {
			b.WriteString(", " + a.key + "=" + strings.Join(a.list, ":"))
		}
	}
	if s.Priority != 0 {
		b.WriteString(", priority=" + strconv.Itoa(s.Priority))
	}
	for i, p := range s.Predicates {
		b.WriteString(map[bool]string{true: ", if=", false: ":"}[i == 0] + p.String())
	}
	b.WriteString("}")
	return b.String()
}

// String prints the rule as ParseInstructions reads it.
func (r *Rule) String() string {
	head := r.Name
	if len(r.Args) > 0 {
		head += "(" + strings.Join(r.Args, ", ") + ")"
	}
	return head + " := " + r.Body.String()
}
