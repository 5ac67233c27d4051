package expr

import (
	"strings"

	"gpuperf/internal/lex"
)

// ImplicitTag is the tag of an access that was given none: the array's letters and digits, then LD for a load or ST for a
// store, as in aLD and accxST. With it, feature identifiers and RemoveWork can name every access of a kernel whose author
// wrote no tags.
func ImplicitTag(array string, store bool) string {
	base := strings.Map(func(r rune) rune {
		if r < 0x80 && r != '_' && (lex.IsDigit(byte(r)) || lex.IsLetter(byte(r))) {
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

// TagOrImplicit is the tag of the access, its implicit one where it was given none.
func (a *Access) TagOrImplicit(store bool) string {
	if a.Tag != "" {
		return a.Tag
	}
	return ImplicitTag(a.Array, store)
}
