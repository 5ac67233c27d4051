// Package constraints writes the constraints of templates of C++20 as conditions that C++17 has: concept c = x; becomes constexpr bool c = x; and a template that
// requires x has a parameter std::enable_if_t<(x), int> = 0. What a type must have by a requires-expression stays, for who reads it to refuse or to pass over.
package constraints

import (
	"slices"

	"gpuperf/cfront/cpp"
)

// rewriter copies a text.
type rewriter struct {
	in, out  []cpp.Token
	concepts map[string]bool
	close    map[int]int // of brackets of the input
	heads    []head      // templates whose declaration is not over
	depth    int         // open braces
}

// head is the list of parameters of a template in the output.
type head struct {
	end    int // its >
	depth  int
	packed bool // it has a pack, behind which no other parameter may stand
}

// Rewrite is a text without concepts and constraints; the text itself where it has none.
func Rewrite(text []cpp.Token) []cpp.Token {
	if !slices.ContainsFunc(text, func(t cpp.Token) bool { return t.Is("concept") || t.Is("requires") || library[t.Text] }) {
		return text
	}
	r := &rewriter{in: text, concepts: map[string]bool{}, close: map[int]int{}}
	var open []int
	for i, t := range text {
		switch {
		case t.Is("("), t.Is("["), t.Is("{"):
			open = append(open, i)
		case (t.Is(")") || t.Is("]") || t.Is("}")) && len(open) > 0:
			r.close[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		if t.Is("concept") && r.at(i+1).Kind == cpp.Name {
			r.concepts[r.at(i+1).Text] = true
		}
	}
	for i := 0; i < len(text); {
		i = r.step(i)
	}
	return r.out
}

// library are concepts of the standard library, which the header of them declares.
var library = map[string]bool{
	"integral": true, "floating_point": true, "signed_integral": true, "unsigned_integral": true, "same_as": true, "convertible_to": true, "invocable": true,
}

func (r *rewriter) at(i int) cpp.Token {
	if i < 0 || i >= len(r.in) {
		return cpp.Token{}
	}
	return r.in[i]
}

// step copies what stands at a token, and returns the token behind it.
func (r *rewriter) step(i int) int {
	t := r.in[i]
	switch {
	case t.Is("{"):
		r.depth++
	case t.Is("}"):
		r.depth--
	case t.Is("concept") && r.concepts[r.at(i+1).Text]:
		r.put(t, "constexpr", "bool")
		return i + 1
	case t.Is("template") && r.at(i+1).Is("<"):
		return r.template(i)
	case t.Is("requires") && r.trails(i):
		end := r.clause(i + 1)
		r.constrain(r.in[i+1 : end])
		return end
	}
	if n := r.concept(i); n > i && r.at(n).Is("auto") {
		return n
	}
	r.out = append(r.out, t)
	return i + 1
}

// put appends words in the place of a token.
func (r *rewriter) put(t cpp.Token, words ...string) {
	for _, w := range words {
		one := cpp.Token{Kind: cpp.Symbol, Text: w, At: t.At, Spaced: true}
		switch c := w[0]; {
		case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
			one.Kind = cpp.Name
		case c >= '0' && c <= '9':
			one.Kind = cpp.Number
		}
		r.out = append(r.out, one)
	}
}

// trails reports that a clause follows the declaration of a function of the last template.
func (r *rewriter) trails(i int) bool {
	before := r.at(i - 1)
	return len(r.heads) > 0 && r.heads[len(r.heads)-1].depth == r.depth && (before.Is(")") || before.Is("const") || before.Is("noexcept")) && r.clause(i+1) > i+1
}

// concept is the token behind the name of a concept with its arguments, or i.
func (r *rewriter) concept(i int) int {
	n := i
	for r.at(n).Kind == cpp.Name && r.at(n+1).Is("::") {
		n += 2
	}
	if name := r.at(n).Text; r.at(n).Kind != cpp.Name || !r.concepts[name] && !(n > i && library[name]) {
		return i
	}
	if n++; r.at(n).Is("<") {
		return r.angle(n)
	}
	return n
}

// angle is the token behind the arguments of a template that open at a token.
func (r *rewriter) angle(i int) int {
	for depth := 0; i < len(r.in); i++ {
		switch t := r.in[i]; {
		case r.close[i] > i:
			i = r.close[i]
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case t.Is(">>"):
			depth -= 2
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return i
}

// template copies the word and the parameters, which concepts may stand before, and a clause behind them.
func (r *rewriter) template(i int) int {
	end := r.angle(i+1) - 1
	if !r.at(end).Is(">") {
		r.out = append(r.out, r.in[i])
		return i + 1
	}
	for len(r.heads) > 0 && r.heads[len(r.heads)-1].depth >= r.depth {
		r.heads = r.heads[:len(r.heads)-1]
	}
	r.out = append(r.out, r.in[i], r.in[i+1])
	var all [][]cpp.Token
	packed := false
	for at := i + 2; at < end; {
		if n := r.concept(at); n > at && (r.at(n).Kind == cpp.Name || r.at(n).Is("...")) {
			r.put(r.in[at], "typename")
			if r.at(n).Kind == cpp.Name {
				all = append(all, r.applied(at, n))
			}
			at = n
			continue
		}
		packed = packed || r.in[at].Is("...")
		r.out = append(r.out, r.in[at])
		at++
	}
	r.heads = append(r.heads, head{len(r.out), r.depth, packed})
	r.out = append(r.out, r.in[end])
	for _, c := range all {
		r.constrain(c)
	}
	if next := r.clause(end + 2); r.at(end+1).Is("requires") && next > end+2 {
		r.constrain(r.in[end+2 : next])
		return next
	}
	return end + 1
}

// applied is a concept with the parameter that it stands before for its first argument.
func (r *rewriter) applied(from, to int) (out []cpp.Token) {
	name := from
	for r.at(name + 1).Is("::") {
		name += 2
	}
	out = slices.Clone(r.in[from : name+1])
	symbol := func(text string) cpp.Token { return cpp.Token{Kind: cpp.Symbol, Text: text, At: r.in[from].At} }
	out = append(out, symbol("<"), r.in[to])
	if name+1 < to {
		out = append(out, symbol(","))
		return append(out, r.in[name+2:to]...)
	}
	return append(out, symbol(">"))
}

// clause is the token behind the condition that begins at a token: names, brackets and requires-expressions, joined by && and ||.
func (r *rewriter) clause(i int) int {
	for {
		start := i
		switch {
		case r.at(i).Is("requires"):
			if i++; r.at(i).Is("(") {
				i = r.close[i] + 1
			}
			if !r.at(i).Is("{") || r.close[i] == 0 {
				return start
			}
			i = r.close[i] + 1
		case r.at(i).Is("("):
			if r.close[i] == 0 {
				return start
			}
			i = r.close[i] + 1
		default:
			for r.at(i).Is("!") {
				i++
			}
			for r.at(i).Kind == cpp.Name {
				if i++; r.at(i).Is("<") {
					i = r.angle(i)
				}
				if !r.at(i).Is("::") {
					break
				}
				i++
			}
			if i == start {
				return start
			}
		}
		if !r.at(i).Is("&&") && !r.at(i).Is("||") {
			return i
		}
		i++
	}
}

// constrain gives the last template a parameter that a condition enables.
func (r *rewriter) constrain(condition []cpp.Token) {
	if len(r.heads) == 0 || len(condition) == 0 {
		return
	}
	h := &r.heads[len(r.heads)-1]
	if h.packed {
		return
	}
	rest := slices.Clone(r.out[h.end:])
	r.out = r.out[:h.end]
	t := condition[0]
	if !r.out[len(r.out)-1].Is("<") {
		r.put(t, ",")
	}
	r.put(t, "std", "::", "enable_if_t", "<", "(")
	r.out = append(r.out, condition...)
	r.put(t, ")", ",", "int", ">", "=", "0")
	h.end = len(r.out)
	r.out = append(r.out, rest...)
}
