package device

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gpuperf/samples"
)

// Check refuses a job that is malformed or that exceeds what the device states as its limits, before anything is built
// or allocated; nil means that it may be tried. The device itself checks what depends on the compiled kernel, such as the
// number of registers.
func (j Job) Check(dev Info) *Error {
	for i, l := range j.Launches() {
		for _, check := range []func(Job, Info) *Error{Job.checkForm, Job.checkArgs, Job.checkLaunch, Job.checkLocal} {
			if err := check(l, dev); err != nil {
				if i > 0 {
					err.Msg = fmt.Sprintf("launch %d, %s: %s", i+1, l.Entry, err.Msg)
				}
				return err
			}
		}
	}
	for _, check := range []func(Job, Info) *Error{Job.checkExtensions, Job.checkVariables, Job.checkKeep, Job.checkShared, Job.checkMemory} {
		if err := check(j, dev); err != nil {
			return err
		}
	}
	return nil
}

func refused(format string, args ...any) *Error { return Errorf(samples.Refused, format, args...) }

func (j Job) checkForm(Info) *Error {
	switch {
	case j.Entry == "":
		return refused("the job names no kernel function")
	case j.Dynamic < 0:
		return refused("the launch adds %d bytes of local memory", j.Dynamic)
	case len(j.Global) < 1 || len(j.Global) > 3:
		return refused("the launch has %d dimensions, not 1 to 3", len(j.Global))
	case len(j.Local) != 0 && len(j.Local) != len(j.Global):
		return refused("the work-group has %d dimensions, the launch %d", len(j.Local), len(j.Global))
	case j.Packed && (len(j.Args) != 1 || j.Args[0].Kind != Struct):
		return refused("parameters that lie together in memory are one structure, and the job brings %d arguments", len(j.Args))
	case !j.CacheMode().Valid():
		return refused("unknown mode %q", j.Mode)
	}
	return nil
}

func (j Job) checkKeep(Info) *Error {
	buffers := j.Buffers()
	for _, name := range j.Keep {
		i := slices.IndexFunc(buffers, func(a Arg) bool { return a.Name == name })
		if i < 0 {
			return refused("the job asks for the contents of %s, which is no buffer of it", name)
		}
		for _, r := range j.Parts[name] {
			if n := buffers[i].Count; r.First < 0 || r.Count <= 0 || r.First >= n || r.Count > n-r.First {
				return refused("the job asks for %d elements of %s from %d on, and it has %d", r.Count, name, r.First, n)
			}
		}
	}
	return nil
}

// checkShared: all arguments of a name are one buffer.
func (j Job) checkShared(Info) *Error {
	first := map[string]Arg{}
	for b := range j.allBuffers() {
		a, ok := first[b.Name]
		if !ok {
			first[b.Name] = b
		} else if b.Kind != a.Kind || b.DType != a.DType || b.Count != a.Count {
			return refused("%s has %d elements of %s in one place and %d of %s in another", a.Name, a.Count, a.DType, b.Count, b.DType)
		}
	}
	return nil
}

// allBuffers lists the buffers of all launches as often as they are passed, and the variables.
func (j Job) allBuffers() iter.Seq[Arg] {
	return func(yield func(Arg) bool) {
		lists := [][]Arg{j.Args}
		for _, l := range j.Then {
			lists = append(lists, l.Args)
		}
		for _, list := range append(lists, j.Variables) {
			for _, a := range list {
				if a.Kind != Scalar && !a.eachBuffer(yield) {
					return
				}
			}
		}
	}
}

// Buffers lists the buffers of all launches and the variables, each once: arguments of a name are one buffer. One is read or written where
// any launch does so.
func (j Job) Buffers() []Arg {
	var out []Arg
	for a := range j.allBuffers() {
		i := slices.IndexFunc(out, func(b Arg) bool { return b.Name == a.Name })
		if i < 0 {
			a.At = 0
			out = append(out, a)
			continue
		}
		out[i].Read, out[i].Write = out[i].Read || a.Read, out[i].Write || a.Write
	}
	return out
}

// typeExtensions are the extensions of OpenCL C that bring arithmetic types.
var typeExtensions = []struct{ name, dtype string }{{"cl_khr_fp64", "float64"}, {"cl_khr_fp16", "float16"}}

// checkExtensions refuses a source that asks for a type that the device does not list. A device of a record lists nothing.
func (j Job) checkExtensions(dev Info) *Error {
	for _, e := range typeExtensions {
		if len(dev.Extensions) > 0 && !slices.Contains(dev.Extensions, e.name) &&
			strings.Contains(j.Source, "#pragma OPENCL EXTENSION "+e.name+" : enable") {
			return refused("the kernel computes in %s, and the device lacks %s", e.dtype, e.name).WithHint("NVIDIA's GPUs compute in it by CUDA")
		}
	}
	return nil
}

func (j Job) checkArgs(Info) *Error {
	for i, a := range j.Args {
		err := a.check()
		if a.Kind == Variable {
			err = fmt.Errorf("a variable is no argument")
		}
		if err != nil {
			return refused("argument %d (%s): %v", i, a.Name, err)
		}
	}
	return nil
}

