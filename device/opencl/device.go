package opencl

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/nvml"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// driver is an open OpenCL device with a profiling queue.
type driver struct {
	platform
	id      object
	context object
	queue   object
	nvidia  bool        // whether the compiler is NVIDIA's
	state   *nvml.State // nil where nothing tells the clocks
}

var _ runner.Driver = (*driver)(nil)

func openDevice(p platform, id object, info device.Info) (*driver, error) {
	const contextPlatform, queueProfiling = 0x1084, 1 << 1 // CL_CONTEXT_PLATFORM, CL_QUEUE_PROFILING_ENABLE
	d := &driver{platform: p, id: id, nvidia: strings.HasPrefix(p.name, "NVIDIA")}
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
		d.state = nvml.Open(dl.OpenFirst, info.UUID, info.PCI)
	}
	return d, nil
}

// Close releases the queue and the context.
func (d *driver) Close() {
	d.state.Close()
	d.state = nil
	d.release(releaseCommandQueue, d.queue)
	d.release(releaseContext, d.context)
	d.queue, d.context = 0, 0
}

// Clocks asks NVIDIA's management library.
func (d *driver) Clocks() *samples.Clocks { return d.state.Clocks() }

// Profile does nothing: OpenCL has no such call.
func (d *driver) Profile(bool) error { return nil }

// Prelude is empty: the language is OpenCL C.
func (d *driver) Prelude() string { return "" }

// Alloc makes a buffer.
func (d *driver) Alloc(bytes int64) (runner.Memory, error) {
	const readWrite = 1 << 0 // CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION
	id, err := d.create(createBuffer, uintptr(d.context), readWrite, uintptr(bytes), 0)
	return runner.Memory(id), err
}

// Free releases a buffer.
func (d *driver) Free(m runner.Memory) { d.release(releaseMemObject, object(m)) }

// Part makes a sub-buffer.
func (d *driver) Part(m runner.Memory, at, bytes int64) (runner.Memory, error) {
	const readWrite, region = 1 << 0, 0x1220 // CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION
	place := &[2]uintptr{uintptr(at), uintptr(bytes)}
	id, err := d.create(createSubBuffer, uintptr(m), readWrite, region, uintptr(unsafe.Pointer(place)))
	return runner.Memory(id), err
}

// FreePart releases a sub-buffer.
func (d *driver) FreePart(m runner.Memory) { d.Free(m) }

func (d *driver) Write(m runner.Memory, at int64, data []byte) error {
	return d.transfer(enqueueWriteBuffer, m, at, data)
}

func (d *driver) Read(m runner.Memory, at int64, data []byte) error {
	return d.transfer(enqueueReadBuffer, m, at, data)
}

// transfer reads or writes the bytes of a buffer from an offset on, and waits until that is done.
func (d *driver) transfer(f function, m runner.Memory, at int64, data []byte) error {
	return d.call(f, uintptr(d.queue), uintptr(m), 1, uintptr(at), uintptr(len(data)), uintptr(unsafe.Pointer(&data[0])), 0, 0, 0)
}

// Copy copies bytes from one buffer to another, in the queue.
func (d *driver) Copy(to, from runner.Memory, bytes int64) error {
	return d.call(enqueueCopyBuffer, uintptr(d.queue), uintptr(from), uintptr(to), 0, 0, uintptr(bytes), 0, 0, 0)
}

// Finish waits for the queue.
func (d *driver) Finish() error { return d.call(finish, uintptr(d.queue)) }

// Hold does nothing: the queue begins with what is enqueued when it likes.
func (d *driver) Hold() (free func()) { return func() {} }

// Graph has none: command buffers are an extension that few platforms have.
func (d *driver) Graph(func() error) (runner.Graph, error) { return nil, nil }

// cString returns a pinned, terminated copy of a text.
func cString(pin *runtime.Pinner, s string) *byte {
	b := append([]byte(s), 0)
	pin.Pin(&b[0])
	return &b[0]
}

// program is a built program, and what the compiler said of it.
type program struct {
	object
	log string
}

