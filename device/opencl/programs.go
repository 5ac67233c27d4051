package opencl

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

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
