package dl

import "github.com/ebitengine/purego"

// Library is a shared library, whose functions are called by their names.
type Library struct {
	Name string
	// Do calls a function. It is false where the library has none of that name.
	Do func(function string, args []uintptr) (result uintptr, ok bool)
}

// Opener opens the first of several libraries that can be opened; the error is that of the first.
type Opener func(names []string) (*Library, error)

// OpenFirst is the [Opener] of the machine's libraries.
func OpenFirst(names []string) (*Library, error) {
	var first error
	for _, name := range names {
		handle, err := Open(name)
		if err == nil {
			return &Library{name, caller(handle)}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// caller calls functions of an open library, whose addresses it keeps.
func caller(handle uintptr) func(string, []uintptr) (uintptr, bool) {
	known := map[string]uintptr{}
	return func(function string, args []uintptr) (uintptr, bool) {
		address, ok := known[function]
		if !ok {
			address, _ = Symbol(handle, function)
			known[function] = address
		}
		if address == 0 {
			return 0, false
		}
		r, _, _ := purego.SyscallN(address, args...)
		return r, true
	}
}

// Call calls a function. Pointers converted to uintptr in its arguments stay valid until it returns.
//
//go:uintptrescapes
func (l *Library) Call(function string, args ...uintptr) (result int32, ok bool) {
	r, ok := l.Do(function, args)
	return int32(r), ok
}
