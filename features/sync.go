package features

import (
	"fmt"

	"gpuperf/kernel"
	"gpuperf/polycount"
)

var barrierNames = map[kernel.Space]string{kernel.Local: "barrier_local", kernel.Global: "barrier_global"}

const kernelLaunch = "kernel_launch"

// countSync counts the launch, which is one, and the barriers, which take a linearized program.
func (c *counter) countSync() ([]Record, []failure) {
	records := []Record{{Key: Sync{kernelLaunch}, Count: polycount.Constant(1)}}
	if c.opt.Least {
		return records, nil
	}
	sums, err := c.barriers()
	if err != nil {
		err = fmt.Errorf("barriers are not counted: %w", err)
		return records, []failure{{Sync{barrierNames[kernel.Local]}, err}, {Sync{barrierNames[kernel.Global]}, err}}
	}
	for _, space := range []kernel.Space{kernel.Global, kernel.Local} {
		if sum := sums[space]; sum != nil && !sum.IsZero() {
			records = append(records, Record{Key: Sync{barrierNames[space]}, Count: sum})
		}
	}
	return records, nil
}

// barriers counts the barriers of the linearized program, by memory space (Stevens and Klöckner, section 5, at the end): for one
// work-item, all iterations of the loops around each. A kernel with a race does not run; its barriers are those that order the
// accesses that can be ordered.
func (c *counter) barriers() (map[kernel.Space]*polycount.Poly, error) {
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	if program.race != nil {
		c.warnings = append(c.warnings, program.race)
	}
	list, err := program.nest.Barriers()
	if err != nil {
		return nil, err
	}
	sums := map[kernel.Space]*polycount.Poly{}
	for _, b := range list {
		n, err := c.count(b.Domain)
		if err != nil {
			return nil, err
		}
		if sum := sums[b.Space]; sum != nil {
			if n, err = sum.Add(n); err != nil {
				return nil, err
			}
		}
		sums[b.Space] = n
	}
	for space, sum := range sums {
		if sums[space], err = c.gist(sum); err != nil {
			return nil, err
		}
	}
	return sums, nil
}
