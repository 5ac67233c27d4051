package device

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gpuperf/samples"
)

// Check refuses a job that is malformed or that exceeds the limits of a device, before anything is built
// or allocated; nil means that it may be tried. The device itself checks what depends on the compiled kernel, such as the
// number of registers.
func (j Job) Check(l Limits) *Error {
	for i, one := range j.Launches() {
		for _, check := range []func(Job) *Error{Job.checkForm, Job.checkArgs} {
			if err := check(one); err != nil {
				return err.inLaunch(i, one.Entry)
			}
		}
	}
	for _, check := range []func(Job) *Error{Job.checkVariables, Job.checkKeep, Job.checkShared} {
		if err := check(j); err != nil {
			return err
		}
	}
	if err := j.checkExtensions(l); err != nil {
		return err
	}
	return j.Exceeds(l)
}

// inLaunch says which of several launches the error is about.
func (e *Error) inLaunch(i int, entry string) *Error {
	if i > 0 {
		e.Msg = fmt.Sprintf("launch %d, %s: %s", i+1, entry, e.Msg)
	}
	return e
}

func refused(format string, args ...any) *Error { return Errorf(samples.Refused, format, args...) }

// Refusal is the verdict on a job that a device would not run, for a reason that others than Check have found.
func Refusal(format string, args ...any) *Error { return refused(format, args...) }

func (j Job) checkForm() *Error {
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

func (j Job) checkKeep() *Error {
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
func (j Job) checkShared() *Error {
	first := map[string]Arg{}
	for b := range j.Pointers() {
		a, ok := first[b.Name]
		if !ok {
			first[b.Name] = b
		} else if b.Kind != a.Kind || b.DType != a.DType || b.Count != a.Count {
			return refused("%s has %d elements of %s in one place and %d of %s in another", a.Name, a.Count, a.DType, b.Count, b.DType)
		}
	}
	return nil
}

// Pointers lists the buffers of all launches as often as they are passed, and the variables.
func (j Job) Pointers() iter.Seq[Arg] {
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
	for a := range j.Pointers() {
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
func (j Job) checkExtensions(l Limits) *Error {
	for _, e := range typeExtensions {
		if len(l.Extensions) > 0 && !slices.Contains(l.Extensions, e.name) &&
			strings.Contains(j.Source, "#pragma OPENCL EXTENSION "+e.name+" : enable") {
			return refused("the kernel computes in %s, and the device lacks %s", e.dtype, e.name).WithHint("NVIDIA's GPUs compute in it by CUDA")
		}
	}
	return nil
}

func (j Job) checkArgs() *Error {
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

func (j Job) checkVariables() *Error {
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
