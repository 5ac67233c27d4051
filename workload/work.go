package workload

import (
	"slices"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/launch"
	"gpuperf/samples"
)

// Work is what records of the counts amount to: each distinct element of global memory that they read and each that they write, the
// operations that have a peak, and the launch; not local memory, which [launch.Program.LocalWavefronts] counts. Elements that depend on data are left out, so that the work is no
// more than what the kernel does.
func (c *Case) Work(s *features.Statistics, records []features.Record) (w machine.Work, err error) {
	type array struct {
		name      string
		direction features.Direction
	}
	accesses, order := map[array][]features.Record{}, []array(nil)
	for _, r := range records {
		n, err := c.lanes(s, r)
		if err != nil {
			return w, err
		}
		switch k := r.Key.(type) {
		case features.Op:
			if machine.HasPeak(k.Op) {
				w.Add(string(k.DType), n)
			}
		case features.Sync:
			if k.Op == "kernel_launch" {
				w.Launches++
			}
		case features.Mem:
			if k.Space == kernel.Local {
				continue
			}
			key := array{k.Variable, k.Direction}
			if accesses[key] == nil {
				order = append(order, key)
			}
			accesses[key] = append(accesses[key], r)
		}
	}
	passed := map[features.Direction]float64{}
	for _, key := range order { // a sum is that of each run
		of := accesses[key]
		if elements, err := s.Footprint(of, c.Sizes); err == nil {
			bytes := elements * float64(c.IR.Array(key.name).DType.Size())
			w.GlobalBytes += bytes
			passed[key.direction] += bytes
		}
	}
	w.L2Bytes = max(passed[features.Load], passed[features.Store])
	return w, nil
}

// FLOP is the floating-point additions, multiplications and multiply-adds of counts, each of the last as two.
func (c *Case) FLOP(s *features.Statistics) (sum float64, err error) {
	for _, r := range s.Records {
		k, ok := r.Key.(features.Op)
		if !ok || !machine.HasPeak(k.Op) || !k.DType.Base().IsFloat() {
			continue
		}
		n, err := c.lanes(s, r)
		if err != nil {
			return 0, err
		}
		if k.Op == "madd" {
			n *= 2
		}
		sum += n * float64(k.DType.Lanes())
	}
	return sum, nil
}

// lanes is the count of a record at the sizes of the case, in work-items.
func (c *Case) lanes(s *features.Statistics, r features.Record) (float64, error) {
	n, err := r.At(c.Sizes)
	if m, ok := r.Key.(features.Mem); ok && m.Granularity == features.WorkItem {
		return n, err
	}
	return n * float64(s.SubgroupSize), err
}

// Least is the work that the case cannot do without, as [features.Options.Least] counts it. With warm caches, what the cache of the device
// holds need not come from its memory, and an element that is both read and written saves two transfers; with cold caches, what is
// written may stay in the cache.
func (c *Case) Least(on *facts.Device, subgroupSize int, caches samples.Mode) (w machine.Work, err error) {
	s, err := c.Counts(features.Options{SubgroupSize: subgroupSize, Least: true})
	if err != nil {
		return w, err
	}
	if w, err = c.Work(s, s.Records); err != nil {
		return w, err
	}
	if w.LocalBytes, err = c.LocalBytes(s, on); err != nil {
		return w, err
	}
	cache := on.Value(facts.L2Bytes)
	switch stores, loaded := c.stores(s); {
	case !on.Known(facts.L2Bytes):
		w.GlobalBytes = 0
	case caches == samples.Cold:
		written, err := c.Work(s, stores)
		w.GlobalBytes -= min(cache, written.GlobalBytes)
		return w, err
	case loaded:
		w.GlobalBytes = max(0, w.GlobalBytes-2*cache)
	default:
		w.GlobalBytes = max(0, w.GlobalBytes-cache)
	}
	return w, nil
}

