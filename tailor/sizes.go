package tailor

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Sizes to measure at lie between a fraction of the smallest size asked for and a multiple of the largest, evenly on a
// logarithmic scale.
const (
	below = 0.6
	above = 1.2
)

// chooseSizes chooses sizes around those asked for and none of them. In a kernel of several parameters these vary
// against each other, so that the costs of each can be told apart.
func (s *subject) chooseSizes(opt Options) error {
	params := s.ir.Params()
	if len(params) == 0 {
		return fmt.Errorf("kernel %s has no size to vary: it would be measured at the size that is to be predicted", s.program())
	}
	points := opt.points(len(params))
	axes := make([][]int64, len(params))
	for i, p := range params {
		var err error
		if axes[i], err = s.axis(p, points); err != nil {
			return err
		}
	}
	var chosen []map[string]int64
	for i := range points {
		at := map[string]int64{}
		for j, p := range params {
			// Axis j takes its values in steps of j+1, for which the number of points is a prime.
			at[p] = axes[j][(i*(j+1)+j*points/2)%len(axes[j])]
		}
		same := func(o map[string]int64) bool { return maps.Equal(o, at) }
		if slices.ContainsFunc(s.Sizes, same) || slices.ContainsFunc(chosen, same) || s.at(at).CheckSizes() != nil {
			continue
		}
		if fits, err := s.fits(at, opt); err != nil {
			return err
		} else if fits {
			chosen = append(chosen, at)
		}
	}
	if len(chosen) < 2 {
		return fmt.Errorf("kernel %s: of the sizes around those asked for only %d can be measured; its assumptions are %s", s.program(), len(chosen), s.ir.Assumptions)
	}
	slices.SortStableFunc(chosen, func(a, b map[string]int64) int {
		for _, p := range params {
			if a[p] != b[p] {
				return int(min(max(a[p]-b[p], -1), 1))
			}
		}
		return 0
	})
	s.sizes = chosen
	return nil
}

// fits reports that the arrays fit the device's memory several times, and that a launch is not very much longer than
// those asked for.
func (s *subject) fits(at map[string]int64, opt Options) (bool, error) {
	bytes, err := s.bytes(at)
	if err != nil {
		return false, err
	}
	if m := opt.Machine.Memory; m > 0 && bytes > float64(m)/3 {
		return false, nil
	}
	work, err := s.traffic(at)
	if err != nil {
		return false, err
	}
	most, err := s.traffic(s.largest)
	return work <= 8*most, err
}

// axis lists values of a parameter around those asked for, in ascending order.
func (s *subject) axis(param string, points int) ([]int64, error) {
	first, step, err := s.at(nil).Values(param)
	if err != nil {
		return nil, err
	}
	var asked []int64
	for _, at := range s.Sizes {
		asked = append(asked, at[param])
	}
	lo, hi := float64(slices.Min(asked))*below, float64(slices.Max(asked))*above
	grain := s.grain(asked, first, step)
	var out []int64
	for i := range points {
		v := lo * math.Pow(hi/lo, float64(i)/float64(points-1))
		base := first % step
		at := base + int64(math.Round((v-float64(base))/float64(grain)))*grain
		for at < first || slices.Contains(asked, at) || slices.Contains(out, at) {
			at += grain
		}
		out = append(out, at)
	}
	slices.Sort(out)
	return out, nil
}

// grain is a power of two times the step of the values that a parameter may have: as round as the sizes asked for are, since
// a size that 4096 divides meets caches and channels in another way than an odd one, and at most an eighth of them.
func (s *subject) grain(asked []int64, first, step int64) int64 {
	grain := step
	for {
		next := 2 * grain
		for _, v := range asked {
			if (v-first%step)%next != 0 || next > v/8 {
				return grain
			}
		}
		grain = next
	}
}
