package transform

import (
	"slices"

	"gpuperf/kernel"
)

// SetTemporaryAddressSpace fixes the address space of temporaries.
func SetTemporaryAddressSpace(k *kernel.Kernel, names []string, space kernel.Space) (*kernel.Kernel, error) {
	if !slices.Contains([]kernel.Space{kernel.Auto, kernel.Global, kernel.Local, kernel.Private}, space) {
		return nil, k.Errorf("unknown address space %q (global, local, private)", space)
	}
	c := k.Clone()
	for _, n := range names {
		if !k.IsTemp(n) {
			return nil, k.Errorf("%s is not a temporary", n)
		}
		c.ChangeArray(n, func(a *kernel.Array) { a.Space = space })
	}
	return c, c.Check()
}
