package kernel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
)

// String is the IR as text. Its statements and rules are in the syntax of ParseInstructions, its domains and
// assumptions in isl's notation.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\n", k.Name)
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s:\n  %s\n", title, strings.Join(lines, "\n  "))
		}
	}
	section("domains", texts(k.Domains))
	if k.Assumptions != nil {
		section("assumptions", []string{k.Assumptions.String()})
	}
	section("averages", texts(k.Averages))
	section("values", texts(k.Values))
	var tags, priorities []string
	for _, n := range k.Inames() {
		if t, ok := k.Tags[n]; ok {
			tags = append(tags, n+": "+t.String())
		}
	}
	section("inames", tags)
	for _, p := range k.Priorities {
		priorities = append(priorities, strings.Join(p, ", "))
	}
	section("loop priorities", priorities)
	if k.ExplicitBarriers {
		section("barriers", []string{"those of the statements"})
	}
	if k.Resident > 0 {
		section("work-groups of a multiprocessor", []string{fmt.Sprint(k.Resident)})
	}
	if k.Subgroup != nil {
		section("work-items of a sub-group", []string{fmt.Sprint(k.Subgroup.Size)})
	}
	section("arguments", texts(k.Args))
	section("temporaries", texts(k.Temps))
	section("rules", texts(k.Rules))
	section("functions", texts(k.Functions))
	section("statements", texts(k.Statements))
	return b.String()
}

func texts[T fmt.Stringer](list []T) []string {
	return lists.Map(list, func(x T) string { return x.String() })
}

// Key identifies the kernel by its content: equal kernels have equal keys.
func (k *Kernel) Key() string {
	sum := sha256.Sum256([]byte(k.String()))
	return hex.EncodeToString(sum[:])
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
		text += " [" + strings.Join(texts(a.Shape), ", ") + "]"
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
	if s.Memory != Auto {
		b.WriteString(", mem_kind=" + string(s.Memory))
	}
	if s.Ahead != 0 {
		b.WriteString(", ahead=" + strconv.FormatInt(s.Ahead, 10))
	}
	if s.Atomic {
		b.WriteString(", atomic")
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
