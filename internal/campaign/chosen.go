package campaign

import (
	"context"
	"slices"
	"strings"

	"gpuperf/internal/frontend"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/launchfile"
	"gpuperf/workload"
)

// Chosen says which kernels arguments name: those of files, or measurement kernels by their tags.
type Chosen struct {
	Files             frontend.Options
	Sizes             []map[string]int64 // for files; one without any size where none is given
	Generators, Match string             // for tags: a folder, "" for none, and the condition
}

// Cases are the kernels at their sizes.
func (c *Chosen) Cases(ctx context.Context, args []string) ([]*workload.Case, error) {
	file := frontend.IsKernel(args[0])
	if !file {
		if err := onlyTags(args); err != nil {
			return nil, err
		}
	}
	switch {
	case !file && (len(c.Sizes) > 1 || len(c.Sizes[0]) > 0):
		return nil, inputf("-p is for files with kernels; tags give sizes as %s", `"n:2048"`)
	case !file:
		return TagCases(c.Generators, args, c.Match, nil)
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return !frontend.IsKernel(arg) }); i >= 0 {
		return nil, inputf("%s is a file with kernels, and %s none", args[0], args[i])
	}
	return Cases(ctx, c.Files, args, c.Sizes)
}

// onlyTags refuses what can only be the name of a file, and says what is wrong with that file.
func onlyTags(args []string) error {
	for _, arg := range args {
		if !strings.ContainsAny(arg, "./") || strings.Contains(arg, ":") {
			continue
		}
		f, err := source.Open(arg)
		if err != nil {
			return &InputError{err}
		}
		f.Close()
		if launchfile.IsSource(arg) {
			return inputf("%s does not say how its kernels are launched: a launch file does\n    write one: perf init launch --from %s", arg, arg)
		}
		return inputf("%s is no file with kernels: the names of those end in %s", arg, strings.Join(frontend.Extensions(), ", "))
	}
	return nil
}

// Pairs are the kernels, each with the one of another argument, or of its tags, that it is to be compared with.
func (c *Chosen) Pairs(ctx context.Context, args []string, against string) (_ []Pair, err error) {
	defer throw.Catch(&err)
	others := []string{against}
	switch file := frontend.IsKernel(against); {
	case file && len(args) == 1 && frontend.IsKernel(args[0]):
		return filePairs(ctx, c.Files, args[0], against, c.Sizes), nil
	case !file:
		others = strings.Fields(against)
	}
	cases := throw.Get(c.Cases(ctx, args))
	than := throw.Get(c.Cases(ctx, others))
	return Pairs(cases, than)
}
