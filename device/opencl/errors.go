package opencl

import (
	"errors"
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
var codes = map[code]string{
	0: "SUCCESS", -1: "DEVICE_NOT_FOUND", -2: "DEVICE_NOT_AVAILABLE", -3: "COMPILER_NOT_AVAILABLE",
	-4: "MEM_OBJECT_ALLOCATION_FAILURE", -5: "OUT_OF_RESOURCES", -6: "OUT_OF_HOST_MEMORY",
	-7: "PROFILING_INFO_NOT_AVAILABLE", -8: "MEM_COPY_OVERLAP", -9: "IMAGE_FORMAT_MISMATCH",
	-10: "IMAGE_FORMAT_NOT_SUPPORTED", -11: "BUILD_PROGRAM_FAILURE", -12: "MAP_FAILURE",
	-13: "MISALIGNED_SUB_BUFFER_OFFSET", -14: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
	-15: "COMPILE_PROGRAM_FAILURE", -16: "LINKER_NOT_AVAILABLE", -17: "LINK_PROGRAM_FAILURE",
	-18: "DEVICE_PARTITION_FAILED", -19: "KERNEL_ARG_INFO_NOT_AVAILABLE",
	-30: "INVALID_VALUE", -31: "INVALID_DEVICE_TYPE", -32: "INVALID_PLATFORM", -33: "INVALID_DEVICE",
	-34: "INVALID_CONTEXT", -35: "INVALID_QUEUE_PROPERTIES", -36: "INVALID_COMMAND_QUEUE",
	-37: "INVALID_HOST_PTR", -38: "INVALID_MEM_OBJECT", -39: "INVALID_IMAGE_FORMAT_DESCRIPTOR",
	-40: "INVALID_IMAGE_SIZE", -41: "INVALID_SAMPLER", -42: "INVALID_BINARY", -43: "INVALID_BUILD_OPTIONS",
	-44: "INVALID_PROGRAM", -45: "INVALID_PROGRAM_EXECUTABLE", -46: "INVALID_KERNEL_NAME",
	-47: "INVALID_KERNEL_DEFINITION", -48: "INVALID_KERNEL", -49: "INVALID_ARG_INDEX", -50: "INVALID_ARG_VALUE",
	-51: "INVALID_ARG_SIZE", -52: "INVALID_KERNEL_ARGS", -53: "INVALID_WORK_DIMENSION",
	-54: "INVALID_WORK_GROUP_SIZE", -55: "INVALID_WORK_ITEM_SIZE", -56: "INVALID_GLOBAL_OFFSET",
	-57: "INVALID_EVENT_WAIT_LIST", -58: "INVALID_EVENT", -59: "INVALID_OPERATION", -60: "INVALID_GL_OBJECT",
	-61: "INVALID_BUFFER_SIZE", -62: "INVALID_MIP_LEVEL", -63: "INVALID_GLOBAL_WORK_SIZE",
	-64: "INVALID_PROPERTY", -65: "INVALID_IMAGE_DESCRIPTOR", -66: "INVALID_COMPILER_OPTIONS",
	-67: "INVALID_LINKER_OPTIONS", -68: "INVALID_DEVICE_PARTITION_COUNT", -69: "INVALID_PIPE_SIZE",
	-70: "INVALID_DEVICE_QUEUE", -71: "INVALID_SPEC_ID", -72: "MAX_SIZE_RESTRICTION_EXCEEDED",
	-1000: "INVALID_GL_SHAREGROUP_REFERENCE_KHR", -1001: "PLATFORM_NOT_FOUND_KHR",
	-1002: "INVALID_D3D10_DEVICE_KHR", -1057: "DEVICE_PARTITION_FAILED_EXT", -1094: "INVALID_ACCELERATOR_INTEL",
	// NVIDIA's driver answers an access outside of a buffer with a code of its own.
	-9999: "illegal memory access (NVIDIA -9999)",

	missingFunction: "the library lacks the function",
	nothingReturned: "no object and no error was returned",
}

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
type callError struct {
	function function
	library  string
	code     code
}

func (e *callError) Error() string { return fmt.Sprintf("%s: %v", e.function.name, e.code) }

// codeOf returns the code of the callError that err wraps, else success.
func codeOf(err error) code {
	var e *callError
	if errors.As(err, &e) {
		return e.code
	}
	return success
}

// verdicts says what an error means for the job. The same code means other things in other phases: out of resources is a
// refusal when a launch is asked for (too many registers), and a dead context once the kernel runs.
var verdicts = map[runner.Phase]map[code]samples.Status{
	runner.Building:  {otherwise: samples.BuildFailed, outOfHostMemory: samples.OutOfMemory},
	runner.Preparing: {otherwise: samples.Refused, allocationFailure: samples.OutOfMemory, outOfResources: samples.OutOfMemory, outOfHostMemory: samples.OutOfMemory},
	runner.Launching: {otherwise: samples.Refused, allocationFailure: samples.OutOfMemory, outOfHostMemory: samples.OutOfMemory, invalidCommandQueue: samples.Crash},
	runner.Running:   {otherwise: samples.Crash, allocationFailure: samples.OutOfMemory},
}

// otherwise stands for the codes that verdicts does not list.
const otherwise code = 1

// Verdict turns an error of a phase into what it means for the job.
func (d *driver) Verdict(p runner.Phase, err error) *device.Error {
	if e, ok := device.AsError(err); ok {
		return e
	}
	status, ok := verdicts[p][codeOf(err)]
	if !ok {
		status = verdicts[p][otherwise]
	}
	e := device.Errorf(status, "%v", err)
	e.Fatal = status == samples.Crash
	switch c := codeOf(err); {
	case c == invalidArgSize:
		e.Hint = "the parameter of the kernel has another size"
	case p == runner.Launching && (c == invalidWorkGroupSize || c == outOfResources):
		e.Hint = "make the work-group smaller, or the kernel use fewer registers"
	}
	return e
}
