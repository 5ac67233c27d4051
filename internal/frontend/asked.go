package frontend

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/workload"
)

// maxAsked is how many errors behind the first are looked for.
const maxAsked = 12

// kernelFunction loads a kernel function. Where flags are lacking, the error tells also those that it would ask for next.
func (o Options) kernelFunction(ctx context.Context, path string) ([]*Kernel, error) {
	kernels, first := o.launchedFunction(ctx, path)
	flags := flagsOf(first)
	all := slices.Clone(flags)
	for round := 0; len(flags) > 0 && round < maxAsked; round++ {
		o = o.asked(flags)
		list, err := o.launchedFunction(ctx, path)
		if err == nil && len(list) == 1 {
			all = append(all, missing(list[0])...)
		}
		known := func(f string) bool { return slices.Contains(all, f) }
		flags = slices.DeleteFunc(slices.Clone(flagsOf(err)), known)
		all = append(all, flags...)
	}
	var at *source.Error
	if next := all[len(flagsOf(first)):]; len(next) > 0 && errors.As(first, &at) {
		return nil, at.WithHint("%s", strings.TrimPrefix(at.Hint+"; next it asks for ", "; ")+strings.Join(next, " "))
	}
	return kernels, first
}

// missing is the flag that gives a kernel its sizes, none where they are given.
func missing(k *Kernel) []string {
	c := &workload.Case{Kernel: &workload.Kernel{IR: k.Kernel, Own: k.Own}, Sizes: k.Given}
	if sizes := c.Missing(); sizes != "" {
		return []string{"-p " + sizes}
	}
	return nil
}

// flagsOf are the flags that mend an error.
func flagsOf(err error) []string {
	var at *source.Error
	if !errors.As(err, &at) {
		return nil
	}
	return at.Flags
}

// asked are the options with flags that an error asks for, where … stands for a value that is tried.
func (o Options) asked(flags []string) Options {
	o.Define, o.Include = slices.Clone(o.Define), slices.Clone(o.Include)
	for _, f := range flags {
		name, value, _ := strings.Cut(f, " ")
		value = strings.Trim(strings.ReplaceAll(value, "…", tried), "'")
		switch name {
		case "-D":
			o.Define = append(o.Define, value)
		case "-I":
			o.Include = append(o.Include, value)
		default:
			_ = o.own([]string{name, value})
		}
	}
	return o
}

// tried is the value of macros that nobody knows, to see what else is asked for.
const tried = "16"
