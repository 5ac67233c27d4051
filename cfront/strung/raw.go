package strung

import (
	"regexp"
	"strings"
)

// rawString is where a raw string of C++ begins: R"end( up to )end".
var rawString = regexp.MustCompile(`^R"([^ ()\\\t\n"]{0,16})\(`)

// Raw is the text of kernels that programs include as strings, R"( … )": what the strings hold, each character where it stood. A text that has
// anything but such strings and comments is as it is.
func Raw(text string) string {
	var out strings.Builder
	for rest := text; ; {
		n := blank(rest)
		out.WriteString(rest[:n])
		if rest = rest[n:]; rest == "" {
			return out.String()
		}
		m := rawString.FindStringSubmatch(rest)
		if m == nil {
			return text
		}
		end := ")" + m[1] + `"`
		inside, after, ok := strings.Cut(rest[len(m[0]):], end)
		if !ok {
			return text
		}
		out.WriteString(strings.Repeat(" ", len(m[0])) + inside + strings.Repeat(" ", len(end)))
		rest = after
	}
}

// WithoutRaw is the text of a program with short strings in place of raw ones, and the lines of these.
func WithoutRaw(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == 'R' && (i == 0 || !wordByte(text[i-1])) {
			m := rawString.FindStringSubmatch(text[i:min(len(text), i+64)])
			if m != nil {
				if inside, _, ok := strings.Cut(text[i+len(m[0]):], ")"+m[1]+`"`); ok {
					out.WriteString(`""` + strings.Repeat("\n", strings.Count(inside, "\n")))
					i += len(m[0]) + len(inside) + len(m[1]) + 1
					continue
				}
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// blank is the length of the white space and comments that a text begins with.
func blank(text string) int {
	n := 0
	for {
		rest := strings.TrimLeft(text[n:], " \t\r\v\f\n")
		n = len(text) - len(rest)
		end := ""
		switch {
		case strings.HasPrefix(rest, "//"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return n
		}
		i := strings.Index(rest[2:], end)
		if i < 0 {
			return len(text)
		}
		n += 2 + i + len(end)
	}
}
