package opencl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"gpuperf/device"
	"gpuperf/samples"
)

// Device is an open OpenCL device with a profiling queue and a cache of programs.
type Device struct {
	platform
	id       object
	info     device.Info
	context  object
	queue    object
	programs map[string]program
	order    []string // keys of programs, the one used longest ago first
	most     int      // programs in memory, at most
	folder   string   // where built programs are kept; "" is nowhere
	sweep    sweeper
	pool     pool
	state    *nvml // nil where nothing tells the clocks

	lastClocks *samples.Clocks
	asked      time.Time
}

func openDevice(p platform, id object, info device.Info) (*Device, error) {
	const contextPlatform, queueProfiling = 0x1084, 1 << 1
	d := &Device{platform: p, id: id, info: info, programs: map[string]program{}, most: keepPrograms}
	properties := []uintptr{contextPlatform, uintptr(p.id), 0}
	ids := []object{id}
	var err error
	d.context, err = p.create(createContext, uintptr(unsafe.Pointer(&properties[0])), 1, uintptr(unsafe.Pointer(&ids[0])), 0, 0)
	if err != nil {
		return nil, err
	}
	d.queue, err = p.create(createCommandQueue, uintptr(d.context), uintptr(id), queueProfiling)
	if err != nil {
		d.Close()
		return nil, err
	}
	if strings.Contains(info.Vendor, "NVIDIA") {
		d.state = openNVML(nvmlLibraries, info.UUID, info.PCI)
	}
	return d, nil
}

// Info describes the device.
func (d *Device) Info() device.Info { return d.info }

// Close releases everything that the device holds.
func (d *Device) Close() error {
	d.sweep.close(d)
	d.pool.close(d)
	d.state.close()
	d.state = nil
	for _, p := range d.programs {
		d.release(releaseProgram, p.id)
	}
	d.programs = nil
	d.release(releaseCommandQueue, d.queue)
	d.release(releaseContext, d.context)
	d.queue, d.context = 0, 0
	return nil
}

// Run builds the job's program, unless it is at hand, fills the buffers, launches once and reads the outputs,
// warms up, and takes the trials.
func (d *Device) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if d.queue == 0 {
		return nil, errors.New("the device is closed")
	}
	if err := job.Check(d.info); err != nil {
		return nil, err
	}
	d.pool.trim(d)
	var want expected
	if job.Expect != nil {
		var err error
		if want, err = d.expected(ctx, job.Expect); err != nil {
			return nil, err
		}
	}
	result := &device.Result{}
	bound, err := d.prepare(ctx, job, result)
	if err != nil {
		return nil, err
	}
	defer bound.release()
	bound.want = want
	if err := d.time(ctx, job, bound, result); err != nil {
		return nil, err
	}
	return result, nil
}

// prepare builds the kernels of the job and binds their arguments.
func (d *Device) prepare(ctx context.Context, job device.Job, result *device.Result) (*bound, error) {
	prog, err := d.program(job)
	if err != nil {
		return nil, err
	}
	var kernels []object
	owned := false
	defer func() {
		for _, k := range kernels {
			if !owned {
				d.release(releaseKernel, k)
			}
		}
	}()
	var compiled samples.Compiled // the first kernel, and the most that any needs
	for i, l := range job.Launches() {
		kernel, err := d.kernel(prog.id, l.Entry)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, kernel)
		c := d.compiled(kernel)
		if err := d.checkCompiled(l, kernel, c); err != nil {
			return nil, err
		}
		if i == 0 {
			compiled = c
		}
		compiled.MaxWorkGroup = min(compiled.MaxWorkGroup, c.MaxWorkGroup)
		compiled.LocalMem, compiled.PrivateMem = max(compiled.LocalMem, c.LocalMem), max(compiled.PrivateMem, c.PrivateMem)
	}
	if err := device.Interrupted(ctx); err != nil {
		return nil, err
	}
	owned = true
	bound, err := d.bind(job, kernels...)
	if err != nil {
		return nil, failed(preparing, err)
	}
	result.BuildTime, result.BuildLog, result.Compiled = prog.took, prog.log, compiled
	return bound, nil
}

