package features

import (
	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

var barrierNames = map[kernel.Space]string{kernel.Local: "barrier_local", kernel.Global: "barrier_global"}

const launch = "kernel_launch"

// countSync counts the barriers of the linearized program (Stevens and Klöckner, section 5, at the end): the points that the
// loops open around a barrier take together, which is what one work-item meets. A kernel is one launch.
func (c *counter) countSync() ([]Record, error) {
	nest, err := linear.New(c.k)
	if err != nil {
		return nil, err
	}
	barriers, err := nest.Barriers()
	if err != nil {
		return nil, err
	}
	sums := map[string]*polycount.Poly{}
	for _, b := range barriers {
		n, err := b.Domain.Count()
		if err != nil {
			return nil, err
		}
		name := barrierNames[b.Space]
		if sum, ok := sums[name]; ok {
			if n, err = sum.Add(n); err != nil {
				return nil, err
			}
		}
		sums[name] = n
	}
	var out []Record
	for _, space := range []kernel.Space{kernel.Global, kernel.Local} {
		sum, ok := sums[barrierNames[space]]
		if !ok {
			continue
		}
		if sum, err = c.gist(sum); err != nil {
			return nil, err
		}
		out = append(out, Record{Sync{barrierNames[space]}, sum})
	}
	return append(out, Record{Sync{launch}, polycount.Constant(1)}), nil
}
