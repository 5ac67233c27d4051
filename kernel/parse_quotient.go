package kernel

import (
	"slices"
	"strconv"
	"strings"
)

// scaleQuotients rewrites comparisons with quotients by constants, which isl reads as rational numbers, into ones between
// integers: "0 <= i < n/16" becomes "16*(0) <= 16*(i) <= -16 + 1*(n)". A strict comparison is one with a difference of at
// least 1, as isl reads it also between rational numbers, so that this i stays below floor(n/16). It understands quotients
// that are terms of the compared sums, and leaves the text of all other ones alone, for the parser of sets to report. at
// is the offset of the first quotient rewritten, -1 for none.
func scaleQuotients(text string) (out string, at int) {
	toks, err := lex(text)
	if err != nil {
		return text, -1
	}
	at = -1
	type edit struct {
		from, to int // offsets
		text     string
	}
	var edits []edit
	for i := 0; i < len(toks); i++ {
		if toks[i].text != "/" {
			continue
		}
		from, to := comparisonAround(toks, i)
		if scaled, ok := scaleComparison(text, toks[from:to+1]); ok {
			if at < 0 {
				at = toks[i].at
			}
			edits = append(edits, edit{toks[from].at, toks[to].at, scaled})
			i = to
		}
	}
	for _, e := range slices.Backward(edits) {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text, at
}

// comparisonAround is the range of tokens around i that belongs to one chain of comparisons; to is the token after it.
func comparisonAround(toks []token, i int) (from, to int) {
	ends := func(t token) bool {
		return t.kind == tokEnd || t.text == "and" || t.text == "or" || t.text == "not" || t.text == "implies" ||
			t.text == ":" || t.text == ";" || t.text == "{" || t.text == "}"
	}
	depth := 0
	for from = i; from > 0; from-- {
		t := toks[from-1]
		if t.text == ")" {
			depth++
		} else if t.text == "(" {
			if depth--; depth < 0 {
				break
			}
		}
		if depth == 0 && ends(t) {
			break
		}
	}
	depth = 0
	for to = i; to < len(toks)-1; to++ {
		t := toks[to]
		if t.text == "(" {
			depth++
		} else if t.text == ")" {
			if depth--; depth < 0 {
				break
			}
		}
		if depth == 0 && ends(t) {
			break
		}
	}
	return from, to
}

// scaleComparison multiplies both sides of a chain of comparisons by what its quotients divide by. The last token is the
// one after the chain.
func scaleComparison(text string, toks []token) (scaled string, ok bool) {
	last := len(toks) - 1
	scale, compared := int64(1), false
	depth := 0
	for i, t := range toks[:last] {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth == 0 && isComparison(t.text):
			compared = true
		case t.text == "/":
			d, err := strconv.ParseInt(toks[i+1].text, 10, 32)
			if depth > 0 && insideFloor(toks, i) {
				continue
			}
			if depth > 0 || err != nil || d <= 0 || !endsTerm(toks[i+2]) {
				return "", false
			}
			if scale *= d / gcd(scale, d); scale > 1<<31 {
				return "", false
			}
		}
	}
	if !compared || scale == 1 {
		return "", false
	}
	var b strings.Builder
	start, by := 0, scale
	offset := int64(0) // of the compared expressions, relative to the first, where strict comparisons become others
	shift := func(next token) {
		if offset == 0 {
			return
		}
		b.WriteString(strconv.FormatInt(offset, 10))
		if next.text != "-" {
			b.WriteString(" + ")
		}
	}
	term := func(end int) { // toks[start:end] is a term, without its divisor
		if end == start {
			return
		}
		stop := toks[end].at
		if by != scale || end > 1 && toks[end-2].text == "/" {
			stop = toks[end-2].at
		}
		b.WriteString(strconv.FormatInt(by, 10) + "*(" + strings.TrimSpace(text[toks[start].at:stop]) + ")")
	}
	for i, t := range toks[:last] {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth > 0:
		case t.text == "/":
			d, _ := strconv.ParseInt(toks[i+1].text, 10, 32)
			by = scale / d
		case t.text == "+" || t.text == "-":
			term(i)
			b.WriteString(" " + t.text + " ")
			start, by = i+1, scale
		case t.text == "," || isComparison(t.text):
			term(i)
			switch t.text {
			case "<":
				offset -= scale
				b.WriteString(" <= ")
			case ">":
				offset += scale
				b.WriteString(" >= ")
			default:
				b.WriteString(" " + t.text + " ")
			}
			shift(toks[i+1])
			start, by = i+1, scale
		}
	}
	term(last)
	b.WriteString(" ")
	return b.String(), true
}

func isComparison(symbol string) bool {
	return slices.Contains([]string{"<", "<=", ">", ">=", "=", "==", "!="}, symbol)
}

// endsTerm reports that t follows a whole term of a sum.
func endsTerm(t token) bool {
	return t.kind == tokEnd || t.kind == tokName && setWords[t.text] && t.text != "mod" ||
		slices.Contains([]string{"+", "-", ",", ")", "}", ";"}, t.text) || isComparison(t.text)
}

// insideFloor reports that the token at i stands in parentheses after floor or ceil, where quotients are rounded.
func insideFloor(toks []token, i int) bool {
	depth := 0
	for i--; i > 0; i-- {
		switch toks[i].text {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				return toks[i-1].text == "floor" || toks[i-1].text == "ceil"
			}
		}
	}
	return false
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