// verbose has NVIDIA's compiler say how many registers each kernel needs. The code is the same with it. It says so only when it makes
// machine code: not where the driver has that in its cache.
const verbose = " -cl-nv-verbose"

// usage is what NVIDIA's compiler says of a kernel.
var usage = regexp.MustCompile(`(?s)Compiling entry function '([^']*)'.*?Used (\d+) registers`)

// registers are those of a work-item of a kernel, 0 where the log does not say.
func (p program) registers(entry string) int64 {
	for _, m := range usage.FindAllStringSubmatch(p.log, -1) {
		if m[1] == entry {
			n, _ := strconv.ParseInt(m[2], 10, 64)
			return n
		}
	}
	return 0
}

// Compile builds a program from its source, which names all kernels itself.
func (d *driver) Compile(s runner.Source) (p runner.Program, log string, err error) {
	if strings.ContainsRune(s.Text+s.Options, 0) {
		return nil, "", device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	text := cString(&pin, s.Text)
	texts, lengths := []*byte{text}, []uintptr{uintptr(len(s.Text))}
	id, err := d.create(createProgramWithSource, uintptr(d.context), 1,
		uintptr(unsafe.Pointer(&texts[0])), uintptr(unsafe.Pointer(&lengths[0])))
	if err != nil {
		return nil, "", err
	}
	return d.finishBuild(id, s.Options)
}

// finishBuild builds a program that was created, and releases it when that fails.
func (d *driver) finishBuild(id object, options string) (runner.Program, string, error) {
	const buildLog = 0x1183 // CL_PROGRAM_BUILD_LOG
	var pin runtime.Pinner
	defer pin.Unpin()
	devices, log := []object{d.id}, ""
	if d.nvidia {
		options += verbose
	}
	err := d.call(buildProgram, uintptr(id), 1, uintptr(unsafe.Pointer(&devices[0])), uintptr(unsafe.Pointer(cString(&pin, options))), 0, 0)
	if b, logErr := d.query(getProgramBuildInfo, buildLog, id, d.id); logErr == nil {
		log = strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
	}
	if err != nil {
		d.release(releaseProgram, id)
		return nil, log, err
	}
	return program{id, log}, log, nil
}

// Unload releases a program.
func (d *driver) Unload(p runner.Program) { d.release(releaseProgram, p.(program).object) }

// MachineCode is the PTX of NVIDIA's compiler.
func (d *driver) MachineCode(p runner.Program, entry string) (image []byte, symbol string) {
	if !d.nvidia {
		return nil, ""
	}
	image, _ = d.Binary(p)
	return image, entry
}

// Binary returns what the driver made of a built program for this device: machine code, or, from NVIDIA's, PTX.
func (d *driver) Binary(p runner.Program) ([]byte, error) {
	const binarySizes, binaries, limit = 0x1165, 0x1166, 1 << 30 // CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BINARIES; no binary is as large as the limit
	id := p.(program).object
	b, err := d.query(getProgramInfo, binarySizes, id)
	if err != nil {
		return nil, err
	}
	sizes := words(b)
	if len(sizes) != 1 || sizes[0] <= 0 || sizes[0] > limit {
		return nil, fmt.Errorf("the driver gives binaries of %d bytes for one device", sizes)
	}
	data := make([]byte, sizes[0])
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&data[0])
	places := []*byte{&data[0]}
	err = d.call(getProgramInfo, uintptr(id), binaries, unsafe.Sizeof(places[0]), uintptr(unsafe.Pointer(&places[0])), 0)
	return data, err
}

// Load makes a built program from a binary.
func (d *driver) Load(binary []byte, options string) (runner.Program, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&binary[0])
	places, lengths, devices, status := []*byte{&binary[0]}, []uintptr{uintptr(len(binary))}, []object{d.id}, new(int32)
	id, err := d.create(createProgramWithBinary, uintptr(d.context), 1, uintptr(unsafe.Pointer(&devices[0])),
		uintptr(unsafe.Pointer(&lengths[0])), uintptr(unsafe.Pointer(&places[0])), uintptr(unsafe.Pointer(status)))
	if err != nil {
		return nil, err
	}
	p, _, err := d.finishBuild(id, options)
	return p, err
}
