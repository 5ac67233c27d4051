package format

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// prefixes are those of the SI, the largest first.
var prefixes = []struct {
	scale float64
	text  string
}{
	{1e18, "E"},
	{1e15, "P"},
	{1e12, "T"},
	{1e9, "G"},
	{1e6, "M"},
	{1e3, "k"},
	{1, ""},
	{1e-3, "m"},
	{1e-6, "µ"},
	{1e-9, "n"},
	{1e-12, "p"},
	{1e-15, "f"},
	{1e-18, "a"},
}

// symbols are the units that a prefix joins; before words and bare numbers it stands alone, and makes them no smaller.
var symbols = []string{"s", "B", "FLOP", "op"}

// Quantity writes a value with up to four digits and the prefix that suits it: "11.2 GB/s", "2.8 ps per 4 B".
func Quantity(v float64, unit string) string { return quantity(v, unit, 4) }

// Rough is Quantity with up to three digits.
func Rough(v float64, unit string) string { return quantity(v, unit, 3) }

func quantity(v float64, unit string, n int) string {
	scale, unit := scaled(v, unit, n)
	return strings.TrimSpace(digits(v/scale, n) + " " + unit)
}

// Uncertain writes a value with up to four digits, its standard error with up to two, and the unit that both are in.
func Uncertain(v, stderr float64, unit string) (value, deviation, in string) {
	of := v
	if v == 0 && !math.IsInf(stderr, 0) {
		of = stderr
	}
	scale, in := scaled(of, unit, 4)
	value, deviation = digits(v/scale, 4), digits(stderr/scale, 2)
	if least := 1e-6; stderr > 0 && stderr/scale < least {
		deviation = "< " + strconv.FormatFloat(least, 'f', -1, 64)
	}
	return value, deviation, in
}

// scaled finds the prefix for a value of n digits, and puts it before the unit.
func scaled(v float64, unit string, n int) (scale float64, prefixed string) {
	first, _, _ := strings.Cut(strings.ReplaceAll(unit, "/", " "), " ")
	symbol := slices.Contains(symbols, first)
	for _, p := range prefixes {
		switch above, below := p.scale > 1, p.scale < 1; {
		case above && first == "s", below && !symbol, unit == "" && p.scale == 1e3: // nobody says ks, or 2.048 k of a count
			continue
		// Digits that are just less than a prefix are rounded to it.
		case !(math.Abs(v)*(1+0.5*math.Pow10(-n)) >= p.scale), math.IsInf(v, 0): // or no number
			continue
		case symbol:
			return p.scale, p.text + unit
		}
		return p.scale, strings.TrimSpace(p.text + " " + unit)
	}
	return 1, unit
}

// digits writes a number with up to n significant digits, without an exponent unless it is far from 1.
func digits(v float64, n int) string {
	text := strconv.FormatFloat(v, 'e', n-1, 64)
	_, exponent, found := strings.Cut(text, "e")
	e, err := strconv.Atoi(exponent)
	if !found || err != nil || e < -7 || e > 20 {
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	text = strconv.FormatFloat(v, 'f', max(0, n-1-e), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Bytes writes a capacity in the largest binary unit that keeps it at least 1.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, unit := float64(n), 0
	for v >= 1024 && unit < len(units)-1 {
		v, unit = v/1024, unit+1
	}
	return digits(v, 4) + " " + units[unit]
}

// Times writes a number of times with three digits, and all of a large one: "1.5", "16", "2000".
func Times(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Factor writes a ratio with two digits: "1.6", "21", "160".
func Factor(by float64) string {
	digits := 0
	for x := by; x < 10 && digits < 3; x *= 10 {
		digits++
	}
	return strconv.FormatFloat(by, 'f', digits, 64)
}
