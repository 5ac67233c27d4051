package kernel

import "slices"

// SetTemporaryAddressSpace fixes the address space of temporaries.
func (k *Kernel) SetTemporaryAddressSpace(names []string, space Space) (*Kernel, error) {
	if !slices.Contains([]Space{Auto, Global, Local, Private}, space) {
		return nil, k.errorf("unknown address space %q (global, local, private)", space)
	}
	c := k.clone()
	for _, n := range names {
		if !k.IsTemp(n) {
			return nil, k.errorf("%s is no temporary", n)
		}
		a := *k.Array(n)
		a.Space = space
		c.setArray(&a)
	}
	if err := c.checkRaces(); err != nil {
		return nil, err
	}
	return c, nil
}
