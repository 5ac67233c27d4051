package modelgen

import (
	"cmp"

	"gpuperf/device/facts"
	"gpuperf/models"
)

// Options control Make. The zero value is the default but for the name.
type Options struct {
	Name string
	Form models.Form // "" is linear
	// Device holds the known facts of the device. Terms that need an unknown fact are left out.
	Device *facts.Device
	Points int // sizes of each kernel; 0 is 6, and 7 where it has several parameters
	// Isolated leaves out kernels that make all of a kernel's accesses together.
	Isolated bool
}

// lanes is the number of work-items of a sub-group.
func (o Options) lanes() int64 { return o.Device.Typical().Int(facts.SubgroupSize) }

// units is the number of multiprocessors, 0 if unknown.
func (o Options) units() int64 { return o.Device.Int(facts.Multiprocessors) }

func (o Options) form() models.Form { return cmp.Or(o.Form, models.LinearForm) }

func (o Options) pointCount(params int) int {
	switch {
	case o.Points > 0:
		return o.Points
	case params > 1:
		return 7
	}
	return 6
}

// overlaps reports that the experiment of section 7.4 is to be measured.
func (o Options) overlaps() bool { return o.form() != models.LinearForm }

// small reports a device on which measurement kernels of the usual sizes take too long.
func (o Options) small() bool { return o.units() > 0 && o.units() < 16 }
