package cfront

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gpuperf/cfront/cpp"
)

// maxDefined is the number of macros that a hint proposes.
const maxDefined = 12

// defining proposes the macros that define a name, and others that the text needs as well: types, of OpenCL C those of the whole file, which is read, and what
// has a name in capitals around the cursor.
func (p *cursor) defining(name string, isOne bool) []string {
	s := p.around()
	is := func(i int, texts ...string) bool { return i >= 0 && i < len(p.tokens) && oneOf(p.tokens[i], texts...) }
	named := func(i int) bool {
		return i >= 0 && i < len(p.tokens) && p.tokens[i].Kind == cpp.Name && statements[p.tokens[i].Text] == nil
	}
	declared, isType, qualifies, list := map[string]bool{}, map[string]bool{name: isOne}, map[string]bool{}, []string{name}
	first, end := 0, len(p.tokens)
	if p.lang.plusPlus {
		first, end = s.from, s.to
	}
	depth, open, declares := 0, 0, -1 // braces, brackets, and how many of these a declaration stands in
	for i := first; i < end; i++ {
		t, inside := p.tokens[i], s.from <= i && i < s.to
		depth, open = depth+map[string]int{"{": 1, "}": -1}[t.Text], open+map[string]int{"(": 1, "[": 1, ")": -1, "]": -1}[t.Text]
		if t.Is(";") {
			declares = -1
		}
		if !named(i) || p.means(t.Text) || is(i-1, ".", "->", "::", "struct", "union") {
			continue
		}
		upper, after := t.Text == strings.ToUpper(t.Text), i+1
		begins := i == 0 || is(i-1, "(", ",", ";", "{", "}") || named(i-1) && (p.means(p.tokens[i-1].Text) || qualifies[p.tokens[i-1].Text])
		switch {
		case begins && (named(after) && !is(after+1, "{") || (depth == 0 || !upper && !is(i-1, "(", ",")) && is(after, "*") && (named(after+1) && is(after+2, "=", ";", ",", ")", "[") || is(after+1, "__restrict__", "restrict", "__restrict"))):
			isType[t.Text] = true
			name, next := p.tokens[after].Text, after+1
			if is(next, "*") {
				next++
			}
			if name == "void" || slices.Contains(basic, name) || p.lang.types[name] != nil || named(after) && !slices.Contains(keywords, name) && p.lang.spaces[name] == "" && named(next) && p.file.known(name) || depth == 0 && upper && p.tokens[after].At.Line > t.At.Line { // it stands before the type, or alone in its line
				qualifies[t.Text] = true
			}
			list = append(list, t.Text)
		case is(i-1, "(") && is(after, ")") && is(after+1, "(") && !named(i-2): // (T)(a, b)
			isType[t.Text] = true
			list = append(list, t.Text)
		case is(i-1, ",") && is(after, ",", ";", "=", "[") && declares == open:
			declared[t.Text] = true
		case named(i-1) || is(i-1, "}") || is(i-1, "*", "&") && named(i-2) && (!upper || p.types(i-2) || isType[p.tokens[i-2].Text]):
			if declared[t.Text] = true; named(i-1) || p.types(max(i-2, 0)) {
				declares = open
			}
		case upper && inside && !is(after, "("):
			list = append(list, t.Text)
			qualifies[t.Text] = qualifies[t.Text] || is(i-1, ";", "{", "}") && is(after, "}") // it stands for statements
		}
	}
	return p.proposed(name, list, declared, isType, qualifies)
}

// proposed are the flags that define names: a type where one stands, nothing where a qualifier does, and else a value.
func (p *cursor) proposed(name string, list []string, declared, isType, qualifies map[string]bool) []string {
	var flags []string
	values := map[string]string{}
	for i, n := range list { // of a name that ## makes, as of CONC(float, LANES), the macro in it
		if macro := p.file.lanesIn(n); isType[n] && macro != "" {
			list[i], values[macro], declared[n] = macro, "4", false
			if n == name {
				name = macro
			}
		}
	}
	for _, n := range slices.Clone(list) { // a vector's name may be glued of that of its lanes
		base := strings.TrimSuffix(n, lanes.FindString(n))
		if isType[n] && base != n && !slices.Contains(list, base) && p.file.Mentions(base) {
			list, isType[base] = append(list, base), true
		}
	}
	for _, n := range list {
		flag := "-D " + n + "="
		switch {
		case values[n] != "":
			flag += values[n]
		case qualifies[n]:
		case isType[n]:
			flag += proposedType(n) + lanes.FindString(n)
		case warpName.MatchString(n):
			flag += "32"
		default:
			flag += "…"
		}
		if (n == name || !declared[n]) && !slices.Contains(flags, flag) && len(flags) < maxDefined {
			flags = append(flags, flag)
		}
	}
	return flags
}

// evaluated are the words of C++ for what a compiler computes.
var evaluated = []string{"constexpr", "consteval", "constinit"}

// lanesIn is the macro that says how many lanes a vector has whose type ## made, as of floatLANES; "" for other names.
func (f *File) lanesIn(name string) string {
	at := strings.IndexFunc(name, unicode.IsUpper)
	if at <= 0 || f.lang.types[name[:at]+"4"] == nil || f.Mentions(name) || !f.Mentions(name[at:]) {
		return ""
	}
	return name[at:]
}

// types reports that a token is the name of a type, or stands behind one in a declaration.
func (p *cursor) types(i int) bool {
	text := p.tokens[i].Text
	return slices.Contains(basic, text) || p.lang.types[text] != nil || text == "const" || strings.HasPrefix(text, "__")
}

// means reports that a name is one of the language or of the file.
func (p *cursor) means(name string) bool {
	_, space := p.lang.spaces[name]
	return space || p.file.known(name) || slices.Contains(keywords, name) || slices.Contains(basic, name) ||
		slices.Contains(p.lang.kernels, name) || slices.Contains(p.lang.ignored, name) || strings.HasPrefix(name, "__") || p.lang.plusPlus && slices.Contains(evaluated, name)
}

// Mentions reports that a text of the file has a name in it. Others are made by ##.
func (f *File) Mentions(name string) bool {
	whole := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for _, text := range f.texts {
		if strings.Contains(text, name) && whole.MatchString(text) {
			return true
		}
	}
	return false
}

// proposedType is what a type may be that a program defines, by its name: an integer where that tells it.
func proposedType(name string) string {
	if integerName.MatchString(strings.ToLower(name)) {
		return "int"
	}
	return "float"
}

var integerName = regexp.MustCompile(`(^|_)(u?ints?|idx|index|size|dims?|counts?|len|length|offset|id|int(8|16|32|64))([0-9]|_|$)`)

// warpName finds names of how many work-items a warp has.
var warpName = regexp.MustCompile(`(?i)warp_?size$`)

// lanes is how many the name of a vector ends with.
var lanes = regexp.MustCompile("(2|3|4|8|16)$")
