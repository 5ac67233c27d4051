// Package warning knows the kinds of warnings: what each means and what to do. A warning is a line of text that ends with its kind,
//
//	SUBJECT: WHAT IS DOUBTFUL [KIND]
//
// so that it can be kept in files as it is printed, and be read back. Libraries return such lines; a [Printer] prints each kind once.
package warning

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Kind names a kind of warning. The page `warnings` of the reference has the meaning of each.
type Kind string

// About words a warning of the kind about a subject: a kernel, a parameter, a file; "" for none.
func (k Kind) About(subject, format string, args ...any) string {
	text := fmt.Sprintf(format, args...) + " [" + string(k) + "]"
	if subject == "" {
		return text
	}
	return subject + ": " + text
}

// Error is About as an error, for results whose warnings have a place in a file. The error given is wrapped.
func (k Kind) Error(err error) error { return fmt.Errorf("%w [%s]", err, k) }

// In says of a warning what its subject belongs to: the parameter of a kernel, the kernel of a suite.
func In(whole, text string) string {
	if subject(text) == "" {
		return whole + ": " + text
	}
	return whole + ", " + text
}

// KindOf returns the kind of a warning, "" where the text names none.
func KindOf(text string) Kind {
	at := strings.LastIndex(text, " [")
	if at < 0 || !strings.HasSuffix(text, "]") {
		return ""
	}
	if k := Kind(text[at+2 : len(text)-1]); slices.ContainsFunc(Kinds, func(i Info) bool { return i.Kind == k }) {
		return k
	}
	return ""
}

// subject is what stands before the first colon.
func subject(text string) string {
	before, _, found := strings.Cut(text, ": ")
	if !found {
		return ""
	}
	return before
}

// content is what stands after the subject.
func content(text string) string { return strings.TrimPrefix(text, subject(text)+": ") }

// family tells warnings that are alike: those of one kind, and without a kind those that differ in their subjects and numbers alone.
func family(text string) string {
	if k := KindOf(text); k != "" {
		return string(k)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, content(text))
}

// stays reports whether --quiet keeps a warning. One without a kind stays.
func stays(text string) bool {
	k := KindOf(text)
	return k == "" || slices.ContainsFunc(Kinds, func(i Info) bool { return i.Kind == k && i.Stays })
}
