package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// compiler is NVRTC.
type compiler struct{ *library }

func openCompiler() (*compiler, error) {
	l, err := openFirst(compilerLibraries)
	if err != nil {
		return nil, fmt.Errorf("%w\n    CUDA C is compiled by NVRTC: install the CUDA toolkit, or its package libnvrtc (cuda-nvrtc), or use --interface opencl", err)
	}
	return &compiler{l}, nil
}

func (c *compiler) version() string {
	var pin runtime.Pinner
	defer pin.Unpin()
	v := new([2]int32)
	pin.Pin(v)
	if c.call("nvrtcVersion", uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1]))) != success {
		return "NVRTC"
	}
	return fmt.Sprintf("NVRTC %d.%d", v[0], v[1])
}

// errCompile says that a source does not compile; the log says why.
var errCompile = errors.New("nvrtcCompileProgram: the source does not compile")

// cubin compiles a source for an architecture.
func (c *compiler) cubin(source, arch string, options []string) (code []byte, log string, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	program := new(uintptr)
	pin.Pin(program)
	if r := c.call("nvrtcCreateProgram", uintptr(unsafe.Pointer(program)), cString(&pin, source), cString(&pin, "kernel.cu"), 0, 0, 0); r != success {
		return nil, "", fmt.Errorf("nvrtcCreateProgram: error %d", r)
	}
	defer c.call("nvrtcDestroyProgram", uintptr(unsafe.Pointer(program)))
	var list []uintptr
	for _, o := range append([]string{"--gpu-architecture=" + arch, "--std=c++17"}, options...) {
		list = append(list, cString(&pin, o))
	}
	pin.Pin(&list[0])
	result := c.call("nvrtcCompileProgram", *program, uintptr(len(list)), uintptr(unsafe.Pointer(&list[0])))
	text, logErr := c.bytes(*program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
	log = strings.TrimSpace(cText(text))
	const compilation = 6
	switch {
	case result == compilation:
		return nil, log, errCompile
	case result != success:
		return nil, log, fmt.Errorf("nvrtcCompileProgram: error %d", result)
	case logErr != nil:
		return nil, "", logErr
	}
	code, err = c.bytes(*program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
	return code, log, err
}

// bytes asks for the size of something, and for that.
func (c *compiler) bytes(program uintptr, sizeOf, contents string) ([]byte, error) {
	const limit = 1 << 30
	var pin runtime.Pinner
	defer pin.Unpin()
	size := new(uintptr)
	pin.Pin(size)
	if r := c.call(sizeOf, program, uintptr(unsafe.Pointer(size))); r != success {
		return nil, fmt.Errorf("%s: error %d", sizeOf, r)
	}
	if *size == 0 {
		return nil, nil
	}
	if *size > limit {
		return nil, fmt.Errorf("%s: claims %d bytes", sizeOf, *size)
	}
	b := make([]byte, *size)
	pin.Pin(&b[0])
	if r := c.call(contents, program, uintptr(unsafe.Pointer(&b[0]))); r != success {
		return nil, fmt.Errorf("%s: error %d", contents, r)
	}
	return b, nil
}

// program is a loaded module and the machine code that it was loaded from.
type program struct {
	module uintptr
	cubin  []byte
}

// Compile compiles a source to machine code and loads that.
func (d *driver) Compile(source, options string) (p runner.Program, log string, err error) {
	if strings.ContainsRune(source+options, 0) {
		return nil, "", device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	if d.compiler == nil {
		if d.compiler, err = openCompiler(); err != nil {
			return nil, "", device.Errorf(samples.BuildFailed, "%v", err)
		}
	}
	cubin, log, err := d.compiler.cubin(source, d.arch, strings.Fields(options))
	if err != nil {
		return nil, log, err
	}
	p, err = d.Load(cubin, "")
	return p, log, err
}

// Binary is the machine code of a program.
func (d *driver) Binary(p runner.Program) ([]byte, error) {
	return slices.Clone(p.(*program).cubin), nil
}

// Load loads machine code.
func (d *driver) Load(binary []byte, _ string) (runner.Program, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	image := append(slices.Clone(binary), 0) // PTX ends with a zero byte
	pin.Pin(&image[0])
	module, err := get[uintptr](&d.api, "cuModuleLoadData", uintptr(unsafe.Pointer(&image[0])))
	if err != nil {
		return nil, err
	}
	return &program{module, binary}, nil
}

// Unload unloads a program.
func (d *driver) Unload(p runner.Program) { d.do("cuModuleUnload", p.(*program).module) }
