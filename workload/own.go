package workload

import (
	"fmt"
	"maps"

	"gpuperf/device"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/samples"
)

// Own is the launch of a kernel whose source exists: it runs as it is, and nothing is generated.
type Own struct {
	Interface samples.Interface // that the source is for
	File      string            // that says how it is launched
	// Job is the launch at sizes, which may be more than those of the kernel.
	Job func(at map[string]int64) (device.Job, error)
	// Unverified says why results are not compared with those of the interpreter; "" where they are: then buffers have the names of the
	// kernel's arrays, and scalars those of its values.
	Unverified string
	// Place is an error at a place of the source.
	Place func(at kernel.Place, msg string) *source.Error
	// Passed says which headers of the source were not found and passed over, and which were found where nobody said; "" without any.
	Passed func() string
	// Whole are the sizes to be given for a kernel that has no parts which are not counted; none where there are none.
	Whole []string
	// Shared is how large local memory may be that the launch does not say, for such a kernel; "" where it says it.
	Shared string
	// Disregard: parts that are not counted do not matter.
	Disregard bool
	// Fixed are sizes whose values the kernel was read for: at others it is another one.
	Fixed map[string]int64
	// Registers are those of a work-item, where a launch file gives them; 0 elsewhere.
	Registers int64
	// Bytes are those of the buffer that is passed for an array, false where nobody says them. Nil is the same of all.
	Bytes func(array string, at map[string]int64) (int64, bool)
}

// fixedAt is the value that a size has in any launch of the case: one that it was read for, or how large an array is whose extent nothing else says.
func (c *Case) fixedAt(size string) (n int64, is bool) {
	if c.Own == nil {
		return 0, false
	}
	if n, is = c.Own.Fixed[size]; is {
		return n, is
	}
	n = c.Sizes[size]
	return n, n > 0 && c.OpenArray(size) != nil
}

// WhyUnverified says why nobody asks that results are compared.
func (c *Case) WhyUnverified() string {
	if c.Own != nil && c.Own.Unverified != "" {
		return c.Own.Unverified
	}
	return "nothing asks for it"
}

// launchSizes are those of the case, and those of a launch file that the kernel knows nothing of.
func (c *Case) launchSizes() map[string]int64 {
	at := maps.Clone(c.Identity.Sizes)
	if at == nil {
		at = map[string]int64{}
	}
	maps.Copy(at, c.Sizes)
	return at
}

// ownJob is the launch of the source that exists.
func (c *Case) ownJob(policy device.Policy) device.Job {
	job := throw.Get(c.Own.Job(c.launchSizes()))
	job.Identity, job.Policy = c.Identity, policy
	job.LocalMem = c.declaredLocal()
	return job
}

// Extents are those of three dimensions, of which a launch may leave out the last.
func Extents(given []int64) (all [3]int64) {
	for d := range all {
		all[d] = 1
		if d < len(given) {
			all[d] = given[d]
		}
	}
	return all
}

// CheckInterface refuses a case whose source is for another interface than the device's.
func (c *Case) CheckInterface(on samples.Interface) error {
	if c.Own == nil || c.Own.Interface == on {
		return nil
	}
	return fmt.Errorf("%s runs under %s, and not under %s", c.Own.File, c.Own.Interface, on)
}

// FromOpenCL are cases of sources in OpenCL C as if these did not exist: they are written from the kernels, in any language, and divisions are as
// exact as OpenCL C promises.
func FromOpenCL(cases []*Case) []*Case {
	all := make([]*Case, len(cases))
	for i, c := range cases {
		one := *c
		one.Kernel = NewKernel(c.IR)
		one.AsRun, one.Accuracy = c.AsRun, emit.AsOpenCL
		all[i] = &one
	}
	return all
}

// tripsPrefix begins the names of sizes that are averages of iterations.
const tripsPrefix = kernel.TripsPrefix

// declaredLocal are the bytes of local memory of a work-group that the source declares.
func (k *Kernel) declaredLocal() (bytes int64) {
	for _, a := range k.IR.Temps {
		if a.Space == kernel.Local && !a.Dynamic {
			n, _ := a.Elements(nil) // extents of what a source declares are numbers
			bytes += n * a.DType.Size()
		}
	}
	return bytes
}
