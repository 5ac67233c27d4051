package cfront

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Programs are the ends of the names of programs that may hold kernels as strings, or whose functions are kernels.
var Programs = []string{".cc", ".cpp", ".cxx", ".py"}

// ErrNoKernels is the error of a program without kernels.
var ErrNoKernels = errors.New("it has no kernels: neither functions of CUDA C nor strings with kernel functions")

// aKernel finds the declaration of a kernel function.
var (
	aKernel  = regexp.MustCompile(`\b(__kernel|kernel\s+(void|__attribute__)|__global__)\b`)
	isKernel = regexp.MustCompile(`^(__kernel|kernel\s+(void|__attribute__)|__global__)\b`)
)

// kernelsOf is the text of the kernels of a file: that of its strings for a program that has them as such, which strung tells.
func kernelsOf(path, text string, opt Options) (out string, strung bool, err error) {
	ext := filepath.Ext(path)
	program := slices.Contains(Programs, ext)
	if !program && !opt.Strings && (!slices.Contains(Headers, ext) || embedded(text) != text) {
		return text, false, nil
	}
	out, strung = stringKernels(text, ext == ".py")
	if !strung && (opt.Strings || program && (ext == ".py" || !strings.Contains(text, "__global__"))) {
		return "", false, fmt.Errorf("%s: %w", path, ErrNoKernels)
	}
	return out, strung, nil
}

// stringKernels is the text of the kernels that a program has as strings, each character where it stood, with blanks for the rest. Those are its literals, and
// what is given to a macro that makes a string of it. What the program puts between literals is the name TEXT_N, of its line N, or the name that stands there. ok
// is false for a text without such kernels.
func stringKernels(text string, python bool) (out string, ok bool) {
	s := &stringScanner{text: text, python: python, line: lineAt{0, 1}}
	if !strings.Contains(text, "kernel") && !strings.Contains(text, "__global__") || !s.scan() {
		return text, false
	}
	return s.written(), true
}

// stringScanner cuts a program into literals and what stands between them.
type stringScanner struct {
	text   string
	python bool
	at     int
	open   []int // brackets
	pieces []piece
	braces int    // that are open in the last text
	line   lineAt // of the last hole
}

// lineAt is a place in a program.
type lineAt struct{ at, line int }

// piece is a part of a text of a kernel.
type piece struct {
	from, to int
	raw      bool // backslashes are characters
	group    int  // pieces of one text
	hole     string
}

// scan finds the pieces that hold kernels; false where there are none, or a kernel stands in the program itself.
func (s *stringScanner) scan() bool {
	group, last := 0, -1 // where the last piece ends
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		if n := s.comment(rest); n > 0 {
			s.at += n
			continue
		}
		if m := hostDirective.FindString(rest); m != "" && !s.python {
			s.at, last = s.at+len(m), -1
			continue
		}
		if p, n := s.literal(rest); n > 0 {
			if last < 0 || !s.continues(last, s.at) {
				group++
				s.braces = 0
			} else if hole := s.hole(last, s.at); hole != "" {
				s.pieces = append(s.pieces, piece{from: last, to: s.at, group: group, hole: hole})
			}
			p.group = group
			s.pieces = append(s.pieces, p)
			s.braces += strings.Count(s.text[p.from:p.to], "{") - strings.Count(s.text[p.from:p.to], "}")
			s.at += n
			last = s.at
			continue
		}
		switch c := rest[0]; {
		case c == '(' || c == '{' || c == '[':
			s.open = append(s.open, s.at)
		case (c == ')' || c == '}' || c == ']') && len(s.open) > 0:
			s.open = s.open[:len(s.open)-1]
		case wordAt(s.text, s.at):
			if !s.python && isKernel.MatchString(rest) {
				p := s.argument()
				if p == nil {
					return false
				}
				group++
				p.group = group
				s.pieces = append(s.pieces, *p)
				s.at, last = p.to, -1
				continue
			}
		}
		s.at++
	}
	s.choose()
	return len(s.pieces) > 0
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
var hostDirective = regexp.MustCompile(`^#[ \t]*(include[^\n]*|(define|undef|pragma|error)\b)`)

