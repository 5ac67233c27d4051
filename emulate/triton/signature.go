package triton

import (
	"regexp"
	"strconv"
	"strings"
)

// Argument is an argument that the machine code of a kernel takes, as the kernel's function in Triton's IR declares it. Constexprs, and integers
// that were 1 when the kernel was compiled, are no such arguments.
type Argument struct {
	Name     string // "" where the IR does not say
	Type     string // of launch files, for pointers that of the elements
	Pointer  bool
	Multiple int64 // what the value was a multiple of when the kernel was compiled; 0 is not said
	ir       string
}

// types are those of launch files by the names that they have in IR. Numbers of 8 and 16 bits that launch files lack are bytes.
var types = map[string]string{
	"i1": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "uint16", "f32": "float32", "f64": "float64",
}

var (
	divisible  = regexp.MustCompile(`tt\.divisibility = (\d+)`)
	namedPlace = regexp.MustCompile(`loc\("([^"]*)"\(`) // others are of a file
	pointerTo  = regexp.MustCompile(`^!tt\.ptr<\s*([^,>]+)`)
	unnamed    = regexp.MustCompile(`^arg\d+$`)
)

// signature reads the arguments of a function in Triton's IR; nil where it is not there.
func signature(ir, function string) (all []Argument) {
	_, rest, ok := strings.Cut(ir, "tt.func public @"+function+"(")
	if !ok {
		return nil
	}
	all = []Argument{}
	for _, text := range listed(rest) {
		name, kind, ok := strings.Cut(strings.TrimSpace(text), ":")
		if !ok {
			continue
		}
		a := Argument{Name: strings.TrimPrefix(strings.TrimSpace(name), "%"), ir: strings.TrimSpace(kind)}
		if m := namedPlace.FindStringSubmatch(kind); m != nil {
			a.Name = m[1] // names in IR are numbered where two are the same
		}
		if unnamed.MatchString(a.Name) {
			a.Name = ""
		}
		if i := strings.IndexAny(a.ir, " {"); i > 0 {
			a.ir = a.ir[:i]
		}
		if m := divisible.FindStringSubmatch(kind); m != nil {
			a.Multiple, _ = strconv.ParseInt(m[1], 10, 64) // digits, so that only a number that is too large fails, and is 0
		}
		if m := pointerTo.FindStringSubmatch(a.ir); m != nil {
			a.Pointer, a.Type = true, types[strings.TrimSpace(m[1])]
			if a.Type == "" {
				a.Type = "uint8"
			}
		} else {
			a.Type = types[a.ir]
		}
		all = append(all, a)
	}
	return all
}

// listed splits a list at its commas, up to the bracket that closes it.
func listed(text string) (parts []string) {
	depth, from, quoted := 0, 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{<", c):
			depth++
		case c == ')' && depth == 0:
			if part := text[from:i]; strings.TrimSpace(part) != "" {
				parts = append(parts, part)
			}
			return parts
		case strings.ContainsRune(")]}>", c):
			depth--
		case c == ',' && depth == 0:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return parts
}

// A number in IR is an extent of a tensor, an end of a range or a constant.
var number = regexp.MustCompile(`(?:<|x|= |constant |dense<)(\d+)(?:x|>| :)`)

// numbers are those that stand in IR: a constexpr is among them where the kernel uses it as one.
func numbers(ir string) map[int64]bool {
	all := map[int64]bool{}
	ir = divisible.ReplaceAllString(ir, "")
	for from := 0; ; {
		at := number.FindStringSubmatchIndex(ir[from:])
		if at == nil {
			return all
		}
		if n, err := strconv.ParseInt(ir[from+at[2]:from+at[3]], 10, 64); err == nil {
			all[n] = true
		}
		from += at[3] // what ends a number may begin the next
	}
}
