package models

import (
	"fmt"
	"strings"
	"unicode"
)

// fault is an error at a rune offset of an expression; the caller knows where the expression stands.
type fault struct {
	offset int
	msg    string
	hint   string
}

func (f *fault) Error() string { return f.msg }

func faultf(offset int, format string, args ...any) *fault {
	return &fault{offset: offset, msg: fmt.Sprintf(format, args...)}
}

// plain replaces the feature identifiers of an expression by words that expr-lang's lexer takes for one identifier, rune by rune,
// so that every offset stays what it was. It returns the identifiers by the offset where they start.
//
// A feature identifier (Perflex paper, section 6.1) is f_ and the longest run after it of letters, digits and _, of a colon and a
// word, of a colon and a brace with everything to the brace that closes it, and of a colon and a comparison (>1, <n).
func plain(text string) (string, map[int]string, *fault) {
	in := []rune(text)
	out := make([]rune, len(in))
	copy(out, in)
	names := make(map[int]string)
	for i := 0; i < len(in); {
		switch {
		case isDigit(in[i]):
			for i < len(in) && (isWord(in[i]) || in[i] == '.') {
				i++
			}
		case isWord(in[i]):
			end, err := endOfName(in, i)
			if err != nil {
				return "", nil, err
			}
			if in[i] == 'f' && i+1 < len(in) && in[i+1] == '_' {
				names[i] = squeeze(string(in[i:end]))
			}
			for j := i; j < end; j++ {
				if !isWord(in[j]) {
					out[j] = '_'
				}
			}
			i = end
		default:
			if err := foreign(in, i); err != nil {
				return "", nil, err
			}
			i++
		}
	}
	return string(out), names, nil
}

// foreign refuses what means something in expr-lang, or in the languages around, and nothing here.
func foreign(in []rune, i int) *fault {
	two := string(in[i:min(i+2, len(in))])
	switch {
	case two == "//" || two == "/*":
		return &fault{i, "an expression has no comments and no integer division", "comments in the file start with #"}
	case in[i] == '^':
		return &fault{i, "unknown operator ^", "powers are written a ** b"}
	case strings.ContainsRune("#;?@$|&!\"'`[]{}:\\%<>=", in[i]):
		return faultf(i, "unexpected %q", in[i])
	case in[i] > unicode.MaxASCII:
		return faultf(i, "unexpected %q", in[i])
	}
	return nil
}

func endOfName(in []rune, start int) (int, *fault) {
	i := start
	skipWord := func() {
		for i < len(in) && isWord(in[i]) {
			i++
		}
	}
	skipWord()
	if !strings.HasPrefix(string(in[start:i]), "f_") {
		return i, nil
	}
	for i < len(in) && in[i] == ':' {
		colon := i
		i++
		switch {
		case i < len(in) && in[i] == '{':
			end := closing(in, i)
			if end < 0 {
				return 0, &fault{i, "this { of a feature is never closed", "strides are written {axis:constraint;axis:constraint}"}
			}
			i = end
			skipWord()
		case i < len(in) && strings.ContainsRune("<>=", in[i]):
			for i < len(in) && strings.ContainsRune("<>=", in[i]) {
				i++
			}
			value := i
			for i < len(in) && (isWord(in[i]) || in[i] == '.') {
				i++
			}
			if i == value {
				return 0, faultf(value, "the comparison of a feature lacks its value")
			}
		case i < len(in) && isWord(in[i]):
			skipWord()
		default:
			return 0, &fault{colon, "a colon in a feature needs a word, a { or a comparison after it", "for example f_mem_access_tag:aLD"}
		}
	}
	return i, nil
}

// closing returns the offset after the brace that closes the one at i, -1 where there is none.
func closing(in []rune, i int) int {
	depth := 0
	for ; i < len(in); i++ {
		switch in[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// FeatureName returns the feature identifier that text is, without white space; ok tells whether the whole text is one.
func FeatureName(text string) (name string, ok bool) {
	in := []rune(strings.TrimSpace(text))
	if len(in) < 3 || in[0] != 'f' || in[1] != '_' {
		return "", false
	}
	end, err := endOfName(in, 0)
	return squeeze(string(in)), err == nil && end == len(in)
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isWord(r rune) bool {
	return r == '_' || isDigit(r) || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
