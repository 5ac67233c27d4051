package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"gpuperf/device/dl"
	"gpuperf/internal/toolkit"
)

// DriverLibraries are tried in this order.
var DriverLibraries = []string{"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"}

// CompilerLibraries are where NVRTC may be, best first.
func CompilerLibraries() []string {
	return toolkit.Libraries("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2")
}

// library is one of the two, whose functions return error codes.
type library struct{ *dl.Library }

// call calls a function. Pointers converted to uintptr in its arguments stay valid until it returns.
//
//go:uintptrescapes
func (l library) call(function string, args ...uintptr) code {
	r, ok := l.Call(function, args...)
	if !ok {
		return missingFunction
	}
	return code(r)
}

// api is libcuda. Its functions work in the context that is current on their thread, so that each call makes it so. It is not safe
// for concurrent use.
type api struct {
	library
	context uintptr // 0 for functions that need none
}

// do calls a function of the driver.
//
//go:uintptrescapes
func (a *api) do(function string, args ...uintptr) error {
	if a.context != 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if c := a.call("cuCtxSetCurrent", a.context); c != success {
			return &callError{Function: "cuCtxSetCurrent", Code: c}
		}
	}
	if c := a.call(function, args...); c != success {
		return &callError{Function: function, Code: c}
	}
	return nil
}

// get calls a function whose first argument is the place of its answer.
func get[T any](a *api, function string, args ...uintptr) (T, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	value := new(T)
	pin.Pin(value)
	err := a.do(function, append([]uintptr{uintptr(unsafe.Pointer(value))}, args...)...)
	return *value, err
}

// text reads a C string of at most a number of bytes that a function writes at its first argument.
func (a *api) text(function string, size int, args ...uintptr) (string, error) {
	b := make([]byte, size)
	err := a.do(function, append([]uintptr{uintptr(unsafe.Pointer(&b[0])), uintptr(size)}, args...)...)
	return cText(b), err
}

func cText(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// goString is the text of a terminated C string.
func goString(at *byte) string {
	if at == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(at), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(at, n))
}

// cString returns a pinned, terminated copy of a text.
func cString(pin *runtime.Pinner, s string) uintptr {
	b := append([]byte(s), 0)
	pin.Pin(&b[0])
	return uintptr(unsafe.Pointer(&b[0]))
}

// openDriver opens libcuda and initializes it.
func openDriver(open dl.Opener) (*api, error) {
	l, err := open(DriverLibraries)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	a := &api{library: library{l}}
	if err := a.do("cuInit", 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return a, nil
}