// LocalBytes is what the banks of local memory could have moved in the wavefronts that the accesses of the case need, bank conflicts among them; 0 where
// there are none, or how many these are depends on data.
func (c *Case) LocalBytes(s *features.Statistics, on *facts.Device) (float64, error) {
	if !slices.ContainsFunc(s.Records, func(r features.Record) bool { m, is := r.Key.(features.Mem); return is && m.Space == kernel.Local }) {
		return 0, nil
	}
	p, err := c.Static(launch.Options{SubgroupSize: s.SubgroupSize, Borders: true, Compiled: true})
	if err != nil {
		return 0, err
	}
	wavefronts, known, err := p.LocalWavefronts(c.Sizes)
	if !known {
		return 0, err
	}
	return float64(wavefronts) * on.Value(facts.LocalBytesPerClock), err
}

// LeastTime is the least time of the case on a device, with the resources that set it: the one roof of all commands. Rates that were measured, by resource,
// go before peaks. It has no uses where no rate is known, or the counts do not say.
func (c *Case) LeastTime(on *facts.Device, measured map[string]machine.Peak, caches samples.Mode) machine.Bound {
	w, err := c.Least(on, int(on.Int(facts.SubgroupSize)), caches)
	if err != nil {
		return machine.Bound{}
	}
	return machine.Least(on, measured, w)
}

// stores lists the records of stores to global memory, and reports whether one of their arrays is loaded as well.
func (c *Case) stores(s *features.Statistics) (stores []features.Record, loaded bool) {
	directions := map[string]features.Direction{}
	for _, r := range s.Records {
		m, ok := r.Key.(features.Mem)
		if !ok || m.Space != kernel.Global {
			continue
		}
		if m.Direction == features.Store {
			stores = append(stores, r)
		}
		before, seen := directions[m.Variable]
		loaded = loaded || seen && before != m.Direction
		directions[m.Variable] = m.Direction
	}
	return stores, loaded
}

// Unpriced is the work of a case that a model ignores.
type Unpriced struct {
	Records []features.Record
	Share   float64 // of the least time that all work takes, by the roofline of the device
}

// Shares of the work that a model ignores: from the one on a reader is told, from the other on the model does not apply.
const (
	toldShare = 0.01
	mainShare = 0.25
)

// Main reports whether the model ignores so much that its prediction is no more than a lower bound.
func (u Unpriced) Main() bool { return u.Share >= mainShare }

// Noticeable reports whether what the model ignores is more than the error of any prediction hides.
func (u Unpriced) Noticeable() bool { return u.Share >= toldShare }

// Unpriced finds the work of the case with which the time of a model does not grow, as [features.Statistics.Uncovered] does. With warm
// caches, data that fit into the cache of the device need not come from its memory.
func (c *Case) Unpriced(on *facts.Device, ids []features.ID, growth []float64, subgroupSize int, caches samples.Mode) (u Unpriced, err error) {
	if features.Covers(ids, growth) {
		return u, nil // without counts
	}
	statistics, err := c.Counts(features.Options{SubgroupSize: subgroupSize})
	if err != nil {
		return u, err
	}
	if u.Records, err = statistics.Uncovered(ids, growth, c.Sizes); err != nil || len(u.Records) == 0 {
		return u, err
	}
	ignored, err := c.effort(statistics, u.Records)
	if err != nil {
		return u, err
	}
	all, err := c.effort(statistics, statistics.Records)
	if caches == samples.Warm && all.GlobalBytes > 0 {
		beyond := max(0, 1-on.Value(facts.L2Bytes)/all.GlobalBytes)
		ignored.GlobalBytes *= beyond
		all.GlobalBytes *= beyond
	}
	u.Share = machine.Share(on, ignored, all)
	return u, err
}

// effort is the work of records with what has no peak, each operation as an addition, and with every access to local and global memory on the path that
// both share.
func (c *Case) effort(s *features.Statistics, records []features.Record) (machine.Work, error) {
	w, err := c.Work(s, records)
	w.L2Bytes = 0 // the path has every access
	for _, r := range records {
		n, err := c.lanes(s, r)
		if err != nil {
			return w, err
		}
		switch k := r.Key.(type) {
		case features.Op:
			if !machine.HasPeak(k.Op) {
				w.Add(string(k.DType), n)
			}
		case features.Mem:
			if k.Space != kernel.Constant {
				w.LocalBytes += n * float64(k.DType.Size())
			}
		}
	}
	return w, err
}