func (j Job) checkVariables(Info) *Error {
	for _, v := range j.Variables {
		err := v.check()
		if v.Kind != Variable {
			err = fmt.Errorf("unknown kind %q", v.Kind)
		}
		if err != nil {
			return refused("variable %s: %v", v.Name, err)
		}
	}
	return nil
}

func (a Arg) check() error {
	switch a.Kind {
	case Scalar:
		return a.checkScalar()
	case Raw:
		if len(a.Bits) == 0 {
			return fmt.Errorf("has no bytes")
		}
		return nil
	case Struct:
		return a.checkFields()
	case Buffer, Local, Variable:
		return a.checkMemory()
	}
	return fmt.Errorf("unknown kind %q", a.Kind)
}

func (a Arg) checkFields() error {
	for _, f := range a.Fields {
		size := f.Arg.Size()
		if f.Offset < 0 || size == 0 || f.Offset > a.Count-size {
			return fmt.Errorf("%s of %d bytes at byte %d is no part of a structure of %d bytes", f.Arg.Name, size, f.Offset, a.Count)
		}
		if err := f.Arg.check(); err != nil {
			return err
		}
	}
	return nil
}

func (a Arg) checkMemory() error {
	size := DTypeSize(a.DType)
	switch {
	case size == 0:
		return fmt.Errorf("unknown dtype %q", a.DType)
	case a.Count <= 0:
		return fmt.Errorf("has %d elements", a.Count)
	case a.Count > math.MaxInt64/size:
		return fmt.Errorf("%d elements of %s exceed any memory", a.Count, a.DType)
	case a.At < 0 || a.At > a.Bytes():
		return fmt.Errorf("byte %d is none of its %d", a.At, a.Bytes())
	case a.Sequence != nil:
		return a.Sequence.check(a.DType, a.Count)
	case a.Formula != nil:
		return a.Formula.Check(a.DType)
	}
	return nil
}

func (a Arg) checkScalar() error {
	if _, err := a.ScalarBytes(); err != nil {
		return err
	}
	if DTypeIsFloat(a.DType) && a.Int != 0 {
		return fmt.Errorf("a %s takes its value from Float, not from Int", a.DType)
	}
	if !DTypeIsFloat(a.DType) && a.Float != 0 {
		return fmt.Errorf("a %s takes its value from Int, not from Float", a.DType)
	}
	return nil
}

func (j Job) checkLaunch(dev Info) *Error {
	group := int64(1)
	for d, g := range j.Global {
		if g <= 0 {
			return refused("dimension %d of the launch has %d work-items", d, g)
		}
		if len(j.Local) == 0 {
			continue
		}
		l := j.Local[d]
		switch {
		case l <= 0:
			return refused("dimension %d of the work-group has %d work-items", d, l)
		case g%l != 0:
			return refused("dimension %d: %d work-items do not divide into work-groups of %d", d, g, l)
		case d < len(dev.MaxWorkItems) && l > dev.MaxWorkItems[d]:
			return refused("dimension %d of the work-group has %d work-items, the device allows %d", d, l, dev.MaxWorkItems[d])
		case group > math.MaxInt64/l:
			return refused("the work-group %v is larger than any device allows", j.Local)
		}
		group *= l
	}
	if len(j.Local) > 0 && dev.MaxWorkGroup > 0 && group > dev.MaxWorkGroup {
		return refused("a work-group of %d work-items, the device allows %d", group, dev.MaxWorkGroup).
			WithHint("make the work-group smaller")
	}
	return nil
}

// checkLocal adds up the local memory of a launch.
func (j Job) checkLocal(dev Info) *Error {
	local := saturate(j.LocalMem, j.Dynamic)
	for _, a := range j.Args {
		if a.Kind == Local {
			local = saturate(local, a.Bytes())
		}
	}
	if most := dev.MaxLocalMem(); most > 0 && local > most {
		return refused("%d bytes of local memory for a work-group, the device has %d", local, most).
			WithHint("make the local tiles smaller")
	}
	return nil
}

func (j Job) checkMemory(dev Info) *Error {
	global := int64(0)
	for _, a := range j.Buffers() {
		n := a.Bytes()
		if dev.MaxAlloc > 0 && n > dev.MaxAlloc {
			i := slices.IndexFunc(j.Args, func(b Arg) bool { return b.Name == a.Name })
			return refused("argument %d (%s): a buffer of %d bytes, the device allows %d", max(i, 0), a.Name, n, dev.MaxAlloc).
				WithHint("choose smaller sizes")
		}
		global = saturate(global, n)
		if a.Read && a.Write {
			global = saturate(global, n)
		}
	}
	if dev.GlobalMem > 0 && global > dev.GlobalMem {
		return refused("%d bytes of buffers, the device has %d", global, dev.GlobalMem).WithHint("choose smaller sizes")
	}
	return nil
}

func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
