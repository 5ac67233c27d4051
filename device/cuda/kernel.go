package cuda

import (
	"runtime"
	"slices"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// Attributes of functions (CUfunction_attribute). The numbers are those of cuda.h.
const (
	functionMaxThreads = 0
	functionShared     = 1
	functionLocal      = 3
	functionRegisters  = 4
	functionMaxDynamic = 8
	functionCarveout   = 9
	functionWide       = 14 // whether clusters may have more than 8 work-groups
)

// kernel is a function with the values of its parameters.
type kernel struct {
	*driver
	function uintptr
	shared   int64 // bytes of dynamic shared memory
	values   [][]byte
	all      []byte // the parameters as they lie in memory, in place of values
	launched []launchAttribute
	carved   bool // a division of the L1 cache is set
}

// Kernel finds a kernel function.
func (d *driver) Kernel(p runner.Program, entry string) (runner.Kernel, error) {
	program := p.(*program)
	f, err := d.function(program, program.symbol(entry))
	if codeOf(err) == notFound {
		return nil, device.Errorf(samples.BuildFailed, "the program has no kernel function %s", entry).WithHint("it has %s", readable(program.image))
	}
	if err != nil {
		return nil, err
	}
	return &kernel{driver: d, function: f}, nil
}

// Address is what the memory is called by.
func (d *driver) Address(m runner.Memory) (uint64, error) { return uint64(m), nil }

// Variable finds a variable of device or constant memory.
func (d *driver) Variable(p runner.Program, name string) (runner.Memory, int64, error) {
	program := p.(*program)
	var pin runtime.Pinner
	defer pin.Unpin()
	place := new([2]uintptr)
	pin.Pin(place)
	err := d.do("cuModuleGetGlobal_v2", uintptr(unsafe.Pointer(&place[0])), uintptr(unsafe.Pointer(&place[1])), program.module,
		cString(&pin, program.symbol("&"+name)))
	if codeOf(err) == notFound {
		return 0, 0, device.Errorf(samples.Refused, "the program has no variable %s in device or constant memory", name)
	}
	return runner.Memory(place[0]), int64(place[1]), err
}

func (d *driver) function(p *program, name string) (uintptr, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	return get[uintptr](&d.api, "cuModuleGetFunction", p.module, cString(&pin, name))
}

// Release leaves the function, which belongs to its module, as it was.
func (k *kernel) Release() {
	if k.carved {
		k.do("cuFuncSetAttribute", k.function, functionCarveout, ^uintptr(0)) // -1 leaves it to the driver
		k.carved = false
	}
}

// param asks where parameter i lies, and for its size. The error is invalidValue where there is none.
func (k *kernel) param(i int) (offset, size int, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	place := new([2]uintptr)
	pin.Pin(place)
	err = k.do("cuFuncGetParamInfo", k.function, uintptr(i), uintptr(unsafe.Pointer(&place[0])), uintptr(unsafe.Pointer(&place[1])))
	return int(place[0]), int(place[1]), err
}

// Params counts the parameters by asking for each.
func (k *kernel) Params() int {
	const most = 4096 // bytes of parameters until CUDA 12; with more of them than that each would be empty
	for i := range most {
		switch _, _, err := k.param(i); codeOf(err) {
		case success:
		case invalidValue:
			return i
		default:
			return -1
		}
	}
	return -1
}

func (k *kernel) attribute(attribute uintptr) int64 {
	v, _ := get[int32](&k.api, "cuFuncGetAttribute", attribute, k.function)
	return int64(v)
}

// Compiled describes the machine code, and how many groups of a size a multiprocessor holds.
func (k *kernel) Compiled(group int64) samples.Compiled {
	c := samples.Compiled{
		PreferredMultiple: 32, MaxWorkGroup: k.attribute(functionMaxThreads), LocalMem: k.attribute(functionShared),
		PrivateMem: k.attribute(functionLocal), Registers: k.attribute(functionRegisters),
	}
	if group > 0 {
		n, err := get[int32](&k.api, "cuOccupancyMaxActiveBlocksPerMultiprocessor", k.function, uintptr(group), uintptr(k.shared))
		if err == nil {
			c.GroupsPerUnit = int64(n)
		}
		if err == nil && k.warps > 0 {
			warps := (group + c.PreferredMultiple - 1) / c.PreferredMultiple
			c.Occupancy = float64(c.GroupsPerUnit*warps) / float64(k.warps)
		}
	}
	return c
}

// SetBuffer passes the address of a buffer.
func (k *kernel) SetBuffer(i int, m runner.Memory) error {
	value := make([]byte, unsafe.Sizeof(m))
	*(*runner.Memory)(unsafe.Pointer(&value[0])) = m
	return k.set(i, value)
}

// SetScalar passes a number, or other bytes.
func (k *kernel) SetScalar(i int, value []byte) error {
	if _, size, err := k.param(i); err == nil && size != len(value) {
		return device.Errorf(samples.Refused, "the parameter has %d bytes, and is given %d", size, len(value))
	}
	return k.set(i, value)
}

// SetAll passes all parameters in one piece.
func (k *kernel) SetAll(value []byte) error {
	if n := k.Params(); n > 0 {
		offset, size, err := k.param(n - 1)
		if err == nil && offset+size != len(value) {
			return device.Errorf(samples.Refused, "the parameters have %d bytes, and are given %d", offset+size, len(value))
		}
	}
	k.all = slices.Clone(value)
	return nil
}

func (k *kernel) set(i int, value []byte) error {
	for len(k.values) <= i {
		k.values = append(k.values, nil)
	}
	k.values[i] = append(make([]byte, 0, 16), value...)
	return nil
}

// SetLocal refuses: CUDA has no parameters in shared memory.
func (k *kernel) SetLocal(int, int64) error {
	return device.Errorf(samples.Refused, "CUDA passes no local memory as an argument").WithHint("declare it in the kernel as extern __shared__")
}

// SetDynamic gives the launch dynamic shared memory. The driver wants to be told of more than 48 KB, and may always be.
func (k *kernel) SetDynamic(bytes int64) error {
	k.shared = bytes
	if bytes == 0 {
		return nil
	}
	return k.do("cuFuncSetAttribute", k.function, functionMaxDynamic, uintptr(bytes))
}

// grid is the number of groups and their size in three dimensions.
func grid(global, local []int64) (groups, group [3]int64, err error) {
	for i := range 3 {
		groups[i], group[i] = 1, 1
		if i >= len(global) {
			continue
		}
		if i < len(local) {
			group[i] = local[i]
		} else if i == 0 {
			group[i] = anyGroup(global[0])
		}
		if group[i] <= 0 || global[i]%group[i] != 0 {
			return groups, group, device.Errorf(samples.Refused, "%d work-items are not a number of work-groups of %d", global[i], group[i])
		}
		groups[i] = global[i] / group[i]
	}
	return groups, group, nil
}

// anyGroup is a size for work-groups that are left to the driver: the largest power of two up to 256 that divides the work-items.
func anyGroup(items int64) int64 {
	group := int64(256)
	for items%group != 0 {
		group /= 2
	}
	return group
}

// Launch enqueues the kernel between two events; while a graph is recorded, without events.
func (k *kernel) Launch(global, local []int64) (runner.Event, error) {
	groups, group, err := grid(global, local)
	if err != nil {
		return nil, err
	}
	if k.recording {
		return nil, k.enqueue(groups, group)
	}
	return k.between(func() error { return k.enqueue(groups, group) })
}

// between enqueues something between two events.
func (d *driver) between(enqueue func() error) (runner.Event, error) {
	e := &event{driver: d}
	var err error
	for _, at := range []*uintptr{&e.began, &e.ended} {
		if *at, err = get[uintptr](&d.api, "cuEventCreate", 0); err != nil {
			e.Release()
			return nil, err
		}
	}
	defer d.holdBack()()
	d.busy = true
	err = d.do("cuEventRecord", e.began, d.stream)
	if err == nil {
		err = enqueue()
	}
	if err == nil {
		err = d.do("cuEventRecord", e.ended, d.stream)
	}
	if err != nil {
		e.Release()
		return nil, err
	}
	return e, nil
}

// enqueue launches the kernel with its arguments.
func (k *kernel) enqueue(groups, group [3]int64) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	one, all := k.arguments(&pin)
	if k.launched != nil {
		return k.enqueueWith(&pin, groups, group, one, all)
	}
	return k.do("cuLaunchKernel", k.function, uintptr(groups[0]), uintptr(groups[1]), uintptr(groups[2]),
		uintptr(group[0]), uintptr(group[1]), uintptr(group[2]), uintptr(k.shared), k.stream, one, all)
}

