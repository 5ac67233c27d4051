// Package fault tells of panics as errors that say that perf is at fault, and where: who reads one is not to look for a mistake of his own.
package fault

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Error is a panic, with the place that it comes from.
type Error struct {
	Value any
	Place string // a file of the program and a line; "" where that is not known
	// Library is whether the code that panicked is that of a library.
	Library bool
}

func (e *Error) Error() string {
	at := ""
	if e.Place != "" {
		at = " (" + e.Place + ")"
	}
	return fmt.Sprintf("a fault of perf, and not of what it was given: %v%s\n    please report it, with the command and the files that it reads", e.Value, at)
}

// Unwrap is the error that the program panicked with, if it was one.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Of is the error of what recover has returned. It is called by the function that recovers.
func Of(p any) *Error {
	if known, ok := p.(*Error); ok { // it was recovered once already, as on another goroutine
		return known
	}
	e := &Error{Value: p}
	const most = 64 // frames that are looked through for the one that panicked
	callers := make([]uintptr, most)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	panicked := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !inRuntime {
			e.Place = fmt.Sprintf("%s:%d", place(f), f.Line)
			e.Library = !strings.HasPrefix(f.Function, module) && !strings.HasPrefix(f.Function, "main.")
			return e
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return e
		}
	}
}

// module is how the names of the program's own functions begin.
const module = "gpuperf/"

// place is the file of f as it is called in the repository, or in a library. It is made of the name of the package: a file's own path is that
// of the machine where the program was built.
func place(f runtime.Frame) string {
	folder, name := path.Split(f.Function)
	pkg, _, _ := strings.Cut(name, ".")
	if pkg == "main" {
		return path.Join(path.Base(path.Dir(f.File)), path.Base(f.File))
	}
	return path.Join(strings.TrimPrefix(folder, module), pkg, path.Base(f.File))
}
