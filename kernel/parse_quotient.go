package kernel

import (
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/intmath"
	"gpuperf/kernel/expr"
)

// scaleQuotients rewrites comparisons with quotients by constants, which isl reads as rational numbers, into ones between
// integers: "0 <= i < n/16" becomes "16*(0) <= 16*(i) <= -16 + 1*(n)". A strict comparison is one with a difference of at
// least 1, as isl reads it also between rational numbers, so that this i stays below floor(n/16). It understands quotients
// that are terms of the compared sums, and leaves the text of all other ones alone, for the parser of sets to report. at
// is the offset of the first quotient rewritten, -1 for none.
func scaleQuotients(text string) (out string, at int) {
	toks, err := expr.Lex(text)
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
		if toks[i].Text != "/" {
			continue
		}
		from, to := comparisonAround(toks, i)
		if scaled, ok := scaleComparison(text, toks[from:to+1]); ok {
			if at < 0 {
				at = toks[i].At
			}
			edits = append(edits, edit{toks[from].At, toks[to].At, scaled})
			i = to
		}
	}
	for _, e := range slices.Backward(edits) {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text, at
}

// comparisonAround is the range of tokens around i that belongs to one chain of comparisons; to is the token after it.
func comparisonAround(toks []expr.Token, i int) (from, to int) {
	ends := func(t expr.Token) bool {
		return t.Kind == expr.TokEnd || t.Text == "and" || t.Text == "or" || t.Text == "not" || t.Text == "implies" ||
			t.Text == ":" || t.Text == ";" || t.Text == "{" || t.Text == "}"
	}
	depth := 0
	for from = i; from > 0; from-- {
		t := toks[from-1]
		if t.Text == ")" {
			depth++
		} else if t.Text == "(" {
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
		if t.Text == "(" {
			depth++
		} else if t.Text == ")" {
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
func scaleComparison(text string, toks []expr.Token) (scaled string, ok bool) {
	last := len(toks) - 1
	scale, compared := int64(1), false
	depth := 0
	for i, t := range toks[:last] {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && isComparison(t.Text):
			compared = true
		case t.Text == "/":
			d, err := strconv.ParseInt(toks[i+1].Text, 10, 32)
			if depth > 0 && insideFloor(toks, i) {
				continue
			}
			if depth > 0 || err != nil || d <= 0 || !endsTerm(toks[i+2]) {
				return "", false
			}
			if scale *= d / intmath.GCD(scale, d); scale > 1<<31 {
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
	shift := func(next expr.Token) {
		if offset == 0 {
			return
		}
		b.WriteString(strconv.FormatInt(offset, 10))
		if next.Text != "-" {
			b.WriteString(" + ")
		}
	}
	term := func(end int) { // toks[start:end] is a term, without its divisor
		if end == start {
			return
		}
		stop := toks[end].At
		if by != scale || end > 1 && toks[end-2].Text == "/" {
			stop = toks[end-2].At
		}
		b.WriteString(strconv.FormatInt(by, 10) + "*(" + strings.TrimSpace(text[toks[start].At:stop]) + ")")
	}
	for i, t := range toks[:last] {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth > 0:
		case t.Text == "/":
			d, _ := strconv.ParseInt(toks[i+1].Text, 10, 32)
			by = scale / d
		case t.Text == "+" || t.Text == "-":
			term(i)
			b.WriteString(" " + t.Text + " ")
			start, by = i+1, scale
		case t.Text == "," || isComparison(t.Text):
			term(i)
			switch t.Text {
			case "<":
				offset -= scale
				b.WriteString(" <= ")
			case ">":
				offset += scale
				b.WriteString(" >= ")
			default:
				b.WriteString(" " + t.Text + " ")
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
func endsTerm(t expr.Token) bool {
	return t.Kind == expr.TokEnd || t.Kind == expr.TokName && setWords[t.Text] && t.Text != "mod" ||
		slices.Contains([]string{"+", "-", ",", ")", "}", ";"}, t.Text) || isComparison(t.Text)
}

// insideFloor reports that the token at i stands in parentheses after floor or ceil, where quotients are rounded.
func insideFloor(toks []expr.Token, i int) bool {
	depth := 0
	for i--; i > 0; i-- {
		switch toks[i].Text {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				return toks[i-1].Text == "floor" || toks[i-1].Text == "ceil"
			}
		}
	}
	return false
}
