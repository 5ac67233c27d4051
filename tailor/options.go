package tailor

import (
	"fmt"
	"slices"
	"strings"
)

// Form is how a model joins the costs of global memory and on-chip work.
type Form string

// The forms (Stevens and Klöckner, equations 7 and 8; a p-norm holds both in one).
const (
	Linear  Form = "linear"  // their sum
	Overlap Form = "overlap" // the larger of the two, with a switch whose steepness is fitted
	PNorm   Form = "pnorm"   // (gmem^p + onchip^p)^(1/p), with p fitted
)

// Forms lists the forms.
var Forms = []Form{Linear, Overlap, PNorm}

// ParseForm reads the name of a form.
func ParseForm(text string) (Form, error) {
	if f := Form(text); slices.Contains(Forms, f) {
		return f, nil
	}
	var names []string
	for _, f := range Forms {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown form %q (forms are %s)", text, strings.Join(names, ", "))
}

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
	Form    Form // "" is Linear
	Machine Machine
	Points  int // sizes of each kernel; 0 is 6, and 7 where it has several parameters
	// Isolated leaves out kernels that make all of a kernel's accesses together.
	Isolated bool
	// AllForms measures what any form needs, so that forms can be compared on the same samples.
	AllForms bool
}

func (o Options) lanes() int64 {
	if o.Machine.Lanes > 0 {
		return o.Machine.Lanes
	}
	return 32
}

func (o Options) form() Form {
	if o.Form == "" {
		return Linear
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
func (o Options) overlaps() bool { return o.AllForms || o.form() != Linear }

// units of a device that nothing is known of, for decisions that need a number.
func (o Options) units() int64 {
	if o.Machine.Units > 0 {
		return o.Machine.Units
	}
	return 128
}

// small reports a device on which measurement kernels of the usual size would take too long.
func (o Options) small() bool { return o.Machine.Units > 0 && o.Machine.Units < 16 }
