package cuda

import (
	"strings"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// Cubin compiles the source of a job for an architecture such as sm_90, with source lines. It needs a compiler, and no device.
func Cubin(job device.Job, arch string) ([]byte, error) {
	switch {
	case job.Image != nil:
		return job.Image, nil
	case strings.ContainsRune(job.Source+job.Options, 0):
		return nil, device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	d := &driver{open: dl.OpenFirst, arch: arch}
	code, _, log, err := d.compile(runner.Source{
		Text: job.Source, Options: job.CompilerOptions() + " -lineinfo", Compiler: job.Compiler, Names: job.Names(),
	})
	if err == nil {
		return code, nil
	}
	if _, known := device.AsError(err); known {
		return nil, err
	}
	e := device.Errorf(samples.BuildFailed, "%v", err)
	e.Log = log
	return nil, e
}
