package draft

import (
	"gpuperf/internal/cname"

	"github.com/ianlancetaylor/demangle"
)

// demangled is the name of a kernel and the types of its parameters; false for a name that is not mangled.
func demangled(name string) (plain string, params []string, ok bool) {
	text, err := demangle.ToString(name)
	if err != nil {
		return name, nil, false
	}
	plain, params = cname.Split(text)
	return plain, params, true
}
