package features

import (
	"errors"
	"slices"

	"gpuperf/launch"
)

// static is the value of a feature of StaticClass on the device of the options.
func (s *Statistics) static(_ *class, id ID, at point) (float64, error) {
	v, err := s.total(id, at.sizes)
	if of := (*launch.Error)(nil); errors.As(err, &of) {
		err = of.Err // Value names the kernel
	}
	return v, err
}

func (s *Statistics) total(id ID, sizes map[string]int64) (float64, error) {
	program, err := s.c.program()
	if err != nil {
		return 0, err
	}
	p, err := launch.New(program.nest, launch.Options{SubgroupSize: s.SubgroupSize, Device: s.c.opt.Device})
	if err != nil {
		return 0, err
	}
	values, err := p.Totals(sizes, []string{id.text})
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

func explainStatic(_ *Statistics, id ID) []string {
	totals := launch.Totals()
	i := slices.IndexFunc(totals, func(t launch.Total) bool { return t.Name == id.Op })
	return []string{totals[i].Doc}
}
