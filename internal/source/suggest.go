package source

import (
	"slices"
	"strings"
)

// Suggest words the hint for an unknown word: the nearest known one where one is near, else those that contain it, else all of them.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "nothing may stand here"
	}
	part := strings.ToLower(word)
	longer := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return len(part) < minPart || !strings.Contains(strings.ToLower(k), part) })
	if len(longer) > 0 {
		known = longer
	}
	return "known: " + strings.Join(known, ", ")
}

// minPart is how long a word must be at least for the known words that contain it to be meant.
const minPart = 3

// Nearest returns the known word at the least edit distance from word, "" when none is within a third of its length (two at least).
func Nearest(word string, known []string) string {
	best, limit := "", max(2, len(word)/3)+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k), limit); d < limit && d < max(len(word), len(k)) {
			best, limit = k, d
		}
	}
	return best
}

// distance is Levenshtein's, counting an exchange of neighbours as one edit; anything from limit on is reported as limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, last, cur = last, cur, before
	}
	return min(last[len(b)], limit)
}
