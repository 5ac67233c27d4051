package capture

import (
	"slices"
	"strings"

	"gpuperf/internal/cname"
)

// qualifiers say nothing about how a value lies in memory.
var qualifiers = map[string]bool{"const": true, "volatile": true, "restrict": true, "__restrict__": true, "__restrict": true}

// dtype is the type of a value, or of what a pointer points to; "" where launch files have none. A vector behind a pointer is its elements.
func dtype(name string) string {
	value, pointer := strings.CutSuffix(strings.TrimSpace(name), "*")
	plain := slices.DeleteFunc(strings.Fields(value), func(word string) bool { return qualifiers[word] })
	text := strings.Join(plain, " ")
	if d, ok := cname.DTypes[text]; ok || !pointer {
		return d
	}
	return cname.DTypes[strings.TrimRight(text, "0123456789")]
}
