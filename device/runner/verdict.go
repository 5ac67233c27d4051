package runner

import (
	"errors"
	"fmt"
	"strconv"

	"gpuperf/device"
	"gpuperf/internal/rows"
	"gpuperf/samples"
)

// Code is an error code of a library; 0 is success.
type Code interface {
	~int32
	fmt.Stringer
}

// CallError is an error that a function of a library returned.
type CallError[C Code] struct {
	Function string
	Code     C
}

func (e *CallError[C]) Error() string { return fmt.Sprintf("%s: %v", e.Function, e.Code) }

// CodeOf returns the code of the CallError that err wraps, else success.
func CodeOf[C Code](err error) C {
	if e, ok := errors.AsType[*CallError[C]](err); ok {
		return e.Code
	}
	return 0
}

// CodeNames reads the names of codes: rows of a number and a name.
func CodeNames[C Code](text string) map[C]string {
	names := map[C]string{}
	for r := range rows.Of(text) {
		n, err := strconv.ParseInt(r[0], 10, 32)
		if err != nil {
			panic(err) // the text is part of the program
		}
		names[C(n)] = r.At(1)
	}
	return names
}

// Meanings says what errors of a phase mean for the job: those of some codes, and all others.
type Meanings[C Code] struct {
	Of     map[C]samples.Status
	Others samples.Status
}

// VerdictOf turns an error of a phase into what it means for the job; hint is what to do about a code in this phase.
func VerdictOf[C Code](meanings map[Phase]Meanings[C], p Phase, err error, hint func(C, samples.Status) string) *device.Error {
	if e, ok := device.AsError(err); ok {
		return e
	}
	c := CodeOf[C](err)
	status, ok := meanings[p].Of[c]
	if !ok {
		status = meanings[p].Others
	}
	e := device.Errorf(status, "%v", err)
	e.Fatal, e.Hint = status == samples.Crash, hint(c, status)
	return e
}
