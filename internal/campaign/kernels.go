package campaign

import (
	"gpuperf/device/machine"
	"gpuperf/internal/microbench"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/samples"
	"gpuperf/workload"
)

// LoadGenerators loads the built-in generators of measurement kernels and those of a folder, "" for none.
func LoadGenerators(folder string) (*microbench.Collection, error) {
	if folder == "" {
		return microbench.Load()
	}
	return microbench.Load(folder)
}

// TagCases returns the measurement kernels that tags select from the built-in generators and those of a folder. Kernels that differ in
// sizes alone are one kernel, so that it is counted and generated once. Sizes may be products with what a machine has: of the usual one where it is nil.
func TagCases(folder string, tags []string, match string, on *machine.Machine) (_ []*workload.Case, err error) {
	defer throw.Catch(&err)
	filter := throw.Get(parseFilter(tags, match))
	if filter, err = filter.For(Multiples(on)); err != nil {
		return nil, &InputError{err}
	}
	generators := throw.Get(LoadGenerators(folder))
	variants, err := generators.Select(filter)
	if err != nil {
		return nil, &InputError{err}
	}
	shared := map[*kernel.Kernel]*workload.Kernel{}
	var cases []*workload.Case
	for _, v := range variants {
		ir := throw.Get(v.Kernel())
		if shared[ir] == nil {
			shared[ir] = workload.NewKernel(ir)
		}
		cases = append(cases, generatedCase(shared[ir], v))
	}
	return cases, nil
}

// Multiples are what sizes of measurement kernels may be multiples of. Multiprocessors are taken by fours, so that small multiples of them are whole work-groups; those that
// are left over stay idle.
func Multiples(on *machine.Machine) map[string]int64 {
	const by = 4 // work-groups of four make sizes of several shapes whole
	if on == nil {
		on = machine.Of(nil)
	}
	return map[string]int64{"MP": max(on.Multiprocessors/by, 1) * by}
}

func parseFilter(tags []string, match string) (microbench.Filter, error) {
	condition, err := microbench.ParseMatch(match)
	if err != nil {
		return microbench.Filter{}, &InputError{err}
	}
	return microbench.ParseFilter(tags, condition)
}

func generatedCase(k *workload.Kernel, v microbench.Variant) *workload.Case {
	args := map[string]string{}
	for _, a := range v.Args {
		if _, isSize := v.Sizes[a.Name]; !isSize {
			args[a.Name] = a.Value.String()
		}
	}
	return &workload.Case{
		Kernel:   k,
		Name:     v.Generator,
		Identity: samples.Identity{Source: v.Generator, Args: args, Sizes: v.Sizes},
		Tags:     v.Tags,
		Sizes:    v.Sizes,
		Verify:   true,
		Resize: func(factor float64) (*workload.Case, error) {
			scaled, err := v.Scaled(factor)
			if err != nil {
				return nil, err
			}
			return generatedCase(k, scaled), nil
		},
	}
}
