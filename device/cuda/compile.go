package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// compiler is NVRTC.
type compiler struct {
	library
	release [2]int32 // major and minor; zeros where it does not say
}

func openCompiler(open dl.Opener) (*compiler, error) {
	l, err := open(CompilerLibraries())
	if err != nil {
		return nil, fmt.Errorf("%w\n    CUDA C is compiled by NVRTC: install the CUDA toolkit, or its package libnvrtc (cuda-nvrtc), or use --interface opencl; of an existing kernel, PTX or a cubin will do", err)
	}
	c := &compiler{library: library{l}}
	var pin runtime.Pinner
	defer pin.Unpin()
	v := new([2]int32)
	pin.Pin(v)
	if c.call("nvrtcVersion", uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1]))) == success {
		c.release = *v
	}
	return c, nil
}

func (c *compiler) version() string {
	if c.release == [2]int32{} {
		return "NVRTC"
	}
	return fmt.Sprintf("NVRTC %d.%d", c.release[0], c.release[1])
}

// uncached are options that keep NVRTC from its cache. Since 12.9 it may return a program that was compiled from the same source with other options, such as
// -prec-div=false (seen with 13.0).
func (c *compiler) uncached() []string {
	if slices.Compare(c.release[:], []int32{12, 9}) < 0 {
		return nil
	}
	return []string{"--no-cache"}
}

// errCompile says that a source does not compile; the log says why.
var errCompile = errors.New("nvrtcCompileProgram: the source does not compile")

