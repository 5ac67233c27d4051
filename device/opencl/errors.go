package opencl

import (
	_ "embed"
	"fmt"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// code is an error code of OpenCL.
type code int32

// The numbers are those of cl.h.
const (
	success              code = 0
	deviceNotFound       code = -1
	allocationFailure    code = -4
	outOfResources       code = -5
	outOfHostMemory      code = -6
	profilingMissing     code = -7
	waitListError        code = -14
	invalidArgSize       code = -51
	invalidWorkGroupSize code = -54
	invalidCommandQueue  code = -36
	invalidKernelName    code = -46
	platformNotFound     code = -1001

	// Not of OpenCL: what this package itself finds.
	missingFunction code = -100001
	nothingReturned code = -100002
)

// codes names the error codes as the OpenCL headers do, CL_ left off.
var codes = func() map[code]string {
	names := runner.CodeNames[code](codeText)
	names[missingFunction] = "the library lacks the function"
	names[nothingReturned] = "no object and no error was returned"
	return names
}()

//go:embed codes.txt
var codeText string

func (c code) String() string {
	name, ok := codes[c]
	switch {
	case !ok:
		return fmt.Sprintf("unknown error %d", int32(c))
	case c <= 0 && c > missingFunction && c != -9999:
		return "CL_" + name
	}
	return name
}

// callError is an error that a function of the library returned.
type callError = runner.CallError[code]

// codeOf returns the code of the callError that err wraps, else success.
func codeOf(err error) code { return runner.CodeOf[code](err) }

// verdicts says what an error means for the job. The same code means other things in other phases: out of resources is a
// refusal when a launch is asked for (too many registers), and a dead context once the kernel runs.
var verdicts = map[runner.Phase]runner.Meanings[code]{
	runner.Building: {Others: samples.BuildFailed, Of: map[code]samples.Status{outOfHostMemory: samples.OutOfMemory}},
	runner.Preparing: {Others: samples.Refused, Of: map[code]samples.Status{
		allocationFailure: samples.OutOfMemory, outOfResources: samples.OutOfMemory, outOfHostMemory: samples.OutOfMemory,
	}},
	runner.Launching: {Others: samples.Refused, Of: map[code]samples.Status{
		allocationFailure: samples.OutOfMemory, outOfHostMemory: samples.OutOfMemory, invalidCommandQueue: samples.Crash,
	}},
	runner.Running: {Others: samples.Crash, Of: map[code]samples.Status{allocationFailure: samples.OutOfMemory}},
}

// Verdict turns an error of a phase into what it means for the job.
func (d *driver) Verdict(p runner.Phase, err error) *device.Error {
	return runner.VerdictOf(verdicts, p, err, func(c code, _ samples.Status) string {
		switch {
		case c == invalidArgSize:
			return "the parameter of the kernel has another size"
		case p == runner.Launching && (c == invalidWorkGroupSize || c == outOfResources):
			return "make the work-group smaller, or the kernel use fewer registers"
		}
		return ""
	})
}
