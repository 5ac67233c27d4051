package native

import (
	"slices"
	"strings"
)

// heads marks the heads of for loops, whose arithmetic is free.
func (r *rewriter) heads() {
	list := r.in
	for i := 0; i < len(list); i++ {
		if list[i].text != "for" || i+1 >= len(list) || list[i+1].text != "(" {
			continue
		}
		end := closing(list, i+1)
		parts := cut(list[i+2:end], ";")
		if len(parts) != 3 {
			continue
		}
		var out []token
		out = append(out, initialisers(parts[0])...)
		out = append(out, token{sign, ";", ""})
		if len(parts[1]) > 0 {
			out = append(out, token{word, "(opened(), closed_test(bool(", " "})
			out = append(out, parts[1]...)
			out = append(out, token{word, ")))", ""})
		}
		out = append(out, token{sign, ";", ""})
		if len(parts[2]) > 0 {
			out = append(out, token{word, "opened(), (", " "})
			out = append(out, parts[2]...)
			out = append(out, token{word, "), closed()", ""})
		}
		list = slices.Concat(list[:i+2], balanced(out), list[end:])
	}
	r.in = list
}

// balanced takes tokens apart that have brackets, so that they can be counted.
func balanced(list []token) (out []token) {
	for _, t := range list {
		if t.kind != word || !strings.ContainsAny(t.text, "()") || strings.HasPrefix(t.text, "literal") {
			out = append(out, t)
			continue
		}
		inner := tokens(t.text)
		if len(inner) > 0 {
			inner[0].space = t.space + inner[0].space
		}
		out = append(out, inner...)
	}
	return out
}

// cut splits tokens at a sign that stands in no brackets.
func cut(list []token, at string) (out [][]token) {
	depth, start := 0, 0
	for i, t := range list {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case at:
			if depth == 0 {
				out, start = append(out, list[start:i]), i+1
			}
		}
	}
	return append(out, list[start:])
}

// initialisers makes the first values of the variables of a loop free.
func initialisers(list []token) (out []token) {
	for n, part := range cut(list, ",") {
		if n > 0 {
			out = append(out, token{sign, ",", ""})
		}
		i := slices.IndexFunc(part, func(t token) bool { return t.text == "=" })
		if i < 0 {
			out = append(out, part...)
			continue
		}
		out = append(out, part[:i+1]...)
		out = append(out, token{word, "(opened(), closed(", " "})
		out = append(out, part[i+1:]...)
		out = append(out, token{word, "))", ""})
	}
	return out
}

var assigns = words("= += -= *= /= %= <<= >>= &= |= ^= return case")

// selects writes each c ? a : b as a function of its arms, the innermost first.
func selects(list []token) []token {
	for {
		at := -1
		for i, t := range list {
			if t.kind == sign && t.text == "?" {
				at = i
			}
		}
		if at < 0 {
			return list
		}
		start := leftEnd(list, at)
		middle := rightEnd(list, at+1, true)
		end := rightEnd(list, middle+1, false)
		if middle >= len(list) || list[middle].text != ":" {
			return list
		}
		whole := "select(condition(" + text(selects(list[start:at])) + "), [&] { return arm(" + text(list[at+1:middle]) + "); }, [&] { return arm(" + text(list[middle+1:end]) + "); })"
		list = slices.Concat(list[:start], []token{{word, whole, list[start].space}}, list[end:])
	}
}

// leftEnd is where the condition before a ? begins.
func leftEnd(list []token, at int) int {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch t := list[i].text; {
		case t == ")" || t == "]" || t == "}":
			if depth == 0 && t == "}" {
				return i + 1
			}
			depth++
		case t == "(" || t == "[" || t == "{":
			if depth--; depth < 0 {
				return i + 1
			}
		case depth == 0 && (t == "," || strings.HasSuffix(t, ";") || t == "?" || t == ":" || assigns[t] || list[i].kind == directive || strings.HasSuffix(t, "|=")):
			return i + 1
		}
	}
	return 0
}

// rightEnd is where an arm ends that begins at i.
func rightEnd(list []token, i int, colon bool) int {
	depth := 0
	for ; i < len(list); i++ {
		switch t := list[i].text; {
		case t == "(" || t == "[" || t == "{":
			depth++
		case t == ")" || t == "]" || t == "}":
			if depth--; depth < 0 {
				return i
			}
		case depth == 0 && (t == ";" || t == "," && !colon || t == ":"):
			return i
		case depth == 0 && strings.Contains(list[i].space, "\n") && i > 0 && list[i].kind == directive:
			return i
		}
	}
	return i
}
