package opencl

import (
	"fmt"
	"syscall"
)

func init() { loaders["windows"] = []string{"OpenCL.dll"} }

func open(name string) (uintptr, error) {
	lib, err := syscall.LoadLibrary(name)
	if err != nil {
		return 0, fmt.Errorf("cannot open %s: %w", name, err)
	}
	return uintptr(lib), nil
}

func symbol(lib uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(lib), name)
}
