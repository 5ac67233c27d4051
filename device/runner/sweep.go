package runner

import (
	"cmp"
	_ "embed"
	"fmt"

	"gpuperf/device"
	"gpuperf/internal/warning"
)

// sweeper flushes the caches by reading a buffer much larger than they are. It reads and does not write, so that no
// dirty lines are left whose write-back would disturb the kernel that is timed.
type sweeper struct {
	program  Program
	bound    *bound
	warnings []string
}

// Each work-group reads a block of its own, its work-items side by side, which suits GPUs and CPUs alike. The store never
// happens, as no element of the data has such bits; the compiler cannot know.
//
//go:embed sweep.cl
var sweepSource string

// flushSizes gives the least bytes to sweep by type of device. Drivers often state a part of the
// last-level cache only (NVIDIA's do); the largest caches of GPUs hold 256 MB.
var flushSizes = map[string]int64{"gpu": 512 << 20, "accelerator": 512 << 20}

const flushElse = 64 << 20 // bytes: more than the last-level cache of most processors

func (s *sweeper) prepare(d *Device) error {
	if s.bound != nil {
		return nil
	}
	size := max(cmp.Or(flushSizes[d.info.Type], flushElse), 2*d.info.CacheSize)
	if limit := min(d.info.MaxAlloc, d.info.GlobalMem/4); size > limit {
		size = limit
		s.warnings = []string{warning.NotCold.About("", "only %d bytes could be swept between trials, caches may not be cold", size)}
	}
	group := max(min(256, d.info.MaxWorkGroup), 1)
	groups := max(d.info.ComputeUnits, 1) * 16
	block := size / 16 / groups // in vectors of 16 bytes
	if block == 0 {
		return fmt.Errorf("a buffer of %d bytes is too small to sweep", size)
	}
	job := device.Job{
		Source: sweepSource, Entry: "sweep", Global: []int64{groups * group}, Local: []int64{group},
		Args: []device.Arg{
			{Name: "data", Kind: device.Buffer, DType: "uint32", Count: 4 * block * groups},
			{Name: "never", Kind: device.Buffer, DType: "uint32", Count: 1},
			{Name: "block", Kind: device.Scalar, DType: "uint64", Int: block},
		},
	}
	if s.program != nil {
		d.Unload(s.program) // of an attempt that failed
	}
	var kernel Kernel
	var err error
	if s.program, kernel, err = d.helper(job.Source, job.Entry); err == nil {
		k := &kernels{byKey: map[kernelKey]Kernel{}}
		k.add(keyOf(job), kernel)
		s.bound, err = d.bind(job, s.program, k)
	}
	return err
}

// flush sweeps and waits.
func (s *sweeper) flush(d *Device) error {
	l := s.bound.launches[0]
	event, err := l.kernel.Launch(l.global, l.local)
	if err != nil {
		return err
	}
	event.Release()
	return d.Finish()
}

func (s *sweeper) close(d *Device) {
	if s.bound != nil {
		s.bound.release()
	}
	if s.program != nil {
		d.Unload(s.program)
	}
	*s = sweeper{}
}
