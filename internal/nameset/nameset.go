// Package nameset works with short lists of names as sets, such as the inames of a statement.
package nameset

import (
	"slices"
	"strings"
)

// IsSet reports whether the list is sorted and without repetition.
func IsSet(list []string) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}

// Sorted returns the names of the list as a new list for which IsSet holds.
func Sorted(list []string) []string {
	list = slices.Clone(list)
	if !IsSet(list) {
		slices.Sort(list)
	}
	return slices.Compact(list)
}

// Add returns the set of the names of the list and some more.
func Add(list []string, names ...string) []string {
	return Sorted(append(slices.Clone(list), names...))
}

// Remove returns the list without the given names, in its order.
func Remove(list []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return slices.Contains(names, n) })
}

// Intersect returns the names of the list that are also in the other one, in its order.
func Intersect(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return !slices.Contains(other, n) })
}

// Text lists the names for a message: "a, b", or "none".
func Text(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
