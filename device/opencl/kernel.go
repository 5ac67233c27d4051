package opencl

import (
	"cmp"
	"fmt"
	"runtime"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// kernel is a kernel object, which holds arguments.
type kernel struct {
	*driver
	id        object
	registers int64   // 0 where that is not known
	begin     []int64 // the number of the first work-item in each dimension; nil is 0
}

// Kernel makes a kernel object.
func (d *driver) Kernel(p runner.Program, entry string) (runner.Kernel, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	id, err := d.create(createKernel, uintptr(p.(program).object), uintptr(unsafe.Pointer(cString(&pin, entry))))
	if codeOf(err) == invalidKernelName {
		return nil, device.Errorf(samples.BuildFailed, "the source has no kernel function %s", entry)
	}
	if err != nil {
		return nil, err
	}
	return &kernel{driver: d, id: id, registers: p.(program).registers(entry)}, nil
}

// Address refuses: OpenCL 1.2 passes buffers, not addresses.
func (d *driver) Address(runner.Memory) (uint64, error) {
	return 0, device.Errorf(samples.Refused, "OpenCL passes whole buffers, and no addresses").WithHint("pass the buffer and a number as two arguments")
}

// Variable refuses: the host cannot write to variables of programs.
func (d *driver) Variable(runner.Program, string) (runner.Memory, int64, error) {
	return 0, 0, device.Errorf(samples.Refused, "OpenCL sets no variables of a program").WithHint("pass a buffer as an argument")
}

// Release releases the kernel object.
func (k *kernel) Release() { k.release(releaseKernel, k.id) }

// Params asks for the number of arguments.
func (k *kernel) Params() int {
	const numArgs = 0x1191 // CL_KERNEL_NUM_ARGS
	b, err := k.query(getKernelInfo, numArgs, k.id)
	if err != nil {
		return -1
	}
	return int(le(b))
}

// Compiled describes the compiled kernel, whatever the size of the work-group.
func (k *kernel) Compiled(int64) samples.Compiled {
	const workGroup, localMem, privateMem = 0x11B0, 0x11B2, 0x11B4 // CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_PRIVATE_MEM_SIZE
	ask := asker(func(param uint32) []byte {
		b, _ := k.query(getKernelWorkGroupInfo, param, k.id, k.driver.id)
		return b
	})
	return samples.Compiled{
		PreferredMultiple: ask.num(preferredMultiple),
		MaxWorkGroup:      ask.num(workGroup),
		LocalMem:          ask.num(localMem),
		PrivateMem:        ask.num(privateMem),
		Registers:         k.registers,
	}
}

func (k *kernel) setArg(i int, size uintptr, value unsafe.Pointer) error {
	return k.call(setKernelArg, uintptr(k.id), uintptr(i), size, uintptr(value))
}

// SetBuffer passes a buffer.
func (k *kernel) SetBuffer(i int, m runner.Memory) error {
	place := &m
	return k.setArg(i, unsafe.Sizeof(m), unsafe.Pointer(place))
}

// SetScalar passes a number.
func (k *kernel) SetScalar(i int, value []byte) error {
	return k.setArg(i, uintptr(len(value)), unsafe.Pointer(&value[0]))
}

// SetLocal passes local memory.
func (k *kernel) SetLocal(i int, bytes int64) error { return k.setArg(i, uintptr(bytes), nil) }

// SetAll refuses: OpenCL takes the parameters one by one.
func (k *kernel) SetAll([]byte) error {
	return device.Errorf(samples.Refused, "OpenCL takes arguments one by one").WithHint("leave their offsets out")
}

// SetDynamic refuses: OpenCL passes all local memory as arguments.
func (k *kernel) SetDynamic(bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return device.Errorf(samples.Refused, "OpenCL adds no local memory to a launch").WithHint("pass it as an argument")
}

// SetAttributes takes where the numbers of work-items begin.
func (k *kernel) SetAttributes(a *device.Attributes) error {
	k.begin = nil
	if a == nil {
		return nil
	}
	if a.Cluster != nil || a.Cooperative || a.Carveout != nil {
		return device.Errorf(samples.Refused, "launches under OpenCL are neither cooperative nor in clusters, and divide no cache")
	}
	k.begin = a.Begin
	return nil
}

// Launch enqueues the kernel.
func (k *kernel) Launch(global, local []int64) (runner.Event, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	id := new(object)
	err := k.call(enqueueNDRangeKernel, uintptr(k.queue), uintptr(k.id), uintptr(len(global)), sizes(&pin, k.begin, len(global)),
		sizes(&pin, global, 0), sizes(&pin, local, 0), 0, 0, uintptr(unsafe.Pointer(id)))
	if codeOf(err) == invalidWorkGroupSize {
		err = cmp.Or(k.requires(local), err)
	}
	if err != nil {
		return nil, err
	}
	return event{k.driver, *id}, nil
}

// requires is the error of a launch with other work-groups than the source requires; nil where it requires none.
func (k *kernel) requires(local []int64) error {
	const compileWorkGroupSize, word = 0x11B1, 8 // CL_KERNEL_COMPILE_WORK_GROUP_SIZE, and bytes of a size_t
	b, err := k.query(getKernelWorkGroupInfo, compileWorkGroupSize, k.id, k.driver.id)
	if err != nil || len(b) < 3*word || le(b[:word]) == 0 {
		return nil
	}
	var size [3]uint64
	for i := range size {
		size[i] = le(b[i*word : (i+1)*word])
	}
	return device.Errorf(samples.Refused, "the source requires work-groups of %d work-items (reqd_work_group_size), and the launch has %d", size, local)
}

// sizes passes numbers as size_t, at least so many; none as NULL.
func sizes(pin *runtime.Pinner, n []int64, least int) uintptr {
	if len(n) == 0 {
		return 0
	}
	out := make([]uintptr, max(len(n), least))
	for i, v := range n {
		out[i] = uintptr(v)
	}
	pin.Pin(&out[0])
	return uintptr(unsafe.Pointer(&out[0]))
}

// event is the profiling event of a launch.
type event struct {
	*driver
	id object
}

// Release releases the event.
func (e event) Release() { e.release(releaseEvent, e.id) }

// Wait waits for the launch, and finds the error that ended it.
func (e event) Wait() error {
	const executionStatus = 0x11D3 // CL_EVENT_COMMAND_EXECUTION_STATUS
	list := []object{e.id}
	err := e.call(waitForEvents, 1, uintptr(unsafe.Pointer(&list[0])))
	b, queryErr := e.query(getEventInfo, executionStatus, e.id)
	if queryErr == nil && len(b) == 4 {
		if status := code(int32(le(b))); status < 0 {
			return fmt.Errorf("the kernel was aborted: %w", &callError{Function: enqueueNDRangeKernel.name, Code: status})
		}
	}
	if codeOf(err) == waitListError {
		return fmt.Errorf("the kernel was aborted: %w", err)
	}
	return err
}

// SecondsTo asks both events for their times.
func (e event) SecondsTo(end runner.Event) (float64, error) {
	const began, ended = 0x1282, 0x1283 // CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END
	from, err := e.query(getEventProfilingInfo, began, e.id)
	if err != nil {
		return 0, err
	}
	to, err := e.query(getEventProfilingInfo, ended, end.(event).id)
	if err != nil {
		return 0, err
	}
	return float64(int64(le(to)-le(from))) / 1e9, nil
}
