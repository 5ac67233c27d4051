package cuda

import (
	"errors"
	"strings"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// ErrNoCompiler says that nothing on the machine compiles CUDA C.
var ErrNoCompiler = errors.New("there is no compiler of CUDA C here, neither NVRTC (libnvrtc.so) nor nvcc")

// Cubin compiles the source of a job for an architecture such as sm_90, with source lines: by NVRTC, or where there is none by nvcc. It needs no
// device. The error is ErrNoCompiler where neither is at hand.
func Cubin(job device.Job, arch string) ([]byte, error) {
	switch {
	case job.Image != nil:
		return job.Image, nil
	case strings.ContainsRune(job.Source+job.Options, 0):
		return nil, device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	d := &driver{open: dl.OpenFirst, arch: arch}
	s := runner.Source{Text: job.Source, Options: job.CompilerOptions() + " -lineinfo", Compiler: job.Compiler, Names: job.Names()}
	if err := d.choose(&s); err != nil {
		return nil, err
	}
	code, _, log, err := d.compile(s)
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

// choose makes nvcc the compiler of a source where NVRTC is not at hand.
func (d *driver) choose(s *runner.Source) error {
	c, err := openCompiler(d.open)
	if err == nil && s.Compiler != device.NVCC {
		d.compiler = c
		return nil
	}
	if _, missing := findNVCC(); missing != nil {
		if err == nil {
			return missing
		}
		return ErrNoCompiler
	}
	s.Compiler = device.NVCC
	return nil
}
