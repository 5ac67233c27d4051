package draft

import (
	"strconv"
	"strings"
)

// mangledName reads names as compilers mangle them (Itanium C++ ABI, "External Names"): those of functions with parameters of basic types,
// classes and pointers, and of instances of templates.
type mangledName struct {
	rest  string
	seen  []string // what S_, S0_ and so on stand for
	args  []string // of the template, for T_, T0_ and so on
	wrong bool
}

// basic are the codes of basic types.
var basic = map[byte]string{
	'v': "void", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short", 't': "unsigned short", 'i': "int",
	'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long", 'y': "unsigned long long", 'f': "float", 'd': "double",
}

// demangle is the name of a kernel and the types of its parameters; false for a name that is not mangled, or in a way that is not known.
func demangle(name string) (plain string, params []string, ok bool) {
	text, mangled := strings.CutPrefix(name, "_Z")
	if !mangled {
		return name, nil, false
	}
	m := &mangledName{rest: text}
	plain = m.name(true)
	if strings.HasSuffix(plain, ">") {
		m.typ() // what it returns
	}
	for m.rest != "" && !m.wrong {
		params = append(params, m.typ())
	}
	if len(params) == 1 && params[0] == "void" {
		params = nil
	}
	return plain, params, !m.wrong
}

// take takes a prefix.
func (m *mangledName) take(prefix string) bool {
	rest, ok := strings.CutPrefix(m.rest, prefix)
	m.rest = rest
	return ok
}

// name reads the name of a function or of a class.
func (m *mangledName) name(function bool) string {
	nested, text := m.take("N"), ""
	for {
		switch part := m.part(); {
		case part == "":
			m.wrong = true
			return text
		case text == "":
			text = part
		default:
			text += "::" + part
		}
		if strings.HasPrefix(m.rest, "I") {
			m.seen = append(m.seen, text)
			text += m.arguments(function)
		}
		if !nested || m.take("E") {
			return text
		}
		m.seen = append(m.seen, text)
	}
}

// part reads a name with its length before it.
func (m *mangledName) part() string {
	digits := len(m.rest) - len(strings.TrimLeft(m.rest, "0123456789"))
	n, err := strconv.Atoi(m.rest[:digits])
	if err != nil || n > len(m.rest)-digits {
		return ""
	}
	part := m.rest[digits : digits+n]
	m.rest = m.rest[digits+n:]
	return part
}

// arguments reads those of a template: types, and numbers as Li16E.
func (m *mangledName) arguments(function bool) string {
	m.take("I")
	var list []string
	for !m.take("E") && !m.wrong {
		if m.take("L") {
			m.typ()
			value, rest, ok := strings.Cut(m.rest, "E")
			m.rest, m.wrong = rest, m.wrong || !ok
			list = append(list, strings.Replace(value, "n", "-", 1))
		} else {
			list = append(list, m.typ())
		}
	}
	if function {
		m.args = list
	}
	return "<" + strings.Join(list, ", ") + ">"
}

// typ reads a type.
func (m *mangledName) typ() (text string) {
	if m.rest == "" {
		m.wrong = true
		return ""
	}
	switch code := m.rest[0]; {
	case basic[code] != "":
		m.rest = m.rest[1:]
		return basic[code]
	case m.take("P"):
		text = m.typ() + " *"
	case m.take("K"):
		text = "const " + m.typ()
	case m.take("r"):
		return m.typ() // restrict
	case m.take("V"):
		text = "volatile " + m.typ()
	case m.take("S"):
		return m.numbered(m.seen)
	case m.take("T"):
		text = m.numbered(m.args)
	default:
		text = m.name(false)
	}
	m.seen = append(m.seen, text)
	return text
}

// numbered reads which of a list is meant: "_" is the first, "0_" the second.
func (m *mangledName) numbered(list []string) string {
	digits, rest, ok := strings.Cut(m.rest, "_")
	n := int64(0)
	if digits != "" {
		var err error
		n, err = strconv.ParseInt(strings.ToLower(digits), 36, 32)
		n, ok = n+1, ok && err == nil
	}
	if m.rest = rest; !ok || n < 0 || n >= int64(len(list)) {
		m.wrong = true
		return ""
	}
	return list[n]
}