// arguments are the places of the values one by one, or of all together.
func (k *kernel) arguments(pin *runtime.Pinner) (one, all uintptr) {
	if k.all != nil {
		const buffer, bytes, end = 1, 2, 0 // CU_LAUNCH_PARAM_BUFFER_POINTER and so on
		size := new(uintptr)
		*size = uintptr(len(k.all))
		pin.Pin(size)
		pin.Pin(&k.all[0])
		extra := []uintptr{buffer, uintptr(unsafe.Pointer(&k.all[0])), bytes, uintptr(unsafe.Pointer(size)), end}
		pin.Pin(&extra[0])
		return 0, uintptr(unsafe.Pointer(&extra[0]))
	}
	places := make([]uintptr, max(len(k.values), 1))
	for i, v := range k.values {
		if len(v) > 0 {
			pin.Pin(&v[0])
			places[i] = uintptr(unsafe.Pointer(&v[0]))
		}
	}
	pin.Pin(&places[0])
	return uintptr(unsafe.Pointer(&places[0])), 0
}

// event are the events before and after a launch.
type event struct {
	*driver
	began, ended uintptr
}

// Release gives the events back.
func (e *event) Release() {
	for _, at := range []uintptr{e.began, e.ended} {
		if at != 0 {
			e.do("cuEventDestroy_v2", at)
		}
	}
	e.began, e.ended = 0, 0
}

// Wait waits until the launch has ended.
func (e *event) Wait() error {
	err := e.do("cuEventSynchronize", e.ended)
	e.busy = err != nil
	return err
}

// SecondsTo is the time between two events, which the driver gives in milliseconds.
func (e *event) SecondsTo(end runner.Event) (float64, error) {
	ms, err := get[float32](&e.api, "cuEventElapsedTime", e.began, end.(*event).ended)
	return float64(ms) / 1e3, err
}
