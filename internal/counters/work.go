package counters

import (
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/launch"
	"gpuperf/memory"
	"gpuperf/workload"
)

// Work is a launch, or several in a row, whose counts are of interest.
type Work struct {
	Kernel string // what tables call it
	Kind   string // of kernels, where a list sorts them
	Job    device.Job
	Cases  []*workload.Case // the kernels that it launches; none where only their machine code is known
}

// counting takes one trial, which a profiler is told of: the runs before it are of cold code.
var counting = device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1, Profiled: true}

// mostBoxes is how far a launch is divided until its counts are exact.
const mostBoxes = 1 << 20

// counts are those of the work's kernels together; nil where they are not known.
func (w *Work) counts() (sum *launch.Counts, err error) {
	for _, c := range w.Cases {
		p, err := c.Static(launch.Options{Borders: true, Values: true, Compiled: true, Boxes: mostBoxes})
		if err != nil {
			return nil, err
		}
		one, err := p.Counts(c.Sizes)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = one
		} else {
			sum.Add(one)
		}
	}
	return sum, nil
}

// traffic is an estimate for the work's kernels together, nil where their device is not known well enough or there are none.
func (w *Work) traffic(on *facts.Device) (sum *memory.Traffic, err error) {
	for _, c := range w.Cases {
		one, err := c.Traffic(on, launch.DefaultSubgroup)
		if one == nil {
			return nil, err
		}
		if sum == nil {
			sum = one
		} else {
			sum.Add(one)
		}
	}
	return sum, nil
}
