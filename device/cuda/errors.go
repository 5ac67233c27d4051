package cuda

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// ErrNone is wrapped by the error of a search that found no device.
var ErrNone = errors.New("no CUDA device was found")

// code is a CUresult.
type code int32

// The numbers are those of cuda.h.
const (
	success              code = 0
	invalidValue         code = 1
	outOfMemory          code = 2
	notFound             code = 500
	launchOutOfResources code = 701
	cooperativeTooLarge  code = 720
	notSupported         code = 801
	invalidClusterSize   code = 912
	missingFunction      code = -1 // of this package: the library is too old
)

// codes names the error codes as cuda.h does, CUDA_ERROR_ left off.
var codes = runner.CodeNames[code](codeText)

//go:embed codes.txt
var codeText string

func (c code) String() string {
	switch name, ok := codes[c]; {
	case c == missingFunction:
		return "the driver lacks the function"
	case ok:
		return "CUDA_ERROR_" + name
	}
	return fmt.Sprintf("error %d", int32(c))
}

// callError is an error that a function of libcuda returned.
type callError = runner.CallError[code]

// codeOf returns the code of the callError that err wraps, else success.
func codeOf(err error) code { return runner.CodeOf[code](err) }

// verdicts says what an error means for the job, by phase. What fails when a kernel runs leaves the context unusable.
var verdicts = map[runner.Phase]runner.Meanings[code]{
	runner.Building:  {Others: samples.BuildFailed, Of: map[code]samples.Status{outOfMemory: samples.OutOfMemory}},
	runner.Preparing: {Others: samples.Refused, Of: map[code]samples.Status{outOfMemory: samples.OutOfMemory}},
	runner.Launching: {Others: samples.Crash, Of: map[code]samples.Status{
		outOfMemory: samples.OutOfMemory, invalidValue: samples.Refused, launchOutOfResources: samples.Refused,
		cooperativeTooLarge: samples.Refused, notSupported: samples.Refused, invalidClusterSize: samples.Refused,
	}},
	runner.Running: {Others: samples.Crash, Of: map[code]samples.Status{outOfMemory: samples.OutOfMemory}},
}

// hints are remedies for launches that are refused.
var hints = map[code]string{
	cooperativeTooLarge: "all work-groups of a cooperative launch run at the same time: launch fewer, or smaller ones",
	notSupported:        "the device does not have these attributes of launches",
	invalidClusterSize:  "make the cluster smaller; its extents divide those of the grid",
}

// Verdict turns an error of a phase into what it means for the job.
func (d *driver) Verdict(p runner.Phase, err error) *device.Error {
	return runner.VerdictOf(verdicts, p, err, func(c code, status samples.Status) string {
		if p == runner.Launching && status == samples.Refused {
			return cmp.Or(hints[c], "make the work-group smaller, or the kernel use fewer registers")
		}
		return ""
	})
}