// tooLargeMessages are what compilers say when the source is right, but too large for the device.
var tooLargeMessages = []string{"uses too much shared data", "local memory limit exceeded", "too much local memory"}

func tooLarge(e *device.Error) *device.Error {
	for _, m := range tooLargeMessages {
		if strings.Contains(e.Log, m) {
			e.Status = samples.Refused
			e.Msg = "the kernel needs more local memory than the device has: " + lineWith(e.Log, m)
			return e.WithHint("make the local tiles smaller")
		}
	}
	return e
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return strings.TrimSpace(line)
		}
	}
	return part
}

// kernel makes a kernel object, which holds arguments.
func (d *Device) kernel(prog object, entry string) (object, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	k, err := d.create(createKernel, uintptr(prog), uintptr(unsafe.Pointer(cString(&pin, entry))))
	if codeOf(err) == invalidKernelName {
		return 0, device.Errorf(samples.BuildFailed, "the source has no kernel function %s", entry)
	}
	if err != nil {
		return 0, failed(preparing, err)
	}
	return k, nil
}

// compiled describes the compiled kernel; what the driver does not report is zero.
func (d *Device) compiled(kernel object) samples.Compiled {
	const workGroup, localMem, privateMem = 0x11B0, 0x11B2, 0x11B4
	ask := asker(func(param uint32) []byte {
		b, _ := d.query(getKernelWorkGroupInfo, param, kernel, d.id)
		return b
	})
	return samples.Compiled{
		PreferredMultiple: ask.num(preferredMultiple),
		MaxWorkGroup:      ask.num(workGroup),
		LocalMem:          ask.num(localMem),
		PrivateMem:        ask.num(privateMem),
	}
}

// checkCompiled refuses what only the compiled kernel shows to be too much. The work-group size that the driver states for
// the kernel is not asked: NVIDIA's says 256 for kernels that were compiled for more and run with more. Whether a
// group is too large for the registers shows when it is launched.
func (d *Device) checkCompiled(job device.Job, kernel object, c samples.Compiled) error {
	const numArgs = 0x1191
	if b, err := d.query(getKernelInfo, numArgs, kernel); err == nil && int(le(b)) != len(job.Args) {
		return device.Errorf(samples.Refused, "the kernel function %s has %d parameters, the job brings %d arguments",
			job.Entry, le(b), len(job.Args))
	}
	local := c.LocalMem
	for _, a := range job.Args {
		if a.Kind == device.Local {
			local += a.Bytes()
		}
	}
	if d.info.LocalMem > 0 && local > d.info.LocalMem {
		return device.Errorf(samples.Refused, "the kernel needs %d bytes of local memory for a work-group, the device has %d",
			local, d.info.LocalMem).WithHint("make the local tiles smaller")
	}
	return nil
}

// cString returns a pinned, terminated copy of a text.
func cString(pin *runtime.Pinner, s string) *byte {
	b := append([]byte(s), 0)
	pin.Pin(&b[0])
	return &b[0]
}

// helper builds a program of this package's own and makes its kernel.
func (d *Device) helper(source, entry string) (prog, kernel object, err error) {
	prog, log, err := d.build(source, "")
	if err != nil {
		return 0, 0, fmt.Errorf("%w\n%s", err, log)
	}
	if kernel, err = d.kernel(prog, entry); err != nil {
		d.release(releaseProgram, prog)
		return 0, 0, err
	}
	return prog, kernel, nil
}

// sizes gives a launch's dimensions as size_t.
func sizes(n []int64) []uintptr {
	var out []uintptr
	for _, v := range n {
		out = append(out, uintptr(v))
	}
	return out
}
