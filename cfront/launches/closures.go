package launches

import (
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
)

// Closures are structures for the functions without names that host code passes to kernels, [=] __device__ (int i) { … }: each holds copies of what its body names
// of the function around it, and computes what that does. One that names a variable whose type is not plain is left out.
func Closures(tokens []cpp.Token) (out []cpp.Token) {
	h := (*host)(nil)
	for i := range tokens {
		if i+2 >= len(tokens) || !tokens[i].Is("]") || !tokens[i+1].Is("__device__") && !tokens[i+1].Is("__host__") {
			continue
		}
		if h == nil {
			h = newHost(tokens)
		}
		for open := i; open > 0; open-- {
			if h.close[open] == i {
				out = append(out, closure(h, open)...)
				break
			}
		}
	}
	return out
}

// closure is the structure for a closure.
func closure(h *host, open int) (out []cpp.Token) {
	params := h.close[open] + 1
	for params < len(h.tokens) && !h.is(params, "(") && !h.is(params, "{") {
		params++
	}
	body := params
	for body < len(h.tokens) && !h.is(body, "{") && !h.is(body, ";") {
		body = max(body, h.close[body]) + 1
	}
	if !h.is(body, "{") || h.close[body] == 0 {
		return nil
	}
	place := h.tokens[open]
	put := func(text string) { out = append(out, words(text, place.At)...) }
	put("struct " + closureName(h, open) + " {")
	in := h.within(open)
	var held []string
	for i := body + 1; i < h.close[body]; i++ {
		t := h.tokens[i]
		if t.Kind != cpp.Name || h.is(i-1, ".") || h.is(i-1, "->") || h.is(i-1, "::") || h.is(i+1, "::") || slices.Contains(held, t.Text) {
			continue
		}
		kind := h.typeOf(span{i, i + 1}, in, open)
		if kind == "" {
			continue
		}
		if kind = plainType(h, kind, t.Text, in); kind == "" {
			return nil
		}
		held = append(held, t.Text)
		put(kind + " " + t.Text + " ;")
	}
	put("__device__ auto operator ( )")
	if !h.is(params, "(") {
		put("( )")
	} else {
		out = append(out, h.tokens[params:h.close[params]+1]...)
	}
	put("const")
	out = append(out, h.tokens[body:h.close[body]+1]...)
	put("} ;")
	return out
}

// plainType is a type of a variable of the host for the copy that a closure has; "" where it is not known. Of auto it is what the value says.
func plainType(h *host, kind, name string, in *function) string {
	kind = strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(kind, "__restrict__", "")), "&")
	if !slices.Contains(strings.Fields(kind), "auto") {
		return strings.TrimSpace(kind)
	}
	for _, d := range h.definitions(name, in) {
		for i := d.value.from; i < d.value.to; i++ {
			if pointing[h.tokens[i].Text] && h.is(i+1, "<") && h.angle(i+1, d.value.to) > 0 {
				return h.typeIn(span{i + 2, h.angle(i+1, d.value.to)}, "", in.template) + " *"
			}
		}
	}
	return ""
}

// pointing are methods of tensors whose values are pointers to what their argument says.
var pointing = map[string]bool{"data_ptr": true, "mutable_data_ptr": true, "const_data_ptr": true, "data": true}

// words are the tokens of a text whose words stand between blanks.
func words(text string, at cpp.Pos) (out []cpp.Token) {
	for w := range strings.FieldsSeq(text) {
		kind := cpp.Symbol
		if c := w[0]; c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			kind = cpp.Name
		}
		out = append(out, cpp.Token{Kind: kind, Text: w, At: at, Spaced: true})
	}
	return out
}

// Closure is the structure that stands for the only closure which a launch passes; "" without one.
func (l *Launch) Closure() (name string) {
	for _, t := range l.Types {
		if strings.HasPrefix(t, ClosurePrefix) {
			if name != "" {
				return ""
			}
			name = t
		}
	}
	return name
}
