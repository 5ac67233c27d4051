package opencl

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function names an OpenCL function that this package calls.
type function int

const (
	getPlatformIDs function = iota
	getPlatformInfo
	getDeviceIDs
	getDeviceInfo
	createContext
	releaseContext
	createCommandQueue
	releaseCommandQueue
	createBuffer
	releaseMemObject
	createProgramWithSource
	createProgramWithBinary
	releaseProgram
	buildProgram
	getProgramInfo
	getProgramBuildInfo
	createKernel
	releaseKernel
	setKernelArg
	getKernelInfo
	getKernelWorkGroupInfo
	waitForEvents
	getEventInfo
	releaseEvent
	getEventProfilingInfo
	finish
	enqueueReadBuffer
	enqueueWriteBuffer
	enqueueCopyBuffer
	enqueueNDRangeKernel
	numFunctions
)

// functions gives each function's name, and its place in the dispatch table of cl_khr_icd. All are of OpenCL 1.0, so that every
// driver has them. None takes a floating-point argument, so that calls need no signatures.
var functions = [numFunctions]struct {
	name string
	slot int
}{
	getPlatformIDs:          {"clGetPlatformIDs", 0},
	getPlatformInfo:         {"clGetPlatformInfo", 1},
	getDeviceIDs:            {"clGetDeviceIDs", 2},
	getDeviceInfo:           {"clGetDeviceInfo", 3},
	createContext:           {"clCreateContext", 4},
	releaseContext:          {"clReleaseContext", 7},
	createCommandQueue:      {"clCreateCommandQueue", 9},
	releaseCommandQueue:     {"clReleaseCommandQueue", 11},
	createBuffer:            {"clCreateBuffer", 14},
	releaseMemObject:        {"clReleaseMemObject", 18},
	createProgramWithSource: {"clCreateProgramWithSource", 26},
	createProgramWithBinary: {"clCreateProgramWithBinary", 27},
	releaseProgram:          {"clReleaseProgram", 29},
	buildProgram:            {"clBuildProgram", 30},
	getProgramInfo:          {"clGetProgramInfo", 32},
	getProgramBuildInfo:     {"clGetProgramBuildInfo", 33},
	createKernel:            {"clCreateKernel", 34},
	releaseKernel:           {"clReleaseKernel", 37},
	setKernelArg:            {"clSetKernelArg", 38},
	getKernelInfo:           {"clGetKernelInfo", 39},
	getKernelWorkGroupInfo:  {"clGetKernelWorkGroupInfo", 40},
	waitForEvents:           {"clWaitForEvents", 41},
	getEventInfo:            {"clGetEventInfo", 42},
	releaseEvent:            {"clReleaseEvent", 44},
	getEventProfilingInfo:   {"clGetEventProfilingInfo", 45},
	finish:                  {"clFinish", 47},
	enqueueReadBuffer:       {"clEnqueueReadBuffer", 48},
	enqueueWriteBuffer:      {"clEnqueueWriteBuffer", 49},
	enqueueCopyBuffer:       {"clEnqueueCopyBuffer", 50},
	enqueueNDRangeKernel:    {"clEnqueueNDRangeKernel", 59},
}

// object is a handle that the library gave: of a platform, device, context, queue, buffer, program, kernel or event.
type object uintptr

// api is where the functions are. An address of 0 is a function that the library lacks.
type api struct {
	library string // for messages
	at      [numFunctions]uintptr
}

// call calls a function that returns an error code. Pointers converted to uintptr in its arguments stay valid until
// it returns.
//
//go:uintptrescapes
func (a *api) call(f function, args ...uintptr) error {
	if a.at[f] == 0 {
		return &callError{f, a.library, missingFunction}
	}
	r, _, _ := purego.SyscallN(a.at[f], args...)
	if c := code(int32(r)); c != success {
		return &callError{f, a.library, c}
	}
	return nil
}

// create calls a function that returns an object and takes the place of an error code as its last argument.
//
//go:uintptrescapes
func (a *api) create(f function, args ...uintptr) (object, error) {
	if a.at[f] == 0 {
		return 0, &callError{f, a.library, missingFunction}
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	c := new(int32)
	pin.Pin(c)
	r, _, _ := purego.SyscallN(a.at[f], append(slices.Clip(args), uintptr(unsafe.Pointer(c)))...)
	if *c != int32(success) {
		return 0, &callError{f, a.library, code(*c)}
	}
	if r == 0 {
		return 0, &callError{f, a.library, nothingReturned}
	}
	return object(r), nil
}

// release gives an object back. There is nothing to do about a failure.
func (a *api) release(f function, o object) {
	if o != 0 && a.at[f] != 0 {
		purego.SyscallN(a.at[f], uintptr(o))
	}
}

// query calls one of the functions (object…, parameter, size, place, size needed) that describe objects.
func (a *api) query(f function, param uint32, objects ...object) ([]byte, error) {
	const limit = 64 << 20 // a build log can be long; more than this is a library gone astray
	var pin runtime.Pinner
	defer pin.Unpin()
	need := new(uintptr)
	pin.Pin(need)
	args := make([]uintptr, 0, 6)
	for _, o := range objects {
		args = append(args, uintptr(o))
	}
	args = append(args, uintptr(param))
	if err := a.call(f, append(slices.Clip(args), 0, 0, uintptr(unsafe.Pointer(need)))...); err != nil {
		return nil, err
	}
	if *need == 0 {
		return nil, nil
	}
	if *need > limit {
		return nil, fmt.Errorf("%s: %s: claims %d bytes for parameter %#x", a.library, functions[f].name, *need, param)
	}
	buf := make([]byte, *need)
	pin.Pin(&buf[0])
	if err := a.call(f, append(slices.Clip(args), *need, uintptr(unsafe.Pointer(&buf[0])), 0)...); err != nil {
		return nil, err
	}
	return buf, nil
}

// word reads a word of the library's memory.
func word(addr uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&addr)) }
