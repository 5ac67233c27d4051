package samples

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Identity says which kernel at which size a record is about. It does not depend on the generated source, so that
// a record can be found again after an edit, and then be told apart by its hash.
type Identity struct {
	Source  string            `json:"source"`            // generator name, or base name of the script
	Variant string            `json:"variant,omitempty"` // the kernel's name within the source
	Args    map[string]string `json:"args,omitempty"`    // generator arguments, as their tags spell them
	Sizes   map[string]int64  `json:"sizes,omitempty"`   // values of the size parameters
}

// Key returns the canonical text of the identity, usable as a map key:
//
//	source[#variant] {arg:value} {size=number}
//
// with arguments and sizes in alphabetical order, separated by single blanks. A part that holds anything but
// letters, digits and the characters _ . / + - is quoted as a Go string, so that no two identities share a key.
func (id Identity) Key() string {
	var b strings.Builder
	b.WriteString(quoted(id.Source))
	if id.Variant != "" {
		b.WriteString("#" + quoted(id.Variant))
	}
	for _, k := range slices.Sorted(maps.Keys(id.Args)) {
		b.WriteString(" " + quoted(k) + ":" + quoted(id.Args[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(id.Sizes)) {
		b.WriteString(" " + quoted(k) + "=" + strconv.FormatInt(id.Sizes[k], 10))
	}
	return b.String()
}

// family is the key of the kernel at any sizes.
func (id Identity) family() string {
	id.Sizes = nil
	return id.Key()
}

// String is Key.
func (id Identity) String() string { return id.Key() }

func quoted(s string) string {
	special := func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_./+-", c))
	}
	if s == "" || strings.ContainsFunc(s, special) {
		return strconv.Quote(s)
	}
	return s
}
