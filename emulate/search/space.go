// Package search looks for a fast configuration of a kernel by emulation, without running it (Hong et al., "GPU Code Optimization using
// Abstract Kernel Emulation and Sensitivity Analysis", PLDI 2018, section 5).
//
// A Space is that of a launch file (package search/params). An Oracle emulates a configuration (oracle.go). The walk is a strategy of the module's package
// search, which runs it: it moves from a first configuration in the direction that its bottleneck asks for (next.go), as long as that helps. Find lists
// what it has seen, the fastest first: a seed for any tuner.
package search

import (
	"fmt"
	"slices"

	"gpuperf/search/params"
)

// Configuration has the value of each parameter of a space.
type Configuration = []int64

// Space is that of a launch file whose parameters say what they are.
type Space struct{ *params.File }

// Load reads a file with a space, or a launch file with one.
func Load(path string) (*Space, error) {
	f, err := params.Load(path)
	if err != nil {
		return nil, err
	}
	return &Space{f}, f.CheckRoles()
}

// code is what configurations share that have the same machine code.
func (s *Space) code(c Configuration) string {
	var key []int64
	for i, p := range s.Parameters {
		if p.Compiled {
			key = append(key, c[i])
		}
	}
	return fmt.Sprint(key)
}

// moved is a configuration whose parameter has the value so many steps farther, nil where the space has none.
func (s *Space) moved(c Configuration, parameter, steps int) Configuration {
	values := s.Parameters[parameter].Values
	at := slices.Index(values, c[parameter]) + steps
	if at < 0 || at >= len(values) {
		return nil
	}
	out := slices.Clone(c)
	out[parameter] = values[at]
	if !s.Has(out) {
		return nil
	}
	return out
}

// times is a configuration whose parameter is so many times as great, or as near to that as the space has; nil where it has no greater one.
func (s *Space) times(c Configuration, parameter int, factor float64) (out Configuration) {
	for steps := 1; ; steps++ {
		to := s.moved(c, parameter, steps)
		if to == nil {
			return out
		}
		if out = to; float64(to[parameter]) >= factor*float64(c[parameter]) {
			return out
		}
	}
}
