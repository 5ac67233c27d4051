package dl

import (
	"fmt"
	"syscall"
)

// Open opens a shared library.
func Open(name string) (uintptr, error) {
	lib, err := syscall.LoadLibrary(name)
	if err != nil {
		return 0, fmt.Errorf("cannot open %s: %w", name, err)
	}
	return uintptr(lib), nil
}

// Symbol is the address of a function of a library.
func Symbol(lib uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(lib), name)
}
