package samples

import (
	"fmt"
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
// letters, digits and the characters _ . / + - is quoted as a Go string. [ParseKey] is its inverse.
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

// String is Key.
func (id Identity) String() string { return id.Key() }

// ParseKey reads the text that [Identity.Key] writes.
func ParseKey(text string) (Identity, error) {
	p := keyParser{text: text}
	var id Identity
	id.Source = p.part()
	if p.accept("#") {
		id.Variant = p.part()
	}
	for p.err == nil && p.rest() != "" {
		p.expect(" ")
		name := p.part()
		switch {
		case p.accept(":"):
			if id.Args == nil {
				id.Args = map[string]string{}
			}
			id.Args[name] = p.part()
		case p.accept("="):
			if id.Sizes == nil {
				id.Sizes = map[string]int64{}
			}
			id.Sizes[name] = p.number()
		default:
			p.fail("want ':' and an argument's value or '=' and a size")
		}
	}
	if p.err != nil {
		return Identity{}, p.err
	}
	return id, nil
}

type keyParser struct {
	text string
	at   int
	err  error
}

func (p *keyParser) rest() string { return p.text[p.at:] }

func (p *keyParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("kernel identity %q, column %d: %s", p.text, p.at+1, fmt.Sprintf(format, args...))
	}
}

func (p *keyParser) accept(lit string) bool {
	if p.err != nil || !strings.HasPrefix(p.rest(), lit) {
		return false
	}
	p.at += len(lit)
	return true
}

func (p *keyParser) expect(lit string) {
	if !p.accept(lit) {
		p.fail("want %q", lit)
	}
}

func (p *keyParser) part() string {
	if p.err != nil {
		return ""
	}
	if strings.HasPrefix(p.rest(), `"`) {
		q, err := strconv.QuotedPrefix(p.rest())
		if err != nil {
			p.fail("unfinished quoted text")
			return ""
		}
		p.at += len(q)
		s, err := strconv.Unquote(q)
		if err != nil {
			p.fail("bad quoted text %s", q)
		}
		return s
	}
	n := 0
	for n < len(p.rest()) && plainByte(p.rest()[n]) {
		n++
	}
	if n == 0 {
		p.fail("want a name or a value")
		return ""
	}
	s := p.rest()[:n]
	p.at += n
	return s
}

func (p *keyParser) number() int64 {
	start := p.at
	s := p.part()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil && p.err == nil {
		p.at = start
		p.fail("%q is no 64-bit integer", s)
	}
	return v
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_./+-", c) >= 0
}

func quoted(s string) string {
	if s == "" {
		return `""`
	}
	for i := range len(s) {
		if !plainByte(s[i]) {
			return strconv.Quote(s)
		}
	}
	return s
}
