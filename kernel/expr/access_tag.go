package expr

import "strings"

// ImplicitTag is the tag that an access without one answers to: the array's letters and digits, then LD for a load or ST
// for a store, as in aLD and accxST. So feature identifiers and RemoveWork can name every access of a kernel whose author
// gave no tags.
func ImplicitTag(array string, store bool) string {
	base := strings.Map(func(r rune) rune {
		if r < 0x80 && (isDigitByte(byte(r)) || isLetterByte(byte(r))) {
			return r
		}
		return -1
	}, array)
	base = strings.TrimLeft(base, "0123456789")
	if store {
		return base + "ST"
	}
	return base + "LD"
}

// AnswersTo reports whether the access has the tag, or has none and the tag is its implicit one.
func (a *Access) AnswersTo(tag string, store bool) bool {
	if a.Tag != "" {
		return a.Tag == tag
	}
	return tag == ImplicitTag(a.Array, store)
}

func isDigitByte(b byte) bool { return b >= '0' && b <= '9' }

func isLetterByte(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
