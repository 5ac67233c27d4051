package opencl

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"gpuperf/internal/lists"
)

// function is an OpenCL function: its name, and its place in the dispatch table of cl_khr_icd.
type function struct {
	name string
	slot uintptr
}

// The functions that this package calls. All are of OpenCL 1.0, so that every driver has them, but for
// clCreateSubBuffer of 1.1, which can be done without. None takes a floating-point
// argument, so that calls need no signatures.
var (
	getPlatformIDs          = function{"clGetPlatformIDs", 0}
	getPlatformInfo         = function{"clGetPlatformInfo", 1}
	getDeviceIDs            = function{"clGetDeviceIDs", 2}
	getDeviceInfo           = function{"clGetDeviceInfo", 3}
	createContext           = function{"clCreateContext", 4}
	releaseContext          = function{"clReleaseContext", 7}
	createCommandQueue      = function{"clCreateCommandQueue", 9}
	releaseCommandQueue     = function{"clReleaseCommandQueue", 11}
	createBuffer            = function{"clCreateBuffer", 14}
	releaseMemObject        = function{"clReleaseMemObject", 18}
	createProgramWithSource = function{"clCreateProgramWithSource", 26}
	createProgramWithBinary = function{"clCreateProgramWithBinary", 27}
	releaseProgram          = function{"clReleaseProgram", 29}
	buildProgram            = function{"clBuildProgram", 30}
	getProgramInfo          = function{"clGetProgramInfo", 32}
	getProgramBuildInfo     = function{"clGetProgramBuildInfo", 33}
	createKernel            = function{"clCreateKernel", 34}
	releaseKernel           = function{"clReleaseKernel", 37}
	setKernelArg            = function{"clSetKernelArg", 38}
	getKernelInfo           = function{"clGetKernelInfo", 39}
	getKernelWorkGroupInfo  = function{"clGetKernelWorkGroupInfo", 40}
	waitForEvents           = function{"clWaitForEvents", 41}
	getEventInfo            = function{"clGetEventInfo", 42}
	releaseEvent            = function{"clReleaseEvent", 44}
	getEventProfilingInfo   = function{"clGetEventProfilingInfo", 45}
	finish                  = function{"clFinish", 47}
	enqueueReadBuffer       = function{"clEnqueueReadBuffer", 48}
	enqueueWriteBuffer      = function{"clEnqueueWriteBuffer", 49}
	enqueueCopyBuffer       = function{"clEnqueueCopyBuffer", 50}
	enqueueNDRangeKernel    = function{"clEnqueueNDRangeKernel", 59}
	createSubBuffer         = function{"clCreateSubBuffer", 82}
)

// object is a handle that the library gave: of a platform, device, context, queue, buffer, program, kernel or event.
type object uintptr

// api is where the functions are.
type api struct {
	library string                 // for messages
	find    func(function) uintptr // 0 where the library lacks it
	known   sync.Map               // what find has returned, by function
}

// at is the address of a function. Looking it up takes longer than some of the calls.
func (a *api) at(f function) uintptr {
	if address, ok := a.known.Load(f); ok {
		return address.(uintptr)
	}
	address := a.find(f)
	a.known.Store(f, address)
	return address
}

// call calls a function that returns an error code. Pointers converted to uintptr in its arguments stay valid until
// it returns.
//
//go:uintptrescapes
func (a *api) call(f function, args ...uintptr) error {
	address := a.at(f)
	if address == 0 {
		return &callError{Function: f.name, Code: missingFunction}
	}
	r, _, _ := purego.SyscallN(address, args...)
	if c := code(int32(r)); c != success {
		return &callError{Function: f.name, Code: c}
	}
	return nil
}

// create calls a function that returns an object and takes the place of an error code as its last argument.
//
//go:uintptrescapes
func (a *api) create(f function, args ...uintptr) (object, error) {
	address := a.at(f)
	if address == 0 {
		return 0, &callError{Function: f.name, Code: missingFunction}
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	c := new(int32)
	pin.Pin(c)
	r, _, _ := purego.SyscallN(address, append(slices.Clip(args), uintptr(unsafe.Pointer(c)))...)
	if *c != int32(success) {
		return 0, &callError{Function: f.name, Code: code(*c)}
	}
	if r == 0 {
		return 0, &callError{Function: f.name, Code: nothingReturned}
	}
	return object(r), nil
}

// release gives an object back. There is nothing to do about a failure.
func (a *api) release(f function, o object) {
	if o != 0 {
		a.call(f, uintptr(o))
	}
}

// list calls one of the functions (arguments…, number of places, places, number of objects) that list objects. The code none
// says that there are no objects.
func (a *api) list(f function, none code, args ...uintptr) ([]object, error) {
	ids, err := ask[object, uint32](a, f, args)
	if codeOf(err) == none {
		return nil, nil
	}
	return ids, err
}

// query calls one of the functions (object…, parameter, size, place, size needed) that describe objects.
func (a *api) query(f function, param uint32, objects ...object) ([]byte, error) {
	args := lists.Map(objects, func(o object) uintptr { return uintptr(o) })
	return ask[byte, uintptr](a, f, append(args, uintptr(param)))
}

// ask calls a function (arguments…, number of places, places, number needed) twice: for the number, and for the values.
func ask[T object | byte, N uint32 | uintptr](a *api, f function, args []uintptr) ([]T, error) {
	const limit = 64 << 20 // a build log can be long; more than this is a library gone astray
	var pin runtime.Pinner
	defer pin.Unpin()
	need := new(N)
	pin.Pin(need)
	if err := a.call(f, append(slices.Clip(args), 0, 0, uintptr(unsafe.Pointer(need)))...); err != nil || *need == 0 {
		return nil, err
	}
	if *need > limit {
		return nil, fmt.Errorf("%s: %s: claims %d values", a.library, f.name, *need)
	}
	values := make([]T, *need)
	pin.Pin(&values[0])
	if err := a.call(f, append(slices.Clip(args), uintptr(*need), uintptr(unsafe.Pointer(&values[0])), 0)...); err != nil {
		return nil, err
	}
	return values, nil
}

// word reads a word of the library's memory.
func word(addr uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&addr)) }
