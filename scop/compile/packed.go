package compile

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/scop"
)

// Arrays whose elements do not lie together are packed on the host: a member of the records of an array, and rows that are pointers. The function that replaces the region
// copies what the region may access, row by row, to memory that goes to the device and comes back as that of other arrays does.

// packing is how an array that is packed lies in memory.
type packing struct {
	memory string // where it is packed
	apart  string // the parameter that tells how many bytes the records of an array are apart; "" for rows that are pointers
	// rows are one more than the largest subscript of each dimension but the last, and reach that of the last, in the names of the dimensions before.
	names, rows []string
	reach       string
}

// packed is how an array is packed, nil where its elements lie together.
func (p *part) packed(a *scop.Array) (*packing, error) {
	out := &packing{memory: p.fresh("packed_" + a.Name)}
	switch v := p.nest.Vars[a.Name]; {
	case len(a.Shape) == 0:
		return nil, nil
	case v.Whole != nil:
		out.apart = p.fresh(a.Name + "_apart")
		return out, nil
	case !a.Pointed:
		return nil, nil
	}
	for range a.Shape {
		out.names = append(out.names, p.fresh("row"))
	}
	for d := range a.Shape {
		text, err := p.reach(a, 0, out.names[:d+1])
		if err != nil {
			return nil, err
		}
		if out.reach = text; d < len(a.Shape)-1 {
			out.rows = append(out.rows, text)
		}
	}
	return out, nil
}

// members is the number of dimensions of an array that are those of records.
func (p *part) members(a *scop.Array) int {
	if v := p.nest.Vars[a.Name]; v != nil && v.Whole != nil {
		return len(v.Whole.Dims)
	}
	return 0
}

// element is the first element of an array, as the text calls it, of so many dimensions.
func (p *part) element(a *scop.Array, dims int) string {
	v := p.nest.Vars[a.Name]
	if a.Flat {
		dims = min(dims, 1)
	}
	if v.Whole == nil {
		return v.Name + strings.Repeat("[0]", dims)
	}
	n := min(p.members(a), dims)
	return v.Whole.Name + strings.Repeat("[0]", n) + "." + v.Member + strings.Repeat("[0]", dims-n)
}

// pack declares the memory and copies an array to it, or with back from it.
func (p *part) pack(x *buffer, line func(string, ...any), back bool) {
	t := p.names[x.of.DType]
	copied := func(indent, packed, own, bytes string) {
		if back {
			packed, own = own, packed
		}
		line(indent+"memcpy(%s, %s, %s);", packed, own, bytes)
	}
	if x.packing.apart != "" {
		n := p.members(p.nest.Array(x.of.Name))
		block := strings.Join(append(x.extents()[n:], "sizeof("+t+")"), "*")
		record := p.fresh("record")
		line("for (long %[1]s = 0; %[1]s < %[2]s; %[1]s++)", record, strings.Join(x.extents()[:n], "*"))
		copied("    ", fmt.Sprintf("(char *) %s + %s*%s", x.packing.memory, record, block), fmt.Sprintf("(char *) %s + %s*%s", x.of.Name, record, x.packing.apart), block)
		return
	}
	indent := ""
	at, own := "", fmt.Sprintf("((%s %s) %s)", t, strings.Repeat("*", len(x.of.Shape)), x.of.Name)
	for d, end := range x.packing.rows {
		name := x.packing.names[d]
		line(indent+"for (long %[1]s = 0; %[1]s < %[2]s; %[1]s++)", name, end)
		indent += "    "
		at = strings.TrimPrefix(fmt.Sprintf("%s + %s", at, strings.Join(append([]string{name}, x.extents()[d+1:]...), "*")), " + ")
		own += "[" + name + "]"
	}
	line(indent+"if (%s > 0)", x.packing.reach)
	copied(indent+"    ", fmt.Sprintf("%s + %s", x.packing.memory, at), own, fmt.Sprintf("(%s)*sizeof(%s)", x.packing.reach, t))
}

// extents are those of a buffer, in brackets where that is needed.
func (b *buffer) extents() (out []string) {
	for i, e := range b.of.Shape {
		if i == 0 && b.outer != "" {
			out = append(out, b.outer)
			continue
		}
		text := inC(e)
		if strings.ContainsAny(text, " +-*/") {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return slices.Clip(out)
}