// cubin compiles a source for an architecture. Names are expressions that name kernels of it; symbols are what they are called in the code.
func (c *compiler) cubin(source, arch string, options, names []string) (code []byte, symbols map[string]string, log string, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	program := new(uintptr)
	pin.Pin(program)
	if r := c.call("nvrtcCreateProgram", uintptr(unsafe.Pointer(program)), cString(&pin, source), cString(&pin, "kernel.cu"), 0, 0, 0); r != success {
		return nil, nil, "", fmt.Errorf("nvrtcCreateProgram: error %d", r)
	}
	defer c.call("nvrtcDestroyProgram", uintptr(unsafe.Pointer(program)))
	for _, name := range names {
		if r := c.call("nvrtcAddNameExpression", *program, cString(&pin, name)); r != success {
			return nil, nil, "", fmt.Errorf("nvrtcAddNameExpression: error %d", r)
		}
	}
	var list []uintptr
	for _, o := range forArchitecture(arch, slices.Concat(c.uncached(), []string{"--std=c++17"}, options)) {
		list = append(list, cString(&pin, o))
	}
	pin.Pin(&list[0])
	result := c.call("nvrtcCompileProgram", *program, uintptr(len(list)), uintptr(unsafe.Pointer(&list[0])))
	text, logErr := c.bytes(*program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
	log = strings.TrimSpace(cText(text))
	const compilation = 6 // NVRTC_ERROR_COMPILATION
	switch {
	case result == compilation:
		return nil, nil, log, errCompile
	case result != success:
		return nil, nil, log, fmt.Errorf("nvrtcCompileProgram: error %d", result)
	case logErr != nil:
		return nil, nil, "", logErr
	}
	if symbols, err = c.symbols(*program, names); err != nil {
		return nil, nil, log, err
	}
	code, err = c.bytes(*program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
	return code, symbols, log, err
}

// forArchitecture are options of a compiler with the architecture, unless they name one: sm_90a has instructions that sm_90 has not.
func forArchitecture(arch string, options []string) []string {
	for _, o := range options {
		if strings.HasPrefix(o, "-arch") || strings.HasPrefix(o, "--gpu-architecture") {
			return options
		}
	}
	return append([]string{"--gpu-architecture=" + arch}, options...)
}

// symbols asks what kernels are called in a program that has been compiled.
func (c *compiler) symbols(program uintptr, names []string) (map[string]string, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	symbols := map[string]string{}
	place := new(*byte)
	pin.Pin(place)
	for _, name := range names {
		if r := c.call("nvrtcGetLoweredName", program, cString(&pin, name), uintptr(unsafe.Pointer(place))); r != success {
			return nil, fmt.Errorf("nvrtcGetLoweredName: error %d", r)
		}
		symbols[name] = goString(*place)
	}
	return symbols, nil
}

// bytes asks for the size of something, and for that.
func (c *compiler) bytes(program uintptr, sizeOf, contents string) ([]byte, error) {
	const limit = 1 << 30 // bytes: no program is as large, so a size above is none
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

// program is a loaded module and the machine code, or the PTX, that it was loaded from.
type program struct {
	module  uintptr
	image   []byte
	symbols map[string]string // of kernels and variables that are not called as in the code
}

// symbol is what a kernel is called in the code, or a variable with & before its name.
func (p *program) symbol(name string) string {
	return cmp.Or(p.symbols[name], symbol(p.image, strings.TrimPrefix(name, "&")))
}

// Compile compiles a source to machine code and loads that.
func (d *driver) Compile(s runner.Source) (p runner.Program, log string, err error) {
	if strings.ContainsRune(s.Text+s.Options, 0) {
		return nil, "", device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	cubin, symbols, log, err := d.compile(s)
	if err != nil {
		return nil, log, err
	}
	loaded, err := d.load(cubin)
	if err != nil {
		return nil, log, err
	}
	loaded.symbols = symbols
	return loaded, log, nil
}

// compile compiles a source by the compiler that it asks for.
func (d *driver) compile(s runner.Source) (code []byte, symbols map[string]string, log string, err error) {
	if s.Compiler == device.NVCC {
		return d.nvcc(s)
	}
	return d.online(s)
}

// online compiles by NVRTC.
func (d *driver) online(s runner.Source) (code []byte, symbols map[string]string, log string, err error) {
	if d.compiler == nil {
		if d.compiler, err = openCompiler(d.open); err != nil {
			return nil, nil, "", device.Errorf(samples.BuildFailed, "%v", err)
		}
	}
	return d.compiler.cubin(s.Text, d.arch, strings.Fields(s.Options), s.Names)
}

// Binary is the machine code of a program.
func (d *driver) Binary(p runner.Program) ([]byte, error) {
	return slices.Clone(p.(*program).image), nil
}

// MachineCode is what the module was loaded from.
func (d *driver) MachineCode(p runner.Program, entry string) (image []byte, symbol string) {
	program := p.(*program)
	return program.image, program.symbol(entry)
}

// Load loads machine code, or PTX.
func (d *driver) Load(binary []byte, _ string) (runner.Program, error) {
	p, err := d.load(binary)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d *driver) load(binary []byte) (*program, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	image := append(slices.Clone(binary), 0) // PTX ends with a zero byte
	pin.Pin(&image[0])
	module, err := get[uintptr](&d.api, "cuModuleLoadData", uintptr(unsafe.Pointer(&image[0])))
	if err != nil {
		return nil, d.explained(err, image)
	}
	return &program{module: module, image: binary}, nil
}

// explained adds to the error of an image that cannot be loaded what the compiler of PTX says, where it says something.
func (d *driver) explained(err error, image []byte) error {
	const logBuffer, logSize, size = 5, 6, 16 << 10 // CU_JIT_ERROR_LOG_BUFFER and the bytes of it
	var pin runtime.Pinner
	defer pin.Unpin()
	log := make([]byte, size)
	pin.Pin(&log[0])
	pin.Pin(&image[0])
	options, values := []int32{logBuffer, logSize}, []uintptr{uintptr(unsafe.Pointer(&log[0])), size}
	pin.Pin(&options[0])
	pin.Pin(&values[0])
	module, again := get[uintptr](&d.api, "cuModuleLoadDataEx", uintptr(unsafe.Pointer(&image[0])), uintptr(len(options)),
		uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	if again == nil {
		d.do("cuModuleUnload", module)
	}
	text := strings.TrimSpace(cText(log))
	if text == "" {
		return err
	}
	e := device.Errorf(samples.BuildFailed, "%v", err)
	e.Log = text
	return e
}

// Unload unloads a program.
func (d *driver) Unload(p runner.Program) { d.do("cuModuleUnload", p.(*program).module) }
