//go:build unix

package dl

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Open opens a shared library.
func Open(name string) (uintptr, error) {
	lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, fmt.Errorf("cannot open %s: %w", name, err)
	}
	return lib, nil
}

// Symbol is the address of a function of a library.
func Symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
