package packs

import (
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
)

// operators are those by which a pack can be folded. A > before dots ends arguments of a template.
var operators = func() map[string]bool {
	m := map[string]bool{}
	for _, op := range strings.Fields("+ - * / % ^ & | << += -= *= /= %= ^= &= |= <<= >>= = == != < <= >= && || , .* ->*") {
		m[op] = true
	}
	return m
}()

// empty are the values of folds without elements.
var empty = map[string]string{"&&": "true", "||": "false", ",": "0"}

// leftFold writes (... op pattern), whose bracket is open: ((a op b) op c).
func (e *expander) leftFold(in []cpp.Token, i int) (used int, err error) {
	end := closing(in, i+2)
	pattern, err := e.inner(in[i+2 : end])
	if err != nil {
		return 0, err
	}
	n, has, err := e.size(pattern)
	if err != nil || !has {
		e.out = append(e.out, in[i])
		return 0, err
	}
	var parts [][]cpp.Token
	for k := range n {
		parts = append(parts, e.part(pattern, k))
	}
	return end - i - 1, e.fold(in[i+1], parts, true)
}

// rightFold writes (pattern op ...), and (pattern op ... op last) and (first op ... op pattern), whose bracket and operator are written already.
func (e *expander) rightFold(in []cpp.Token, i int) (used int, err error) {
	op := e.last()
	e.out = e.out[:len(e.out)-1]
	from := e.bracket()
	left := slices.Clone(e.out[from:])
	end, right := i+1, []cpp.Token(nil)
	if !at(in, i+1).Is(")") {
		end = closing(in, i+2)
		if right, err = e.inner(in[i+2 : end]); err != nil {
			return 0, err
		}
	}
	n, has, err := e.size(left)
	m, behind, err2 := e.size(right)
	if err == nil {
		err = err2
	}
	if err != nil || !has && !behind {
		e.out = append(e.out, op, in[i])
		return 0, err
	}
	e.out = e.out[:from]
	var parts [][]cpp.Token
	if behind && !has {
		parts = append(parts, left)
		for k := range m {
			parts = append(parts, e.part(right, k))
		}
		return end - i - 1, e.fold(op, parts, true)
	}
	for k := range n {
		parts = append(parts, e.part(left, k))
	}
	if right != nil {
		parts = append(parts, right)
	}
	return end - i - 1, e.fold(op, parts, false)
}

// inner is a text with its packs written out.
func (e *expander) inner(text []cpp.Token) ([]cpp.Token, error) { return Expand(text, e.sizes) }

// part is a pattern for one element.
func (e *expander) part(pattern []cpp.Token, k int) []cpp.Token {
	one := &expander{sizes: e.sizes}
	one.element(pattern, k)
	return one.out
}

// fold writes parts with an operator between them, in brackets that say which are joined first.
func (e *expander) fold(op cpp.Token, parts [][]cpp.Token, fromLeft bool) error {
	sign := func(text string) { e.out = append(e.out, cpp.Token{Kind: cpp.Symbol, Text: text, At: op.At}) }
	if len(parts) == 0 {
		value, ok := empty[op.Text]
		if !ok {
			return e.fail(op, "a pack without elements has no %s of all", op.Text)
		}
		kind := cpp.Name
		if value == "0" {
			kind = cpp.Number
		}
		e.out = append(e.out, cpp.Token{Kind: kind, Text: value, At: op.At})
		return nil
	}
	brackets := len(parts) - 2
	for i, part := range parts {
		if fromLeft && i == 0 {
			for range brackets {
				sign("(")
			}
		}
		if i > 0 {
			sign(op.Text)
		}
		if !fromLeft && i > 0 && i < len(parts)-1 {
			sign("(")
		}
		e.out = append(e.out, part...)
		if fromLeft && i > 0 && i < len(parts)-1 {
			sign(")")
		}
	}
	if !fromLeft {
		for range brackets {
			sign(")")
		}
	}
	return nil
}

// bracket is the place behind the one that is open at the end of what is written.
func (e *expander) bracket() int {
	depth := 0
	for j := len(e.out) - 1; j >= 0; j-- {
		switch t := e.out[j]; {
		case t.Kind != cpp.Symbol:
		case t.Is(")"), t.Is("]"), t.Is("}"):
			depth++
		case t.Is("("), t.Is("["), t.Is("{"):
			if depth--; depth < 0 {
				return j + 1
			}
		}
	}
	return 0
}

// closing is the place of the bracket that ends what begins at i.
func closing(in []cpp.Token, i int) int {
	depth := 0
	for ; i < len(in); i++ {
		switch t := in[i]; {
		case t.Kind != cpp.Symbol:
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return i
}
