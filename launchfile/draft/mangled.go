package draft

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// demangled is the name of a kernel and the types of its parameters; false for a name that is not mangled.
func demangled(name string) (plain string, params []string, ok bool) {
	text, err := demangle.ToString(name)
	if err != nil {
		return name, nil, false
	}
	plain, inside := signature(text)
	if inside == "" {
		return plain, nil, true
	}
	for _, p := range split(inside) {
		params = append(params, strings.TrimSpace(p))
	}
	return plain, params, true
}

// signature splits the name of a kernel with its parameters: "void scale<float>(float *, int)".
func signature(name string) (kernel, params string) {
	open := strings.LastIndexByte(name, '(')
	if i := strings.LastIndex(name, ">("); i >= 0 {
		open = i + 1
	}
	if open < 0 {
		return name, ""
	}
	inside, _, _ := balanced(name[open:], "()")
	return strings.TrimPrefix(name[:open], "void "), inside
}
