// Package packs writes out the packs of templates of C++: a text with a pack args of two elements, f(args...), becomes f(args__0, args__1), which
// who knows nothing of packs can read.
package packs

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cpp"
)

// maxTokens bounds a text that is written out: packs within packs multiply it.
const maxTokens = 200_000

// Name is the name of an element of a pack. Programs have none with two underscores, which the language keeps for itself.
func Name(pack string, i int) string { return fmt.Sprintf("%s__%d", pack, i) }

// Expand is a text with its packs written out. Sizes tells how many elements each has; parameters of functions that the text declares join it. An error
// is of the kind *Error.
func Expand(text []cpp.Token, sizes map[string]int) ([]cpp.Token, error) {
	e := &expander{sizes: sizes}
	err := e.text(text)
	return e.out, err
}

// Error is one at a token.
type Error struct {
	At  cpp.Pos
	Msg string
}

func (e *Error) Error() string { return e.Msg }

type expander struct {
	sizes map[string]int
	out   []cpp.Token
}

func (e *expander) fail(t cpp.Token, format string, args ...any) error {
	return &Error{t.At, fmt.Sprintf(format, args...)}
}

func (e *expander) text(in []cpp.Token) error {
	for i := 0; i < len(in); i++ {
		t := in[i]
		if len(e.out) > maxTokens {
			return e.fail(t, "packs make more than %d tokens", maxTokens)
		}
		if !t.Is("...") {
			e.out = append(e.out, t)
			continue
		}
		var used int
		var err error
		switch after := at(in, i+1); {
		case e.last().Is("sizeof") && after.Is("("):
			used, err = e.count(in, i)
		case e.last().Is("(") && operators[after.Text]:
			used, err = e.leftFold(in, i)
		case operators[e.last().Text] && e.last().Kind == cpp.Symbol && (after.Is(")") || after.Text == e.last().Text):
			used, err = e.rightFold(in, i)
		default:
			used, err = e.expansion(in, i)
		}
		if err != nil {
			return err
		}
		i += used
	}
	return nil
}

func at(in []cpp.Token, i int) cpp.Token {
	if i < len(in) {
		return in[i]
	}
	return cpp.Token{Kind: cpp.End}
}

func (e *expander) last() cpp.Token { return at(e.out, len(e.out)-1) }

// count writes sizeof...(pack) as a number. The tokens that it uses are those after the dots.
func (e *expander) count(in []cpp.Token, i int) (used int, err error) {
	name := at(in, i+2)
	n, known := e.sizes[name.Text]
	if !known || !at(in, i+3).Is(")") {
		e.out = append(e.out, in[i])
		return 0, nil
	}
	e.out[len(e.out)-1] = cpp.Token{Kind: cpp.Number, Text: fmt.Sprint(n), At: name.At}
	return 3, nil
}

// expansion writes out a pattern that stands before dots: for each element once, with a comma between them.
func (e *expander) expansion(in []cpp.Token, i int) (used int, err error) {
	from := e.patternStart()
	pattern := slices.Clone(e.out[from:])
	n, has, err := e.size(pattern)
	if err != nil || !has {
		e.out = append(e.out, in[i])
		return 0, err
	}
	name := at(in, i+1)
	declares := name.Kind == cpp.Name
	if declares {
		used = 1
		e.sizes[name.Text] = n
	}
	e.out = e.out[:from]
	if n == 0 { // without the comma before or after it
		switch {
		case e.last().Is(","):
			e.out = e.out[:len(e.out)-1]
		case at(in, i+1+used).Is(","):
			used++
		}
	}
	for k := range n {
		if k > 0 {
			e.out = append(e.out, cpp.Token{Kind: cpp.Symbol, Text: ",", At: in[i].At})
		}
		e.element(pattern, k)
		if declares {
			name.Text = Name(in[i+1].Text, k)
			e.out = append(e.out, name)
		}
	}
	return used, nil
}

// element writes a pattern for one element of its packs.
func (e *expander) element(pattern []cpp.Token, k int) {
	for j, t := range pattern {
		if _, is := e.sizes[t.Text]; is && isPack(pattern, j) {
			t.Text = Name(t.Text, k)
		}
		e.out = append(e.out, t)
	}
}

// isPack reports that a token with the name of a pack is one, and no member of something.
func isPack(pattern []cpp.Token, j int) bool {
	return pattern[j].Kind == cpp.Name && (j == 0 || !pattern[j-1].Is(".") && !pattern[j-1].Is("->") && !pattern[j-1].Is("::"))
}

// size is how many elements the packs of a pattern have; has is false where it names none.
func (e *expander) size(pattern []cpp.Token) (n int, has bool, err error) {
	for j, t := range pattern {
		m, is := e.sizes[t.Text]
		if !is || !isPack(pattern, j) {
			continue
		}
		if has && m != n {
			return 0, false, e.fail(t, "packs of %d and %d elements stand in one expression", n, m)
		}
		n, has = m, true
	}
	return n, has, nil
}

// patternStart is where the pattern begins that ends what is written: behind the bracket or comma before it.
func (e *expander) patternStart() int {
	depth := 0
	for j := len(e.out) - 1; j >= 0; j-- {
		switch t := e.out[j]; {
		case t.Kind != cpp.Symbol:
		case t.Is(")"), t.Is("]"), t.Is("}"), t.Is(">"):
			depth++
		case t.Is(">>"):
			depth += 2
		case t.Is("("), t.Is("["), t.Is("{"), t.Is("<"):
			if depth--; depth < 0 {
				return j + 1
			}
		case depth == 0 && (t.Is(",") || t.Is(";") || t.Is(":")):
			return j + 1
		}
	}
	return 0
}
