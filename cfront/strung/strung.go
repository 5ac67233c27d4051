// Package strung finds the texts of kernels that programs have as strings.
package strung

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// HolePrefix begins the names of what programs put between literals.
const HolePrefix = "TEXT_"

// aKernel finds the declaration of a kernel function.
var (
	aKernel  = regexp.MustCompile(`\b(__kernel|kernel\s+(void|__attribute__)|__global__)\b`)
	isKernel = regexp.MustCompile(`^(__kernel|kernel\s+(void|__attribute__)|__global__)\b`)
)

// Declares reports that a text has the words that declare a kernel function, wherever they stand.
func Declares(text string) bool { return aKernel.MatchString(text) }

// Kernels is the text of the kernels that a program has as strings, each character where it stood, with blanks for the rest. Those are its literals, and
// what is given to a macro that makes a string of it. What the program puts between literals is the name TEXT_N, of its line N, or the name that stands there. ok
// is false for a text without such kernels.
func Kernels(text string, python bool, wanted string) (out string, ok bool) {
	if !strings.Contains(text, "kernel") && !strings.Contains(text, "__global__") {
		return text, false
	}
	var macros []string
	for {
		s := &stringScanner{text: text, python: python, line: lineAt{0, 1}, macros: macros}
		again, ok := s.scan()
		if again && len(macros) < maxStringMacros {
			macros = s.macros
			continue
		}
		if s.choose(wanted); !ok || len(s.pieces) == 0 {
			return text, false
		}
		return s.written(), true
	}
}

// maxStringMacros is how many macros may make strings of texts.
const maxStringMacros = 8

// stringScanner cuts a program into literals and what stands between them.
type stringScanner struct {
	text   string
	python bool
	at     int
	open   []int // brackets
	pieces []piece
	braces int      // that are open in the last text
	macros []string // that make strings
	line   lineAt   // of the last hole
}

// lineAt is a place in a program.
type lineAt struct{ at, line int }

// piece is a part of a text of a kernel.
type piece struct {
	from, to int
	raw      bool // backslashes are characters
	argument bool // of a macro, which makes a line of it
	group    int  // pieces of one text
	hole     string
}

// scan finds the pieces. It is not ok where a kernel stands in the program itself; again is to begin anew, as a macro is known now.
func (s *stringScanner) scan() (again, ok bool) {
	group, last, ends := 0, -1, 0 // where the last piece ends, and the last directive
	add := func(p piece, from, to int) {
		if last < ends && ends <= from || last < 0 || !s.continues(last, from) {
			group++
			s.braces = 0
		} else if hole := s.hole(last, from); hole != "" {
			s.pieces = append(s.pieces, piece{from: last, to: from, group: group, hole: hole})
		}
		p.group = group
		s.pieces = append(s.pieces, p)
		s.braces += strings.Count(s.text[p.from:p.to], "{") - strings.Count(s.text[p.from:p.to], "}")
		s.at, last = to, to
	}
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		if n := s.comment(rest); n > 0 {
			s.at += n
			continue
		}
		if m := hostDirective.FindString(rest); m != "" && !s.python {
			s.at, last, ends = s.at+len(m), -1, s.at+len(logicalLine.FindString(rest))
			continue
		}
		if p, n := s.literal(rest); n > 0 {
			add(p, s.at, s.at+n)
			continue
		}
		switch c := rest[0]; {
		case c == '(' || c == '{' || c == '[':
			s.open = append(s.open, s.at)
		case (c == ')' || c == '}' || c == ']') && len(s.open) > 0:
			s.open = s.open[:len(s.open)-1]
		case s.python || !wordAt(s.text, s.at):
		case isKernel.MatchString(rest):
			name := s.macro()
			if name != "" {
				s.macros = append(s.macros, name)
			}
			return name != "", false
		default:
			if p, to := s.given(rest); to > 0 {
				add(p, s.at, to)
				continue
			}
		}
		s.at++
	}
	return false, true
}

// given is what a macro gets that makes a string of it, where its name stands, and where its brackets end; 0 for others.
func (s *stringScanner) given(rest string) (p piece, to int) {
	for _, name := range s.macros {
		after, is := strings.CutPrefix(rest, name)
		if !is || after == "" || wordByte(after[0]) {
			continue
		}
		trimmed := strings.TrimLeft(after, " \t\r\n")
		if !strings.HasPrefix(trimmed, "(") {
			continue
		}
		from, depth := len(s.text)-len(trimmed)+1, 0
		for i := from; i < len(s.text); i++ {
			if n := blank(s.text[i:]); n > 0 {
				i += n - 1
				continue
			}
			switch s.text[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth < 0 {
					return piece{from: from, to: i, raw: true, argument: true}, i + 1
				}
			}
		}
	}
	return p, 0
}

