package yamlfile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"

	"gpuperf/internal/source"
)

// PosOf returns the place in the file of the rune at the offset in the text of a scalar.
//
// Plain, quoted, literal and folded scalars all keep the order of the characters that are not white space, so the place is found
// by counting those. Where they do not agree (an escape in double quotes) the place is that of the whole scalar.
func (n *Node) PosOf(offset int) source.Pos {
	if n.Kind != Scalar {
		return n.Pos
	}
	at := n.start()
	text := n.doc.text
	seen := 0
	for _, r := range n.Text {
		if !unicode.IsSpace(r) {
			at += spaceAt(text[at:])
			if seen >= offset {
				break
			}
			c, size := utf8.DecodeRuneInString(text[at:])
			if c != r {
				return n.Pos
			}
			at += size
		} else if seen >= offset {
			break
		}
		seen++
	}
	return source.PosAt(text, at)
}

// start is the byte offset of the first character of a scalar's content.
func (n *Node) start() int {
	text := n.doc.text
	at := n.Pos.Offset(text)
	switch n.style {
	case token.DoubleQuoteType, token.SingleQuoteType:
		at = min(at+1, len(text))
	case token.LiteralType, token.FoldedType:
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			at += i + 1
		}
	}
	return at
}

func spaceAt(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }); i >= 0 {
		return i
	}
	return len(s)
}