var (
	character = regexp.MustCompile(`^'([^'\\\n]|\\[^\n]+?)'`)
	cString   = regexp.MustCompile(`(?s)^"((?:[^"\\\n]|\\.|\\\r\n)*)"`)
	pyString  = regexp.MustCompile(`(?s)^(?:[rRbBuUfF]{0,2})("""|''')`)
	pyShort   = regexp.MustCompile(`^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
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

// argument is what a macro gets that a kernel stands in; nil where none does.
func (s *stringScanner) argument() *piece {
	if len(s.open) == 0 || s.text[s.open[len(s.open)-1]] != '(' {
		return nil
	}
	from, depth := s.open[len(s.open)-1]+1, 0
	if before := strings.TrimRight(s.text[:from-1], " \t\r\n"); before == "" || !wordByte(before[len(before)-1]) {
		return nil
	}
	s.open = s.open[:len(s.open)-1]
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
				return &piece{from: from, to: i, raw: true}
			}
		}
	}
	return nil
}

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
	between := strings.TrimSpace(plain(s.text[last:at]))
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
	s.line = lineAt{last, s.line.line + strings.Count(s.text[s.line.at:last], "\n")}
	return fmt.Sprint(holePrefix, s.line.line)
}

// holePrefix begins the names of what programs put in.
const holePrefix = "TEXT_"

// choose keeps the texts with kernels, and those with other functions, types and macros of a language of kernels, which they may need.
func (s *stringScanner) choose() {
	texts := map[int]string{}
	for _, p := range s.pieces {
		texts[p.group] += lineEnds.Replace(s.text[p.from:p.to])
	}
	kernels := false
	s.pieces = slices.DeleteFunc(s.pieces, func(p piece) bool {
		is := aKernel.MatchString(texts[p.group])
		kernels = kernels || is && strings.Contains(texts[p.group], "{")
		return !is && !declares.MatchString(texts[p.group])
	})
	if !kernels {
		s.pieces = nil
	}
}

var lineEnds = strings.NewReplacer(`\n`, "\n", `\t`, " ", "\\\n", " ")

// declares finds what begins a text with declarations.
var declares = regexp.MustCompile(`^\s*(#\s*(define|pragma|if|ifdef|ifndef)\b|(static|inline|typedef|struct|float|int|void|constant|__constant)\s[^"]*[;}]\s*$)`)

// written is the text of the pieces in their places.
func (s *stringScanner) written() string {
	w := &kernelText{ended: true}
	at := 0
	for i, p := range s.pieces {
		w.ended = w.ended || i == 0 || s.pieces[i-1].group != p.group
		w.directive = strings.HasPrefix(strings.TrimSpace(s.text[p.from:p.to]), "#")
		w.between(s.text[at:p.from])
		switch at = p.to; {
		case p.hole != "":
			w.put(s.text[p.from:p.to], p.hole)
		case p.raw:
			w.out = append(w.out, s.text[p.from:p.to]...)
			w.ended = true
		default:
			w.literal(s.text[p.from:p.to], s.ends(p.to))
		}
	}
	w.ended, w.directive = true, true
	w.between(s.text[at:])
	return string(w.out)
}

// ends reports that the line of the program ends behind a literal before another one comes.
func (s *stringScanner) ends(at int) bool {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	return strings.Count(line, `"`) < 2
}

// kernelText is a text of kernels on its way. Its lines are those of the program, but behind several that a line of the program holds, up to where the line does
// not matter.
type kernelText struct {
	out       []byte
	ended     bool // the text has ended a line
	directive bool // it goes on with a directive
	ahead     int  // lines that are ahead of the program
}

// between writes blanks for a text of the program. Its lines are lines of the kernel's text where that has ended one, else they are joined.
func (w *kernelText) between(text string) {
	for _, c := range text {
		switch {
		case c != '\n':
			w.out = append(w.out, ' ')
		case !w.ended:
			w.out = append(w.out, "\\\n"...)
		case w.ahead > 0 && !w.directive && !w.lineMatters():
			w.ahead--
			w.out = append(w.out, ' ')
		default:
			w.newline()
		}
	}
}

// put writes a name for a text of the program, in its place where it fits.
func (w *kernelText) put(text, name string) {
	w.out = append(w.out, " "+name+" "...)
	if line, _, _ := strings.Cut(text, "\n"); len(line) >= len(name)+2 {
		text = text[len(name)+2:]
	}
	w.between(text)
}

// lineMatters reports that the current line is a directive, or has a comment.
func (w *kernelText) lineMatters() bool {
	line := bytes.TrimSpace(w.out[1+bytes.LastIndexByte(w.out, '\n'):])
	return bytes.HasPrefix(line, []byte("#")) || bytes.Contains(line, []byte("//"))
}

// newline ends a line. A backslash that joins it to the next one stands at its end.
func (w *kernelText) newline() {
	if line := bytes.TrimRight(w.out, " "); bytes.HasSuffix(line, []byte(`\`)) {
		w.out = line
	}
	w.out = append(w.out, '\n')
}

// literal writes what a literal stands for. The end of a line is written where that of the program comes, if it comes next.
func (w *kernelText) literal(text string, last bool) {
	w.ended = false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			w.out = append(w.out, c)
			w.ended = c == '\n' || w.ended && c == ' '
			continue
		}
		i++
		switch text[i] {
		case 'n':
			rest := strings.TrimLeft(text[i+1:], " ")
			w.out = append(w.out, "  "...)
			if joined := strings.HasPrefix(rest, "\\\n") || strings.HasPrefix(rest, "\\\r\n"); !joined && (rest != "" || !last) {
				w.newline()
				w.ahead++
			}
			w.ended = true
		case '\n', '\r':
			if text[i] == '\r' {
				i++
			}
			if w.ended {
				w.newline()
			} else {
				w.out = append(w.out, "\\\n"...)
			}
			w.ended = false
		case 't', 'r', 'v', 'f':
			w.out = append(w.out, "  "...)
		default:
			w.out = append(w.out, ' ', text[i])
			w.ended = false
		}
	}
}
