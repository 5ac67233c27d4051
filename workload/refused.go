package workload

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/transform"
	"gpuperf/samples"
)

// Refused says why the case cannot run on a device with these limits, nil where nothing speaks against it: what its launch exceeds, how many
// registers it has, where that is known, or which access is out of bounds. The error is that of a launch which nobody can make.
func (c *Case) Refused(l device.Limits, on *facts.Device) (*device.Error, error) {
	job, err := c.narrow()
	if verdict, ok := device.AsError(err); ok {
		return verdict, nil
	}
	if err == nil {
		if verdict := job.Check(l); verdict != nil {
			return verdict, nil
		}
		if verdict := c.room(job, on); verdict != nil {
			return verdict, nil
		}
	}
	return c.Undefined(), err
}

// narrow is the job with indices of 32 bits where sizes fit, as how wide they are is long to find and refuses nothing then.
func (c *Case) narrow() (_ device.Job, err error) {
	defer throw.Catch(&err)
	if c.Own != nil || slices.ContainsFunc(slices.Collect(maps.Values(c.Sizes)), func(n int64) bool { return n > math.MaxInt32 }) {
		return c.Job(device.Policy{})
	}
	throw.If(c.CheckSizes())
	return c.generated(device.Policy{}, false), nil
}

// room refuses a work-group whose registers, or whose local memory with what the device takes, a multiprocessor does not have, and a
// cooperative launch of more work-groups than all multiprocessors run at once.
func (c *Case) room(job device.Job, on *facts.Device) *device.Error {
	if len(job.Local) == 0 {
		return nil
	}
	g := machine.Group{Items: 1, Local: job.LocalMem + job.Dynamic, Subgroup: max(on.Int(facts.SubgroupSize), 1)}
	groups := int64(1)
	for d, n := range job.Local {
		g.Items *= n
		groups *= job.Global[d] / n
	}
	if c.Own != nil {
		g.Registers = c.Own.Registers
	}
	if c.Compiled != nil && c.Compiled.Registers > 0 {
		g.Registers, g.Local = c.Compiled.Registers, c.Compiled.LocalMem+job.Dynamic
	}
	if g.Registers > 0 {
		if why := machine.Fits(on, g); why != "" {
			return device.Refusal("%s", why)
		}
	}
	if job.Attributes == nil || !job.Attributes.Cooperative {
		return nil
	}
	if why := machine.Together(on, g, groups); why != "" {
		return device.Refusal("%s", why)
	}
	return nil
}

// Doubts say what C leaves undefined in a launch of the case that is none the less counted and emulated: barriers that not all reach, indices that overflow.
func (c *Case) Doubts() []string {
	texts := c.IR.DoubtsAt(c.Sizes)
	if o := c.IR.FindOverflow(c.Sizes); o != nil {
		texts = append(texts, fmt.Sprintf("%s:%d:%d: %v", o.Place.File, o.Place.Line, o.Place.Column, o))
	}
	return texts
}

// Undefined says which access of a source that exists is out of bounds at the sizes of the case, of memory whose extent the source or the launch
// says, nil for none. Sources that are generated have no such access (package kernel checks them).
func (c *Case) Undefined() *device.Error {
	if c.Own == nil {
		return nil
	}
	known := *c // a launch file has sizes that the kernel knows nothing of
	known.Sizes = c.fixed()
	if known.CheckCounting() != nil {
		return nil
	}
	fixed, err := transform.FixParameters(c.IR, c.fixed())
	if err != nil {
		return nil // the sizes are wrong, which others say
	}
	outside := (*kernel.Outside)(nil)
	if err := fixed.FindOutside(c.extentOf); errors.As(err, &outside) {
		return c.faulty(outside, outside.Place)
	}
	return nil
}

// faulty is the verdict on what is undefined at a place of the source.
func (c *Case) faulty(what error, at kernel.Place) *device.Error {
	verdict := device.Errorf(samples.Faulty, "%v", what)
	if c.Own.Place == nil || at.Line == 0 {
		return verdict
	}
	return verdict.At(c.Own.Place(at, what.Error()))
}

// fixed are the sizes of the kernel's parameters.
func (c *Case) fixed() map[string]int64 {
	at := maps.Clone(c.Sizes)
	maps.DeleteFunc(at, func(name string, _ int64) bool { return !c.IR.IsParam(name) })
	return at
}

// extentOf is how many elements an array has: of local, private and constant memory as its declaration says, of global memory as its buffer.
func (c *Case) extentOf(a *kernel.Array) (int64, bool) {
	if a.Space == kernel.Local || a.Space == kernel.Private || a.Constant && slices.ContainsFunc(c.IR.Args, func(b *kernel.Array) bool { return b.Name == a.Name }) {
		n, err := a.Elements(nil)
		return n, err == nil
	}
	if c.Own.Bytes == nil || a.Space != kernel.Global {
		return 0, false
	}
	bytes, known := c.Own.Bytes(a.Name, c.launchSizes())
	return bytes / max(a.DType.Size(), 1), known
}
