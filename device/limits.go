package device

import (
	"math"
	"slices"

	"gpuperf/samples"
)

// Limits are what a device refuses beyond; 0 is not known, and refuses nothing.
type Limits struct {
	GroupItems int64    // work-items of a work-group
	Group      [3]int64 // work-items of a work-group along each axis
	Groups     [3]int64 // work-groups of a launch along each axis
	Local      int64    // bytes of local memory of a work-group
	Declared   int64    // bytes of local memory that a source may declare; a launch can add more
	Alloc      int64    // bytes of a buffer
	Global     int64    // bytes of all buffers
	Extensions []string // of OpenCL, that the device lists; none where that is not known
}

// Limits are those that the device tells. What its data sheet says besides, package facts adds.
func (i Info) Limits() Limits {
	l := Limits{GroupItems: i.MaxWorkGroup, Local: i.LocalMem, Alloc: i.MaxAlloc, Global: i.GlobalMem, Extensions: i.Extensions}
	copy(l.Group[:], i.MaxWorkItems)
	if i.Interface == samples.CUDA { // a launch may ask for more than what sources may declare
		l.Declared, l.Local = i.LocalMem, 0
		if i.CUDA != nil {
			l.Local = max(i.LocalMem, i.CUDA.LocalMemOptIn)
		}
	}
	return l
}

// Exceeds says which limit the launches of the job exceed, nil for none.
func (j Job) Exceeds(l Limits) *Error {
	for i, one := range j.Launches() {
		for _, check := range []func(Job, Limits) *Error{Job.checkLaunch, Job.checkGrid, Job.checkLocal} {
			if err := check(one, l); err != nil {
				return err.inLaunch(i, one.Entry)
			}
		}
	}
	return j.checkMemory(l)
}

func (j Job) checkLaunch(l Limits) *Error {
	group := int64(1)
	for d, g := range j.Global {
		if g <= 0 {
			return refused("dimension %d of the launch has %d work-items", d, g)
		}
		if len(j.Local) == 0 {
			continue
		}
		n := j.Local[d]
		switch {
		case n <= 0:
			return refused("dimension %d of the work-group has %d work-items", d, n)
		case g%n != 0:
			return refused("dimension %d: %d work-items do not divide into work-groups of %d", d, g, n)
		case l.Group[d] > 0 && n > l.Group[d]:
			return refused("dimension %d of the work-group has %d work-items, the device allows %d", d, n, l.Group[d])
		case group > math.MaxInt64/n:
			return refused("the work-group %v is larger than any device allows", j.Local)
		}
		group *= n
	}
	if len(j.Local) > 0 && l.GroupItems > 0 && group > l.GroupItems {
		return refused("a work-group of %d work-items, the device allows %d", group, l.GroupItems).WithHint("make the work-group smaller")
	}
	return nil
}

func (j Job) checkGrid(l Limits) *Error {
	for d := range j.Local {
		if n := j.Global[d] / j.Local[d]; l.Groups[d] > 0 && n > l.Groups[d] {
			return refused("dimension %d of the launch has %d work-groups, the device allows %d", d, n, l.Groups[d])
		}
	}
	return nil
}

// checkLocal adds up the local memory of a launch.
func (j Job) checkLocal(l Limits) *Error {
	if l.Declared > 0 && j.LocalMem > l.Declared {
		return refused("the source declares %d bytes of local memory for a work-group, the device allows %d", j.LocalMem, l.Declared).
			WithHint("make the local tiles smaller, or let the launch give them, as dynamic shared memory")
	}
	local := saturate(j.LocalMem, j.Dynamic)
	for _, a := range j.Args {
		if a.Kind == Local {
			local = saturate(local, a.Bytes())
		}
	}
	if l.Local > 0 && local > l.Local {
		return refused("%d bytes of local memory for a work-group, the device has %d", local, l.Local).WithHint("make the local tiles smaller")
	}
	return nil
}

func (j Job) checkMemory(l Limits) *Error {
	global := int64(0)
	for _, a := range j.Buffers() {
		n := a.Bytes()
		if l.Alloc > 0 && n > l.Alloc {
			i := slices.IndexFunc(j.Args, func(b Arg) bool { return b.Name == a.Name })
			return refused("argument %d (%s): a buffer of %d bytes, the device allows %d", max(i, 0), a.Name, n, l.Alloc).WithHint("choose smaller sizes")
		}
		global = saturate(global, n)
		if a.Read && a.Write {
			global = saturate(global, n)
		}
	}
	if l.Global > 0 && global > l.Global {
		return refused("%d bytes of buffers, the device has %d", global, l.Global).WithHint("choose smaller sizes")
	}
	return nil
}

func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
