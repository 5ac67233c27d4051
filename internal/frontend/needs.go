package frontend

import (
	"context"
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/launches"
	"gpuperf/ckernel"
	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/internal/cname"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
	"gpuperf/launchfile"
)

// refuse is the verdict on a launch that its function does not allow.
func refuse(at *source.Error) *device.Error { return device.Refusal("%s", at.Msg).At(at) }

// refuseGroup is the verdict on a work-group in whose place others would be allowed.
func refuseGroup(at *source.Error, others string, allowed ...int64) error {
	local := "--local " + strings.Trim(strings.ReplaceAll(fmt.Sprint(launches.Trimmed(allowed, 1)), " ", ","), "[]")
	at = at.WithHint("give %s, as in %s", others, local)
	at.Flags = []string{local}
	return refuse(at)
}

// group refuses a work-group other than the one that the function demands, and one that is larger than it allows.
func group(file *cfront.File, fn *cfront.Function, local []int64) error {
	if len(local) == 0 {
		return nil
	}
	items := int64(1)
	for d := range 3 {
		n := int64(1)
		if d < len(local) {
			n = local[d]
		}
		if fn.Group != nil && n != fn.Group[d] {
			return refuseGroup(file.Errorf(fn.Pos, "%s demands work-groups of %v (reqd_work_group_size), and the launch has %v", fn.Name, fn.Group, local), "those", fn.Group...)
		}
		items *= n
	}
	if fn.MostItems > 0 && items > fn.MostItems {
		return refuseGroup(file.Errorf(fn.Pos, "%s allows %d work-items in a work-group (__launch_bounds__), and the launch has %d", fn.Name, fn.MostItems, items), "fewer", fn.MostItems)
	}
	return nil
}

// arguments refuses arguments that are not those of the function's parameters.
func arguments(launch *launchfile.Launch, fn *cfront.Function) error {
	if len(fn.Params) != len(launch.Args) {
		return refuse(launch.Errorf("%s has %s, and args has %d", fn.Name, format.Count(len(fn.Params), "parameter"), len(launch.Args)))
	}
	for i, p := range fn.Params {
		a := launch.Args[i]
		if (a.Kind == device.Scalar) == p.Pointer {
			return refuse(a.Errorf("the parameter %s of %s is %s", p.Name, fn.Name, map[bool]string{true: "a pointer", false: "no pointer"}[p.Pointer]))
		}
		if !passes(a.DType, p) {
			return refuse(a.Errorf("the parameter %s of %s is %s, and the argument %s", p.Name, fn.Name, described(p), map[bool]string{true: "holds " + a.DType, false: "is " + a.DType}[p.Pointer]))
		}
	}
	return nil
}

func described(p *cfront.Var) string {
	if p.Pointer {
		return "a pointer to " + string(p.DType)
	}
	return string(p.DType)
}

// passes reports whether a number of a type, or a buffer with such elements, is what a parameter takes. Signs do not matter, and integers of 16 bits
// are the bits of floating-point numbers for which launch files have no type. Of buffers the size of elements decides: what memory starts with
// may be made of numbers of another kind, and bytes are memory of any.
func passes(dtype string, p *cfront.Var) bool {
	of := p.DType
	if p.Pointer {
		of = of.Base()
	}
	given, size := expr.DType(dtype), device.DTypeSize(dtype)
	switch {
	case of == "" || !of.Known() || size == 0: // structs, and void
		return true
	case p.Pointer:
		return size == of.Size() || size == 1 || of.Size() == 1
	case size != of.Size() || of.IsVector():
		return false
	}
	return given.IsFloat() == of.IsFloat() || size == 2
}

// stopped is the error of work that did not end by itself, nil for others.
func stopped(ctx context.Context, err error) error {
	if bounded.Stopped(err) || ctx.Err() != nil {
		return err
	}
	return nil
}

// launchOptions are those that a launch reads its function by.
func launchOptions(launch *launchfile.Launch) ckernel.Options {
	opt := ckernel.Options{C: cfront.Options{Include: launch.Include, Define: launch.Define}, Local: launch.Block}
	nameFunction(&opt, launch.Kernel)
	for _, e := range launch.Grid {
		opt.Groups = append(opt.Groups, e.String())
	}
	return opt
}

// nameFunction says which function is meant: one by its name, or an instance of a template.
func nameFunction(opt *ckernel.Options, name string) {
	opt.Kernel, opt.C.Wanted = name, cname.Base(name)
	if strings.Contains(name, "<") {
		opt.Kernel, opt.C.Instance = "", name
	}
}
