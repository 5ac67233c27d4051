package terminal

import (
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Live is a stream of whole lines. On a terminal it wraps those that are too long, and can have a last line that changes, which what is
// written appears above.
type Live struct {
	mu   sync.Mutex
	w    io.Writer
	last string // the line on the screen; "" is none
}

// NewLive makes one of a stream.
func NewLive(w io.Writer) *Live { return &Live{w: w} }

// Fd is that of the stream.
func (l *Live) Fd() uintptr { return Fd(l.w) }

// Unwrap is the stream.
func (l *Live) Unwrap() io.Writer { return l.w }

// Write prints lines, above the last one.
func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.put(wrap(string(p), Width(l.w)), l.last); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Show replaces the last line, cut to the width of the terminal; "" takes it away. It is for streams that are Redrawable.
func (l *Live) Show(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put("", cut(line, Width(l.w)-1))
}

// put erases the last line, and prints text and a new last line in one piece. The cursor stays below, where other output may follow.
func (l *Live) put(text, last string) error {
	const upAndErase = "\x1b[A\r\x1b[J"
	if l.last != "" {
		text = upAndErase + text
	}
	if l.last = last; last != "" {
		text += last + "\n"
	}
	_, err := io.WriteString(l.w, text)
	return err
}

// cut shortens a line to a width.
func cut(line string, width int) string {
	if runes := []rune(line); len(runes) > width && width > 0 {
		return string(runes[:width-1]) + "…"
	}
	return line
}

// wrap breaks lines that are longer than a width between words; 0 is no limit. Carets and the lines above them stay, so
// that they point at what they mean.
func wrap(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if width > 0 && columns(line) > width && !slices.ContainsFunc(lines[i:min(i+2, len(lines))], carets) {
			lines[i] = breakLine(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// breakLine breaks one line. What is continued is indented: below the text of a list or that follows a label with two spaces or more, else by four more.
func breakLine(line string, width int) string {
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	hang := len(indent) + 4
	label, after, labelled := strings.Cut(text, "  ")
	below := columns(line) - columns(strings.TrimLeft(after, " "))
	switch {
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "→ "):
		hang = len(indent) + 2
	case labelled && below <= width/2 && columns(label) > 0:
		hang = below
	}
	var b strings.Builder
	b.WriteString(indent)
	at := len(indent)
	for i, word := range words(text) {
		switch n := columns(word); {
		case i == 0:
			at += n
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", hang))
			at = hang + n
		default:
			b.WriteByte(' ')
			at += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

// words are those of a text between single spaces. A number and its unit stay together.
func words(text string) (all []string) {
	const longest = 3 // letters of a unit
	for _, word := range strings.Split(text, " ") {
		last := len(all) - 1
		if last >= 0 && all[last] != "" && word != "" && unicode.IsDigit(rune(all[last][len(all[last])-1])) &&
			(word[0] == '%' || columns(strings.TrimRight(word, ".,:;)")) <= longest && unicode.IsLetter([]rune(word)[0])) {
			all[last] += " " + word
			continue
		}
		all = append(all, word)
	}
	return all
}

// carets reports whether a line has nothing else.
func carets(line string) bool {
	return strings.Contains(line, "^") && strings.Trim(plain(line), " \t^") == ""
}

// columns is the width of a text on a terminal.
func columns(text string) int { return utf8.RuneCountInString(plain(text)) }

// plain is a text without the sequences of styles.
func plain(text string) string {
	for {
		before, styled, found := strings.Cut(text, "\x1b[")
		if !found {
			return text
		}
		_, after, _ := strings.Cut(styled, "m")
		text = before + after
	}
}
