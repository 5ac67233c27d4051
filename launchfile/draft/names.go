package draft

import (
	"regexp"
	"slices"
	"strings"
)

var (
	directive = regexp.MustCompile(`(?m)^[ \t]*#(?:[^\n\\]|\\\r?(?s:.))*`) // with the lines that it continues on
	renames   = []*regexp.Regexp{                                          // what gives words a name, and which
		regexp.MustCompile(`#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P<words>[\w" \t]+)(?:\r?\n|$)`),
		regexp.MustCompile(`\btypedef\s+(?P<words>[\w\s]+?)\s+(?P<name>\w+)\s*;`),
		regexp.MustCompile(`\busing\s+(?P<name>\w+)\s*=\s*(?P<words>[\w\s]+?)\s*;`),
	}
	name      = regexp.MustCompile(`\b[A-Za-z_]\w*`)
	structure = regexp.MustCompile(`\bstruct\b([^{};()]*(?:\([^{};]*\))?[^{};()]*)\{([^{}]*)\}\s*(\w*)\s*;`)
)

// expanded is a source without the preprocessor's lines, in which plain names stand for what they mean: REAL for float. Conditions are not
// understood: all branches are there, and the last meaning of a name counts.
func expanded(text string) string {
	meaning := map[string]string{}
	for _, r := range renames {
		for _, m := range r.FindAllStringSubmatch(text, -1) {
			meaning[m[r.SubexpIndex("name")]] = m[r.SubexpIndex("words")]
		}
	}
	text = directive.ReplaceAllString(text, "")
	const deepest = 4 // names that stand for names
	for range deepest {
		text = name.ReplaceAllStringFunc(text, func(n string) string {
			if words, ok := meaning[n]; ok {
				return strings.TrimSpace(words)
			}
			return n
		})
	}
	return text
}

// structures are the members of the structures that a source declares, by their names; of those whose members are all numbers and pointers.
func structures(text string) map[string][]Param {
	known := map[string][]Param{}
	for _, m := range structure.FindAllStringSubmatch(text, -1) {
		members, ok := membersOf(m[2])
		if !ok {
			continue
		}
		known[m[3]] = members
		if tag := name.FindAllString(m[1], -1); len(tag) > 0 {
			known[tag[len(tag)-1]] = members
		}
	}
	delete(known, "")
	return known
}

func membersOf(body string) (members []Param, ok bool) {
	for _, declared := range strings.Split(strings.TrimSuffix(strings.TrimSpace(body), ";"), ";") {
		parts := split(declared)
		kind := strings.TrimRight(parts[0], " \t\r\n")
		kind = kind[:len(kind)-len(lastName(kind))]
		parts[0] = parts[0][len(kind):]
		if strings.Contains(kind, "*") && len(parts) > 1 {
			return nil, false
		}
		for _, part := range parts {
			p, ok := readParam(kind+" "+part, nil)
			if !ok || p.Name == "" || p.Type == "" || p.Lanes > 1 || p.Type == "float16" || strings.ContainsAny(declared, "[:(") {
				return nil, false
			}
			members = append(members, p)
		}
	}
	return members, true
}

func lastName(text string) string {
	all := name.FindAllString(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// of is the parameter with what is known of its structure: its members, or of elements with equal members their type and number.
func (p Param) of(known map[string][]Param) Param {
	for _, word := range name.FindAllString(p.Text, -1) {
		members := known[word]
		if p.Type != "" || members == nil {
			continue
		}
		p.Members = members
		mixed := slices.ContainsFunc(members, func(m Param) bool { return m.Kind != Value || m.Type != members[0].Type })
		if p.Kind == Pointer && !mixed {
			p.Type, p.Lanes = members[0].Type, int64(len(members))
		}
	}
	return p
}

// isSize reports whether a parameter is an integer that is passed by value.
func (p Param) isSize() bool {
	return p.Kind == Value && p.Lanes <= 1 && slices.Contains([]string{"int32", "uint32", "int64", "uint64"}, p.Type)
}