// wordAt reports that a word begins there.
func wordAt(text string, at int) bool {
	return wordByte(text[at]) && (at == 0 || !wordByte(text[at-1]))
}

// comment is the length of a comment, or of a character that is no bracket.
func (s *stringScanner) comment(rest string) int {
	if s.python {
		if rest[0] == '#' {
			return len(rest) - len(strings.TrimLeft(rest, "#")) + max(0, strings.IndexByte(strings.TrimLeft(rest, "#"), '\n'))
		}
		return 0
	}
	if n := blank(rest); n > 0 {
		return n
	}
	if rest[0] == '\'' && (s.at == 0 || !wordByte(s.text[s.at-1])) {
		if m := character.FindString(rest); m != "" {
			return len(m)
		}
	}
	return 0
}

func wordByte(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// hostDirective is a directive of the program that holds no text of a kernel, or its word.
var hostDirective = regexp.MustCompile(`^#[ \t]*(include[^\n]*|define[ \t]+\w+(\([^)\n]*\))?|(undef|pragma|error)\b)`)

var logicalLine = regexp.MustCompile(`^([^\n]*\\\n)*[^\n]*`)

var (
	character  = regexp.MustCompile(`^'([^'\\\n]|\\[^\n]+?)'`)
	cString    = regexp.MustCompile(`(?s)^"((?:[^"\\\n]|\\.|\\\r\n)*)"`)
	openString = regexp.MustCompile(`^"[ \t]*\r?\n`)
	pyString   = regexp.MustCompile(`(?s)^(?:[rRbBuUfF]{0,2})("""|''')`)
	pyShort    = regexp.MustCompile(`^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
)

// literal is the literal that a text begins with, and its length.
func (s *stringScanner) literal(rest string) (p piece, n int) {
	switch {
	case s.python:
		if m := pyString.FindStringSubmatch(rest); m != nil && wordAtOrQuote(s.text, s.at) {
			end := strings.Index(rest[len(m[0]):], m[1])
			if end < 0 {
				return s.nothing(), len(rest)
			}
			from := s.at + len(m[0])
			return piece{from: from, to: from + end, raw: strings.ContainsAny(m[0], "rR")}, len(m[0]) + end + 3
		}
		if m := pyShort.FindString(rest); m != "" {
			return piece{from: s.at + 1, to: s.at + len(m) - 1}, len(m)
		}
		return p, 0
	case strings.HasPrefix(rest, `R"`):
		m := rawString.FindStringSubmatch(rest)
		if m == nil {
			return p, 0
		}
		end := strings.Index(rest[len(m[0]):], ")"+m[1]+`"`)
		if end < 0 {
			return s.nothing(), len(rest)
		}
		from := s.at + len(m[0])
		return piece{from: from, to: from + end, raw: true}, len(m[0]) + end + len(m[1]) + 2
	}
	if m := openString.FindString(rest); m != "" { // which tools take that make strings of files
		if end := strings.IndexByte(rest[1:], '"'); end >= 0 {
			return piece{from: s.at + 1, to: s.at + 1 + end, raw: true}, end + 2
		}
		return s.nothing(), len(rest)
	}
	if m := cString.FindString(rest); m != "" {
		return piece{from: s.at + 1, to: s.at + len(m) - 1}, len(m)
	}
	return p, 0
}

// nothing is a piece of a literal that does not end.
func (s *stringScanner) nothing() piece { return piece{from: len(s.text), to: len(s.text)} }

// wordAtOrQuote reports that a string with or without a prefix begins there.
func wordAtOrQuote(text string, at int) bool {
	return text[at] == '"' || text[at] == '\'' || wordAt(text, at)
}

// macro is the name before the innermost open bracket; "" where it makes no string, or is none.
func (s *stringScanner) macro() string {
	if len(s.open) == 0 || s.text[s.open[len(s.open)-1]] != '(' {
		return ""
	}
	name := lastWord.FindString(strings.TrimRight(s.text[:s.open[len(s.open)-1]], " \t\r\n"))
	if m := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+` + name + `\([^)]*\)((?:[^\n]*\\\n)*[^\n]*)`).FindStringSubmatch(s.text); m != nil && !strings.Contains(m[1], "#") {
		return "" // it is a macro of the text that makes something else
	}
	return name
}

var lastWord = regexp.MustCompile(`\w+$`)

// continues reports that a literal belongs to the text of the one before it: nothing ends the expression between them, or braces of the text are open.
func (s *stringScanner) continues(last, at int) bool {
	between := plain(s.text[last:at])
	if !strings.ContainsAny(between, ";,") && !(s.python && strings.Contains(between, "\n")) {
		return true
	}
	list := len(s.open) > 0 && s.text[s.open[len(s.open)-1]] == '{'
	if strings.TrimSpace(between) == "," && list {
		return true
	}
	return s.braces > 0
}

// plain is a text of a program without comments.
func plain(text string) string {
	var b strings.Builder
	for text != "" {
		if n := blank(text); n > 0 {
			b.WriteString(strings.Repeat("\n", strings.Count(text[:n], "\n")) + " ")
			text = text[n:]
			continue
		}
		b.WriteByte(text[0])
		text = text[1:]
	}
	return b.String()
}

var oneName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// hole names what a program puts between two literals; "" where it is nothing.
func (s *stringScanner) hole(last, at int) string {
	lines := strings.Split(plain(s.text[last:at]), "\n")
	lines = slices.DeleteFunc(lines, hostCondition.MatchString)
	between := strings.TrimSpace(strings.Join(lines, "\n"))
	if decides.MatchString(between) { // whether what follows belongs to the text
		return s.textAt(last)
	}
	if strings.ContainsAny(between, ";,") {
		return ""
	}
	between = strings.TrimSpace(strings.NewReplacer("<<", " ", "+", " ", `\`, " ").Replace(between))
	switch {
	case between == "":
		return ""
	case oneName.MatchString(between):
		return between
	}
	return s.textAt(last)
}

// textAt names what a program puts in at a place.
func (s *stringScanner) textAt(at int) string {
	s.line = lineAt{at, s.line.line + strings.Count(s.text[s.line.at:at], "\n")}
	return fmt.Sprint(HolePrefix, s.line.line)
}

// decides finds words of a program that may leave out what follows, or have it several times.
var decides = regexp.MustCompile(`\b(if|else|for|while|do|switch|case|default|goto|return|elif|break|continue)\b|\?`)

// choose keeps the texts with kernels, and those with other functions, types and macros of a language of kernels, which they may need. Of texts that define one
// function those remain that define the wanted one, or else the first.
func (s *stringScanner) choose(wanted string) {
	texts, order := map[int]string{}, []int{}
	for _, p := range s.pieces {
		if _, known := texts[p.group]; !known {
			order = append(order, p.group)
		}
		texts[p.group] += lineEnds.Replace(s.text[p.from:p.to])
	}
	defines := map[int][]string{}
	for g, text := range texts {
		for _, m := range definition.FindAllStringSubmatch(text, -1) {
			defines[g] = append(defines[g], m[1])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(bit(!slices.Contains(defines[a], wanted)), bit(!slices.Contains(defines[b], wanted)))
	})
	kernels, keep, taken := false, map[int]bool{}, map[string]bool{}
	for _, g := range order {
		is := aKernel.MatchString(texts[g])
		first := slices.Contains(defines[g], wanted) || !slices.ContainsFunc(defines[g], func(name string) bool { return taken[name] })
		keep[g] = (is || declares.MatchString(texts[g])) && first
		for _, name := range defines[g] {
			taken[name] = taken[name] || keep[g]
		}
		kernels = kernels || is && strings.Contains(texts[g], "{")
	}
	if s.pieces = slices.DeleteFunc(s.pieces, func(p piece) bool { return !keep[p.group] }); !kernels {
		s.pieces = nil
	}
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// definition finds the name of a function before its parameters and its body.
var definition = regexp.MustCompile(`\b(\w+)\s*\([^;{}()]*\)\s*\{`)

var lineEnds = strings.NewReplacer(`\n`, "\n", `\t`, " ", "\\\n", " ")

// declares finds what begins a text with declarations.
var declares = regexp.MustCompile(`^\s*(#\s*(define|pragma|if|ifdef|ifndef)\b|(static|inline|typedef|struct|float|int|void|constant|__constant)\s[^"]*[;}]\s*$)`)
