package strung

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// written is the text of the pieces in their places.
func (s *stringScanner) written() string {
	w := &kernelText{ended: true, python: s.python}
	at := 0
	for i, p := range s.pieces {
		w.ended = w.ended || i == 0 || s.pieces[i-1].group != p.group
		w.directive = strings.HasPrefix(strings.TrimSpace(s.text[p.from:p.to]), "#")
		w.between(s.text[at:p.from])
		switch at = p.to; {
		case p.hole != "":
			w.put(s.text[p.from:p.to], p.hole)
		case p.raw:
			text := s.text[p.from:p.to]
			if p.argument {
				text = lineEnd.ReplaceAllStringFunc(text, func(m string) string { return strings.Replace(m, `\n`, "  ", 1) })
				text = strings.ReplaceAll(text, `\n`, " \n")
			}
			w.out = append(w.out, text...)
			w.ended = true
		default:
			w.literal(s.text[p.from:p.to], s.ends(p.to))
		}
	}
	w.ended, w.directive = true, true
	w.between(s.text[at:] + "\n") // the last line is whole
	return string(w.out[:len(w.out)-1])
}

// lineEnd is \n that a text of a macro has at the beginning or the end of a line.
var lineEnd = regexp.MustCompile(`(?m)^[ \t]*\\n|\\n[ \t]*$`)

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
	python    bool
}

// between writes blanks for a text of the program. Its lines are lines of the kernel's text where that has ended one, else they are joined. Conditions of the
// program's preprocessor are conditions here, as they may choose among literals.
func (w *kernelText) between(text string) {
	first, lines := len(w.out) == 0, strings.Split(text, "\n")
	bare := strings.Split(Uncommented(text), "\n")
	condition := func(i int) bool {
		return (0 < i || first) && i < len(lines)-1 && !w.python && hostCondition.MatchString(bare[i])
	}
	for i, line := range lines {
		switch {
		case i == 0:
		case condition(i) || condition(i-1):
			w.newline()
		case !w.ended:
			w.out = append(w.out, "\\\n"...)
		case w.ahead > 0 && !w.directive && !w.lineMatters():
			w.ahead--
			w.out = append(w.out, ' ')
		default:
			w.newline()
		}
		if condition(i) {
			w.out = append(w.out, strings.TrimRight(bare[i], " \r")...)
			continue
		}
		w.out = append(w.out, strings.Repeat(" ", utf8.RuneCountInString(line))...)
	}
}

// hostCondition is a condition of the preprocessor.
var hostCondition = regexp.MustCompile(`^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[^\\]*$`)

// Uncommented is a text with blanks for its comments.
func Uncommented(text string) string {
	var b strings.Builder
	for text != "" {
		n := blank(text)
		for _, c := range text[:n] {
			if c != '\n' {
				c = ' '
			}
			b.WriteRune(c)
		}
		if text = text[n:]; text != "" {
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String()
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
