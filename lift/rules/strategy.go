package rules

import (
	"gpuperf/lift"
)

// replaceAt returns the term with another in the place that a path leads to.
func replaceAt(t *lift.Term, path []int, by *lift.Term) *lift.Term {
	if len(path) == 0 {
		return by
	}
	kids := append([]*lift.Term(nil), t.Kids...)
	kids[path[0]] = replaceAt(t.Kids[path[0]], path[1:], by)
	return t.With(kids...)
}
