// Package throw lets an error leave a recursion at once: what finds it throws it, and the function that others call catches it and returns it.
//
// A thrown error never leaves a package: each function that is exported, given away as a value or run on another goroutine, and calls what throws, defers Catch.
package throw

import "fmt"

// thrown is an error on its way out; all other panics are faults of the program.
type thrown struct{ err error }

// Error is for the report of one that nobody caught.
func (t thrown) Error() string { return t.err.Error() }
func (t thrown) Unwrap() error { return t.err }

// Of is an error as a value to panic with.
func Of(err error) any { return thrown{err} }

// Errorf is a new error as a value to panic with.
func Errorf(format string, args ...any) any { return thrown{fmt.Errorf(format, args...)} }

// If throws an error, if there is one.
func If(err error) {
	if err != nil {
		panic(thrown{err})
	}
}

// Get is the value of a call, whose error is thrown.
func Get[T any](v T, err error) T {
	If(err)
	return v
}

// Get2 is Get for two values.
func Get2[A, B any](a A, b B, err error) (A, B) {
	If(err)
	return a, b
}

// Catch makes what was thrown the error of the function that defers it, with the address of its result.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case thrown:
		*err = r.err
	default:
		panic(r)
	}
}

// Try runs f and returns what it throws.
func Try(f func()) (err error) {
	defer Catch(&err)
	f()
	return nil
}

// Value is Try for a function with a value.
func Value[T any](f func() T) (v T, err error) {
	defer Catch(&err)
	return f(), nil
}
