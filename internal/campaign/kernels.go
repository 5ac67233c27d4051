package campaign

import (
	"path/filepath"

	"gpuperf/calibrate"
	"gpuperf/device/machine"
	"gpuperf/internal/microbench"
	"gpuperf/internal/modelgen"
	"gpuperf/internal/replace"
	"gpuperf/kernel"
	"gpuperf/models"
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
func TagCases(folder string, tags []string, match string, on *machine.Machine) ([]*workload.Case, error) {
	filter, err := parseFilter(tags, match)
	if err != nil {
		return nil, err
	}
	if filter, err = filter.For(Multiples(on)); err != nil {
		return nil, &InputError{err}
	}
	generators, err := LoadGenerators(folder)
	if err != nil {
		return nil, err
	}
	variants, err := generators.Select(filter)
	if err != nil {
		return nil, &InputError{err}
	}
	shared := map[*kernel.Kernel]*workload.Kernel{}
	var cases []*workload.Case
	for _, v := range variants {
		ir, err := v.Kernel()
		if err != nil {
			return nil, err
		}
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

// OwnModel chooses what is measured of kernels. With own it makes a model of them alone, in the form that is selected, and writes its file to a
// folder. With auto it has the most general form, which calibration brings into the others.
func OwnModel(targets []modelgen.Target, o modelgen.Options, selected Selection, own bool, name, folder string) (string, *modelgen.Set, error) {
	if !own {
		set, err := modelgen.OwnSet(targets, o)
		return "", set, err
	}
	o.Name, o.Form = name, models.PNormForm
	if selected.Form != calibrate.Auto && selected.Form != "" {
		var err error
		if o.Form, err = models.ParseForm(selected.Form); err != nil {
			return "", nil, inputf("--model: %v, or auto", err)
		}
	}
	set, err := modelgen.Make(targets, o, func(m models.Measurement) ([]*workload.Case, error) {
		return TagCases(selected.Generators, m.Tags, string(m.Match), selected.On)
	})
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(folder, o.Name+".yaml")
	return path, set, replace.Copy.Bytes(path, []byte(set.Text)) // one that was edited is its author's
}
