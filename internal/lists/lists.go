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

// Flat is the lists that f makes of the elements, one after the other; nil where all are empty.
func Flat[S ~[]V, V, T any](list S, f func(V) []T) (out []T) {
	for _, v := range list {
		out = append(out, f(v)...)
	}
	return out
}

// Where is the elements for which something holds, in their order; nil where there are none.
func Where[S ~[]V, V any](list S, holds func(V) bool) (out []V) {
	for _, v := range list {
		if holds(v) {
			out = append(out, v)
		}
	}
	return out
}

// Sum is the sum of f over the elements, added in their order.
func Sum[S ~[]V, V any, T int | int64 | float64](list S, f func(V) T) (sum T) {
	for _, v := range list {
		sum += f(v)
	}
	return sum
}

// First is the first element for which something holds; the zero value where there is none.
func First[S ~[]V, V any](list S, holds func(V) bool) (first V) {
	for _, v := range list {
		if holds(v) {
			return v
		}
	}
	return first
}
