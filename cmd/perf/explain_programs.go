package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/emulate/launches"
	"gpuperf/internal/campaign"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launchfile"
	"gpuperf/lift"
	"gpuperf/samples"
	"gpuperf/workload"
)

// isProgram reports whether an argument names a functional program, as PROG.lift or PROG.lift#VARIANT.
func isProgram(arg string) bool {
	file, _, _ := source.CutName(arg)
	return filepath.Ext(file) == programs
}

// casesOfAll are the kernels of some arguments, in their order. Each argument gets those of the sizes that it takes.
func casesOfAll(cmd *cobra.Command, o *predictFlags, args []string) (whole []*workload.Case, err error) {
	defer throw.Catch(&err)
	sizes := throw.Get(parseArguments(o.sizes))
	files := slices.DeleteFunc(slices.Clone(args), isProgram)
	if len(files) == len(args) {
		return campaign.Cases(cmd.Context(), o.files, files, sizes)
	}
	for _, arg := range args {
		if isProgram(arg) {
			_, cases := o.ofProgram(cmd, arg, args)
			whole = append(whole, cases...)
			continue
		}
		own := o.without(cmd, sizes, arg, args)
		whole = append(whole, throw.Get(campaign.Cases(cmd.Context(), o.files, []string{arg}, own))...)
	}
	return whole, nil
}

// takes are the sizes that an argument has.
func (o *predictFlags) takes(cmd *cobra.Command, arg string) (names []string) {
	switch {
	case isProgram(arg):
		path, _, _ := source.CutName(arg)
		return throw.Get(lift.Load(path)).Sizes
	case campaign.AreLaunches([]string{arg}, ""):
		return slices.Collect(maps.Keys(throw.Get(launchfile.Load(arg)).Sizes))
	}
	for _, k := range throw.Get(o.files.Load(cmd.Context(), arg)) {
		names = append(names, k.Takes()...)
	}
	return names
}

// without are sizes without those that others of the arguments take and arg does not.
func (o *predictFlags) without(cmd *cobra.Command, sizes []map[string]int64, arg string, args []string) (own []map[string]int64) {
	if len(args) != 2 {
		return sizes
	}
	takes := o.takes(cmd, arg)
	var others []string
	for _, other := range args {
		if other != arg {
			others = append(others, o.takes(cmd, other)...)
		}
	}
	for _, at := range sizes {
		at = maps.Clone(at)
		maps.DeleteFunc(at, func(name string, _ int64) bool { return !slices.Contains(takes, name) && slices.Contains(others, name) })
		own = append(own, at)
	}
	return own
}

// ofProgram are the launches of a variant of a functional program, as one job and as the kernels that it launches: of the reference where the argument names no variant.
func (o *predictFlags) ofProgram(cmd *cobra.Command, arg string, args []string) (job device.Job, cases []*workload.Case) {
	var point pointOptions
	point.addVariant(&cobra.Command{}) // the defaults of its flags
	path, variant, _ := source.CutName(arg)
	point.variant = variant
	if len(args) == 1 {
		point.local, point.global = o.files.Local, o.files.Global
	}
	sizes := throw.Get(parseArguments(o.sizes))
	if len(sizes) != 1 {
		panic(throw.Of(usagef("%s is explained at one size, and here are %d", arg, len(sizes))))
	}
	for name, n := range o.without(cmd, sizes, arg, args)[0] {
		point.sizes = append(point.sizes, fmt.Sprintf("%s=%d", name, n))
	}
	s, p := throw.Get2(point.point(path, &device.Info{Fingerprint: samples.Fingerprint{Interface: samples.CUDA}}))
	job, cases, err := s.Launch(p)
	throw.If(err)
	lines := inputLines(s.Program, string(throw.Get(os.ReadFile(filepath.Clean(path)))))
	for _, c := range cases {
		c.Script, c.Name, c.Label = path, c.IR.Name, arg
		for _, stmt := range c.IR.Statements {
			stmt.Places = nil
			for _, a := range lists.Flat(stmt.Exprs(), expr.Accesses) {
				place := kernel.Place{File: path}
				place.Line = lines[a.Array] // 0 for what is between two kernels: no line has it
				stmt.Places = append(stmt.Places, place)
			}
		}
	}
	return job, cases
}

// inputLines are the lines of a program's text that use its inputs, the first of each; lowered code has no other places.
func inputLines(p *lift.Program, text string) map[string]int {
	at := map[string]int{}
	for _, in := range p.Inputs {
		used := regexp.MustCompile(`\b` + regexp.QuoteMeta(in.Name) + `\b\s*(:?)`)
		for i, line := range strings.Split(text, "\n") {
			line, _, _ = strings.Cut(line, "#")
			for _, m := range used.FindAllStringSubmatch(line, -1) {
				if m[1] == "" && at[in.Name] == 0 { // a colon declares it
					at[in.Name] = i + 1
				}
			}
		}
	}
	return at
}

// programSequence is what emulation goes through of a functional program.
func (o *predictFlags) programSequence(cmd *cobra.Command, arg string, args []string) (s *launches.Sequence, err error) {
	defer throw.Catch(&err)
	job, cases := o.ofProgram(cmd, arg, args)
	return launches.OfSource(job, samples.CUDA, cases[0].String()), nil
}
