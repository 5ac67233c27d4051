package campaign

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"gpuperf/cfront"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/internal/warning"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/microbench"
	"gpuperf/samples"
	"gpuperf/workload"
)

// LoadScript runs a kernel script and returns its variants, of which there is at least one. The path may end in "#name", for one
// variant alone. A C file has a variant for each loop nest.
func LoadScript(ctx context.Context, path string) ([]script.Variant, error) {
	if IsC(path) {
		return LoadKernels(ctx, path, cfront.Options{})
	}
	path, only, one := source.CutName(path)
	variants, err := script.Options{}.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(variants) == 0 {
		return nil, inputf("%s binds no global variable to a kernel", path)
	}
	if !one {
		return variants, nil
	}
	v, err := script.Named(path, variants, only)
	if err != nil {
		return nil, err
	}
	return []script.Variant{v}, nil
}

// ScriptCases returns every variant of the scripts at each of the sizes, once.
func ScriptCases(ctx context.Context, paths []string, sizes []map[string]int64) ([]*workload.Case, error) {
	scripts, err := loadScripts(ctx, paths)
	if err != nil {
		return nil, err
	}
	var all []script.Variant
	for _, s := range scripts {
		all = append(all, s.variants...)
	}
	kernels := make([]*workload.Kernel, len(all))
	for i, v := range all {
		kernels[i] = workload.NewKernel(v.Kernel)
	}
	parallel.For(len(kernels), func(i int) { kernels[i].Nest() }) // most of the time; errors show below
	var cases []*workload.Case
	for _, s := range scripts {
		for _, v := range s.variants {
			wrapped := kernels[0]
			kernels = kernels[1:]
			if _, err := wrapped.Nest(); err != nil {
				return nil, v.Error(err)
			}
			for _, at := range OwnSizes(v, all, sizes) {
				c := &workload.Case{
					Kernel:   wrapped,
					Script:   s.file,
					Name:     v.Name,
					Label:    s.label + v.Name,
					Identity: samples.Identity{Source: filepath.Base(s.file), Variant: v.Name, Sizes: at},
					Sizes:    at,
					Verify:   true,
				}
				if err := c.CheckSizes(); err != nil {
					return nil, &InputError{err}
				}
				cases = append(cases, c)
			}
		}
	}
	return cases, nil
}

// OwnSizes returns the distinct sizes of a variant, without those that only other variants have a parameter for, so that one list can give
// the sizes of them all. A size that none has stays, for the check of the case to name it.
func OwnSizes(v script.Variant, all []script.Variant, sizes []map[string]int64) (out []map[string]int64) {
	for _, at := range sizes {
		own := maps.Clone(at)
		maps.DeleteFunc(own, func(name string, _ int64) bool {
			return !slices.Contains(v.Kernel.Params(), name) &&
				slices.ContainsFunc(all, func(o script.Variant) bool { return slices.Contains(o.Kernel.Params(), name) })
		})
		if !slices.ContainsFunc(out, func(o map[string]int64) bool { return maps.Equal(o, own) }) {
			out = append(out, own)
		}
	}
	return out
}

// CompleteSizes returns for each variant its own sizes as far as they have a value for each of its parameters. Notes name those left
// out. Each variant must have some, and each size a variant that has a parameter for it.
func CompleteSizes(all []script.Variant, sizes []map[string]int64) (own [][]map[string]int64, notes []string, err error) {
	for _, at := range sizes {
		for _, name := range slices.Sorted(maps.Keys(at)) {
			if !slices.ContainsFunc(all, func(v script.Variant) bool { return slices.Contains(v.Kernel.Params(), name) }) {
				return nil, nil, inputf("no kernel has a parameter %s", name)
			}
		}
	}
	for _, v := range all {
		var complete []map[string]int64
		var lacking []string
		var missing string
		for _, at := range OwnSizes(v, all, sizes) {
			given := func(p string) bool { _, ok := at[p]; return ok }
			if i := slices.IndexFunc(v.Kernel.Params(), func(p string) bool { return !given(p) }); i >= 0 {
				missing = v.Kernel.Params()[i]
				lacking = append(lacking, warning.LeftOut.About("kernel "+v.Name+" at "+workload.FormatSizes(at), "left out, no size is given for %s", missing))
			} else {
				complete = append(complete, at)
			}
		}
		if len(complete) == 0 {
			return nil, nil, inputf("kernel %s needs a size for %s; give -p %s=VALUE", v.Name, missing, missing)
		}
		own, notes = append(own, complete), append(notes, lacking...)
	}
	return own, notes, nil
}

// LoadGenerators loads the built-in generators of measurement kernels and those of a folder, "" for none.
func LoadGenerators(folder string) (*microbench.Collection, error) {
	if folder == "" {
		return microbench.Load()
	}
	return microbench.Load(folder)
}

// TagCases returns the measurement kernels that tags select from the built-in generators and those of a folder. Kernels that differ in
// sizes alone are one kernel, so that it is counted and generated once.
func TagCases(folder string, tags []string, match string) ([]*workload.Case, error) {
	filter, err := parseFilter(tags, match)
	if err != nil {
		return nil, err
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

func parseFilter(tags []string, match string) (microbench.Filter, error) {
	condition, err := microbench.ParseMatch(match)
	if err != nil {
		return microbench.Filter{}, &InputError{err}
	}
	return microbench.ParseFilter(tags, condition)
}

// generatedCase is a variant of a generator as a case of its kernel.
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
