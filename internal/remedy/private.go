package remedy

import (
	"errors"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/kernel"
	"gpuperf/launch"
)

// Addressed lists the private arrays of a kernel that are in memory, and not in registers, as some index of them is no constant of the code. There are none
// where too little is known of the device.
func Addressed(p *launch.Program, k *kernel.Kernel, sizes map[string]int64) (arrays []string, err error) {
	if !slices.ContainsFunc(k.Temps, func(a *kernel.Array) bool { return a.Space == kernel.Private && len(a.Shape) > 0 }) {
		return nil, nil
	}
	survey, err := p.Survey(sizes)
	if unknown := new(facts.Unknown); errors.As(err, &unknown) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for _, u := range survey.Uses {
		if u.Space == kernel.Private && u.Data && !slices.Contains(arrays, u.Array) {
			arrays = append(arrays, u.Array)
		}
	}
	return arrays, nil
}
