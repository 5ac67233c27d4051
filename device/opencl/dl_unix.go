//go:build unix

package opencl

import (
	"fmt"

	"github.com/ebitengine/purego"
)

func open(name string) (uintptr, error) {
	lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, fmt.Errorf("cannot open %s: %w", name, err)
	}
	return lib, nil
}

func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
