package ckerneltest

import (
	"cmp"
	"fmt"

	"gpuperf/features"
	"gpuperf/kernel"
)

// formulasAre checks that the formulas of counts have the values at sizes that counts at these sizes are.
func formulasAre(k *kernel.Kernel, o features.Options, at []map[string]int64, fixed []*features.Statistics) error {
	s, err := features.Count(k, o)
	if err != nil {
		return err
	}
	for i, sizes := range at {
		numbers := map[features.Key]string{}
		for _, r := range fixed[i].Records {
			v, err := r.Count.Eval(sizes)
			if err != nil {
				return err
			}
			numbers[r.Key] = v.RatString()
		}
		for _, r := range s.Records { // others have no formula, which is a warning
			v, err := r.Count.Eval(sizes)
			if err != nil {
				return err
			}
			if want := cmp.Or(numbers[r.Key], "0"); v.RatString() != want {
				return fmt.Errorf("at %v: %s: the formula %s gives %s, counting %s", sizes, r.Key, r.Count, v.RatString(), want)
			}
		}
	}
	return nil
}
