package calibrate

import (
	"strconv"
	"strings"
)

// Rate returns the rate that a cost implies, as in the last column of table 3 of the Perflex paper: a parameter with the unit
// "s per N thing" (or "s per thing", "s/thing") and value v means N/v things per second. For example 9.5e-12 with the unit
// "s per 128 B", a local access of 4 bytes by each of 32 work-items, is 1.3e13 B/s. What is counted once per sub-group is
// better written "s per 4 B per lane", which holds for every size of a sub-group: its lanes multiply N. ok is false for every
// other unit, for a unit per lane when lanes is 0, and for costs that are not positive.
func Rate(value float64, unit string, lanes int) (rate float64, rateUnit string, ok bool) {
	scale := 1.0
	if each, perLane := strings.CutSuffix(strings.TrimSpace(unit), " per lane"); perLane {
		unit, scale = each, float64(lanes)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(unit), "s")
	if !ok || !(value > 0) || scale == 0 {
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
	return scale * things / value, strings.Join(words, " ") + "/s", true
}
