package calibrate

import (
	"strconv"
	"strings"
)

// Rate returns the rate that a cost implies, as the last column of table 3 of the Perflex paper: a parameter with the unit
// "s per N thing" (or "s per thing", "s/thing") and value v stands for N/v things per second. For example 9.5e-12 with the unit
// "s per 128 B", a local access of 4 bytes by each of 32 work-items, is 1.3e13 B/s. ok is false for every other unit, and for
// costs that are not positive.
func Rate(value float64, unit string) (rate float64, rateUnit string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(unit), "s")
	if !ok || !(value > 0) {
		return 0, "", false
	}
	rest = strings.TrimSpace(rest)
	switch {
	case strings.HasPrefix(rest, "/"):
		rest = rest[1:]
	case strings.HasPrefix(rest, "per "):
		rest = rest[4:]
	default:
		return 0, "", false
	}
	things := 1.0
	words := strings.Fields(rest)
	if len(words) > 0 {
		if n, err := strconv.ParseFloat(words[0], 64); err == nil && n > 0 {
			things, words = n, words[1:]
		}
	}
	if len(words) == 0 {
		return 0, "", false
	}
	return things / value, strings.Join(words, " ") + "/s", true
}
