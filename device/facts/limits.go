package facts

import (
	"gpuperf/device"
	"gpuperf/samples"
)

// Limits are what a device refuses beyond: what it tells itself, and what its data sheet says besides.
func Limits(i device.Info) device.Limits {
	l := i.Limits()
	if i.Interface == samples.CUDA { // OpenCL has limits of its own on the same device, which it tells
		Of(i.Fingerprint).fill(&l)
	}
	return l
}

// Limits are what the device refuses beyond under CUDA, by its data sheet.
func (d *Device) Limits() (l device.Limits) {
	d.fill(&l)
	return l
}

// fill gives limits that are not known the numbers of the data sheet.
func (d *Device) fill(l *device.Limits) {
	for _, one := range []struct {
		limit *int64
		key   Key
	}{
		{&l.GroupItems, ItemsPerGroup},
		{&l.Group[0], GroupX},
		{&l.Group[1], GroupY},
		{&l.Group[2], GroupZ},
		{&l.Groups[0], GroupsX},
		{&l.Groups[1], GroupsY},
		{&l.Groups[2], GroupsZ},
		{&l.Local, LocalPerGroup},
		{&l.Declared, DeclaredLocal},
		{&l.Global, GlobalBytes},
	} {
		if *one.limit == 0 {
			*one.limit = d.Int(one.key)
		}
	}
}
