package tailor

import "gpuperf/models"

// Machine is what is known of the device beforehand. What is 0 is not known, and leaves out the terms that need it.
type Machine struct {
	Name      string
	Units     int64   // multiprocessors
	Cache     int64   // bytes of the cache that all of them share
	Memory    int64   // bytes of global memory
	Bandwidth float64 // of global memory, bytes per second, for estimates of run times
	Rate      float64 // multiply-adds of a lane per second on the whole device, for estimates of run times
	Lanes     int64   // work-items of a sub-group; 0 is 32
}

// Options steer Make. The zero value is the default but for the name.
type Options struct {
	Name    string
	Form    models.Form // "" is linear
	Machine Machine
	Points  int // sizes of each kernel; 0 is 6, and 7 where it has several parameters
	// Isolated leaves out kernels that make all of a kernel's accesses together.
	Isolated bool
}

func (o Options) lanes() int64 {
	if o.Machine.Lanes > 0 {
		return o.Machine.Lanes
	}
	return 32
}

func (o Options) form() models.Form {
	if o.Form == "" {
		return models.LinearForm
	}
	return o.Form
}

func (o Options) points(params int) int {
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

// units of a device that nothing is known of, for decisions that need a number.
func (o Options) units() int64 {
	if o.Machine.Units > 0 {
		return o.Machine.Units
	}
	return 128
}

// small reports a device on which measurement kernels of the usual size would take too long.
func (o Options) small() bool { return o.Machine.Units > 0 && o.Machine.Units < 16 }
