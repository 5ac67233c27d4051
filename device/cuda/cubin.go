package cuda

import (
	"strings"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/samples"
)

// Cubin compiles the source of a job for an architecture such as sm_90, with source lines. It needs NVRTC, and no device.
func Cubin(job device.Job, arch string) ([]byte, error) {
	switch {
	case job.Image != nil:
		return job.Image, nil
	case strings.ContainsRune(job.Source+job.Options, 0):
		return nil, device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	c, err := openCompiler(dl.OpenFirst)
	if err != nil {
		return nil, err
	}
	options := append(strings.Fields(job.CompilerOptions()), "-lineinfo")
	code, _, log, err := c.cubin(job.Source, arch, options, job.Names())
	if err != nil {
		e := device.Errorf(samples.BuildFailed, "%v", err)
		e.Log = log
		return nil, e
	}
	return code, nil
}
