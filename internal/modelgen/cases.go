package modelgen

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/kernel/transform"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Cases returns the cases of a measurement set that names a script: each kernel, full or with its work removed, at each of
// the sizes. The variants are those of the script.
func Cases(variants []script.Variant, m models.Measurement) (_ []*workload.Case, err error) {
	defer throw.Catch(&err)
	if m.Kernel != "" {
		v := throw.Get(script.Named(m.Script, variants, m.Kernel))
		variants = []script.Variant{v}
	}
	var cases []*workload.Case
	for _, v := range variants {
		of := casesOf(v, m)
		cases = append(cases, of...)
	}
	return cases, nil
}

func casesOf(v script.Variant, m models.Measurement) []*workload.Case {
	ir := v.Kernel
	args := map[string]string{}
	if m.RemoveWork != nil {
		ir = throw.Get(removeWork(ir, m.RemoveWork))
		args["remove_work"] = "all"
		if len(m.RemoveWork.Keep) > 0 {
			args["remove_work"] = strings.Join(m.RemoveWork.Keep, "+")
		}
		args["accumulators"] = strconv.Itoa(max(m.RemoveWork.Accumulators, 1))
	}
	wrapped := workload.NewKernel(ir)
	var cases []*workload.Case
	for _, at := range m.Sizes {
		c := &workload.Case{
			Kernel:   wrapped,
			Name:     v.Name,
			Identity: samples.Identity{Source: filepath.Base(m.Script), Variant: v.Name, Args: args, Sizes: at},
			Sizes:    at,
			Verify:   true,
		}
		throw.If(c.CheckSizes())
		cases = append(cases, c)
	}
	return cases
}

func removeWork(ir *kernel.Kernel, r *models.WorkRemoval) (*kernel.Kernel, error) {
	return transform.RemoveWork(ir, transform.WorkRemoval{Keep: r.Keep, Accumulators: r.Accumulators})
}

// addOnce appends the values that a list does not have.
func addOnce[T comparable](list []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// bodyFunction is the name of an operation in body_pattern.
func bodyFunction(o operation) string { return cmp.Or(o.function, o.op) }
