// Package lists makes lists of lists, element by element.
package lists

import "strings"

// Map is f of each element, in their order; nil of no elements.
func Map[S ~[]V, V, T any](list S, f func(V) T) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// Join is the texts of the elements with a separator between them.
func Join[S ~[]V, V any](list S, separator string, text func(V) string) string {
	return strings.Join(Map(list, text), separator)
}
