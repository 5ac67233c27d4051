package explore

import (
	"fmt"
	"sync"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/campaign"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
	"gpuperf/launch"
	"gpuperf/lift/lower"
	"gpuperf/lift/rank"
	"gpuperf/workload"
)

// Names are the names of the features in the vectors that Prepare made, in their order.
func (s *Space) Names() []string { return s.names }

// Prepare lowers points and derives their static features in parallel. A point for which that fails has an Err, a *device.Error where
// the device of the options, if it has one, does not run the point. The lowered programs are not kept: of thousands of points few are run.
func (s *Space) Prepare(points []*Point, opt launch.Options) {
	s.names, s.static = opt.Names(), opt
	s.describe(points, opt)
}

func (s *Space) describe(points []*Point, opt launch.Options) {
	parallel.For(len(points), func(i int) {
		points[i].once.Do(func() { points[i].Err = s.prepare(points[i], opt) })
	})
}

func (s *Space) prepare(p *Point, opt launch.Options) (err error) {
	defer throw.Catch(&err)
	_, c := throw.Get2(s.lowered(p))
	refused(c, opt.Device)
	var list []*launch.Program
	for _, k := range c.Kernels {
		nest := throw.Get(k.Nest())
		static, err := launch.New(nest, opt)
		if err != nil {
			return fmt.Errorf("variant %s: %w", p.Variant.ID, err)
		}
		list = append(list, static)
	}
	values, err := launch.Sequence(list, nil)
	if err != nil {
		return fmt.Errorf("variant %s: %w", p.Variant.ID, err)
	}
	p.Vector = &rank.Vector{Kernel: c.Identity, Benchmark: s.Program.Name, Size: workload.FormatSizes(s.Sizes), Values: values.Values}
	switch {
	case s.cost != nil:
		p.Vector.Predicted = s.cost.Seconds(values.Values)
		return nil
	case s.predict == nil:
		return nil
	}
	for _, k := range c.Kernels {
		seconds := throw.Get(s.predict(&workload.Case{Kernel: k, Identity: c.Identity, Sizes: map[string]int64{}}))
		p.Vector.Predicted += seconds
	}
	return nil
}

// PredictBy has the times of points predicted by a model, for a device.
func (s *Space) PredictBy(p *campaign.Predictor, on *facts.Device) (err error) {
	if rank.OfVectors(p.Model, launch.Names(on)) {
		s.cost, err = rank.NewCostModel(launch.Names(on), p.Model, p.Fit)
		return err
	}
	var mu sync.Mutex // what predicts is for one goroutine at a time
	s.predict = func(c *workload.Case) (float64, error) {
		if _, err := c.Counts(features.Options{SubgroupSize: int(p.Device.SubgroupSize)}); err != nil { // which takes most of the time
			return 0, err
		}
		mu.Lock()
		defer mu.Unlock()
		x, err := p.Predict(c)
		if err != nil {
			return 0, err
		}
		return x.Seconds, nil
	}
	return nil
}

// refused says why a device does not run the kernels of a point, nil where nothing speaks against it.
func refused(c *workload.ProgramCase, on *facts.Device) {
	if on == nil {
		return
	}
	limits := on.Limits()
	for _, k := range c.Cases() {
		switch verdict, err := k.Refused(limits, on); {
		case err != nil:
			throw.If(err)
			return
		case verdict != nil:
			panic(throw.Of(verdict))
		}
	}
}

// lowered is the program of a point, and its launches. The point gets the parts of its ND-range that lowering inferred.
func (s *Space) lowered(p *Point) (*lower.Lowered, *workload.ProgramCase, error) {
	l, err := s.Lower(p)
	if err != nil {
		return nil, nil, err
	}
	p.Local, p.Global = l.Local, l.Global
	return l, &workload.ProgramCase{
		Program: workload.NewProgram(l.Program), Identity: s.Identity(p), Interface: s.options.Interface, Accuracy: s.Accuracy(), Data: fillings(s.data()),
	}, nil
}

// Launch prepares a point as the last call of Prepare says, and returns its launches and their kernels. It may be called concurrently for different points.
func (s *Space) Launch(p *Point) (device.Job, []*workload.Case, error) {
	s.describe([]*Point{p}, s.static)
	job, err := s.Job(p, device.Policy{})
	if err != nil {
		return job, nil, err
	}
	_, c, err := s.lowered(p)
	return job, c.Cases(), err
}

// Set is the prepared points for a ranker, unmeasured. Points with an Err are left out; at has the indices of the others.
func (s *Space) Set(points []*Point) (set *rank.Set, at []int) {
	set = &rank.Set{Names: s.names}
	for i, p := range points {
		if p.Err == nil && p.Vector != nil {
			set.Points = append(set.Points, pointOf(p))
			at = append(at, i)
		}
	}
	return set, at
}
