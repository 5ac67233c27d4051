package cuda

import (
	"cmp"
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
var codes = map[code]string{
	1: "INVALID_VALUE", 2: "OUT_OF_MEMORY", 3: "NOT_INITIALIZED", 4: "DEINITIALIZED", 34: "STUB_LIBRARY", 46: "DEVICE_UNAVAILABLE",
	100: "NO_DEVICE", 101: "INVALID_DEVICE", 102: "DEVICE_NOT_LICENSED", 200: "INVALID_IMAGE", 201: "INVALID_CONTEXT",
	209: "NO_BINARY_FOR_GPU", 214: "ECC_UNCORRECTABLE", 216: "CONTEXT_ALREADY_IN_USE", 218: "INVALID_PTX", 220: "NVLINK_UNCORRECTABLE",
	221: "JIT_COMPILER_NOT_FOUND", 222: "UNSUPPORTED_PTX_VERSION", 300: "INVALID_SOURCE", 400: "INVALID_HANDLE", 500: "NOT_FOUND",
	600: "NOT_READY", 700: "ILLEGAL_ADDRESS", 701: "LAUNCH_OUT_OF_RESOURCES", 702: "LAUNCH_TIMEOUT", 708: "PRIMARY_CONTEXT_ACTIVE",
	709: "CONTEXT_IS_DESTROYED", 710: "ASSERT", 714: "HARDWARE_STACK_ERROR", 715: "ILLEGAL_INSTRUCTION", 716: "MISALIGNED_ADDRESS",
	717: "INVALID_ADDRESS_SPACE", 718: "INVALID_PC", 719: "LAUNCH_FAILED", 720: "COOPERATIVE_LAUNCH_TOO_LARGE", 800: "NOT_PERMITTED",
	801: "NOT_SUPPORTED", 802: "SYSTEM_NOT_READY", 803: "SYSTEM_DRIVER_MISMATCH", 804: "COMPAT_NOT_SUPPORTED_ON_DEVICE",
	912: "INVALID_CLUSTER_SIZE", 999: "UNKNOWN",
}

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
type callError struct {
	function string
	code     code
}

func (e *callError) Error() string { return fmt.Sprintf("%s: %v", e.function, e.code) }

// codeOf returns the code of the callError that err wraps, else success.
func codeOf(err error) code {
	var e *callError
	if errors.As(err, &e) {
		return e.code
	}
	return success
}

// verdicts says what an error means for the job, by phase. What fails when a kernel runs leaves the context unusable.
var verdicts = map[runner.Phase]map[code]samples.Status{
	runner.Building:  {otherwise: samples.BuildFailed, outOfMemory: samples.OutOfMemory},
	runner.Preparing: {otherwise: samples.Refused, outOfMemory: samples.OutOfMemory},
	runner.Launching: {
		otherwise: samples.Crash, outOfMemory: samples.OutOfMemory, invalidValue: samples.Refused, launchOutOfResources: samples.Refused,
		cooperativeTooLarge: samples.Refused, notSupported: samples.Refused, invalidClusterSize: samples.Refused,
	},
	runner.Running: {otherwise: samples.Crash, outOfMemory: samples.OutOfMemory},
}

// hints are remedies for launches that are refused.
var hints = map[code]string{
	cooperativeTooLarge: "all work-groups of a cooperative launch run at the same time: launch fewer, or smaller ones",
	notSupported:        "the device does not have these attributes of launches",
	invalidClusterSize:  "make the cluster smaller; its extents divide those of the grid",
}

// otherwise stands for the codes that verdicts does not list.
const otherwise code = -2

// Verdict turns an error of a phase into what it means for the job.
func (d *driver) Verdict(p runner.Phase, err error) *device.Error {
	if e, ok := device.AsError(err); ok {
		return e
	}
	c := codeOf(err)
	status, ok := verdicts[p][c]
	if !ok {
		status = verdicts[p][otherwise]
	}
	e := device.Errorf(status, "%v", err)
	e.Fatal = status == samples.Crash
	if p == runner.Launching && status == samples.Refused {
		e.Hint = cmp.Or(hints[c], "make the work-group smaller, or the kernel use fewer registers")
	}
	return e
}
