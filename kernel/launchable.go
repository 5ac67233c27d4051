package kernel

import "gpuperf/kernel/expr"

// Launchable verifies what a prepared kernel needs to run but not to be counted: work-groups and tiles of constant size.
func (k *Kernel) Launchable() error {
	for _, a := range k.Arrays() {
		if a.Space != Local && a.Space != Private {
			continue
		}
		for axis, size := range a.Shape {
			if _, ok := size.(expr.Int); !ok {
				return k.Errorf("the size %s of axis %d of %s is not constant, as %s memory needs; fix the parameters", size, axis, a.Name, a.Space)
			}
		}
	}
	_, err := k.LocalSize()
	return err
}
