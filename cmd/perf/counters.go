package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/counters"
	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/internal/parallel"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/samples"
)

func countersCommand() *cobra.Command {
	var one countedKernels
	var list, cache, device, to, recorded string
	cmd := &cobra.Command{
		Use:   "counters KERNEL.star -p n=2048 | TAG... | PROG.lift -s n=4096 --variant ID | LAUNCH.yaml",
		Short: "Compare counts with the hardware's counters",
		Long: `counters runs one launch of each kernel under NVIDIA's Nsight Compute (ncu), through CUDA, and prints what the hardware has counted beside
what is counted from the kernel, and their ratio: operations, barriers, sectors of global memory, wavefronts of local memory; then the traffic
of L1, L2 and DRAM, instructions by pipe, occupancy and why sub-groups waited. With --json there are all metrics, and the machine code with how
often each instruction was executed. Counted are the work-items that take part, and loads without those of elements that straight-line code
holds already. What the compiler has merged otherwise, hoisted or vectorized shows as a ratio above 1.

The counts of the hardware are kept in a samples file by -o; --recorded prints them again where there is no GPU. Many kernels are counted
together by --kernels FILE, a line for the arguments of each; a line such as "# stencils" names the kind of those below it.` + measuringRuns,
		Example: `  perf counters examples/matmul/matmul_prefetch.star -p n=1024 \
      --recorded testdata/h200/counters.jsonl.gz`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			modes, err := (&measureFlags{cache: cache}).modes()
			if err != nil {
				return err
			}
			var works []counters.Work
			switch {
			case list != "" && len(args) > 0:
				return usagef("--kernels %s: it lists the kernels, so that %s is one too many", list, args[0])
			case list != "":
				works, err = listedWorks(cmd, list)
			case len(args) == 0:
				return usagef("needs a kernel script, tags, a program, launch files, or --kernels with a list of them")
			default:
				works, err = one.works(cmd, args)
			}
			if err != nil {
				return err
			}
			var source counters.Source
			if recorded != "" {
				source, err = counters.Recorded(recorded)
			} else {
				source, err = counters.Live(device, to, func(format string, args ...any) { note(cmd, format, args...) })
			}
			if err != nil {
				return err
			}
			defer source.Close()
			var counted [][]counters.Counted
			var failed error
			for _, mode := range modes {
				own, err := source.Take(cmd.Context(), works, mode)
				if missing := new(counters.NotRecorded); errors.As(err, &missing) {
					return usage(err)
				}
				counted, failed = append(counted, own), cmp.Or(failed, err)
			}
			all, err := counters.Results(works, counted)
			if err != nil {
				return err
			}
			if err := show(cmd, kernelsJSON(all), func(w io.Writer) error { return counters.Write(w, all) }); err != nil {
				return err
			}
			return failed
		},
	}
	one.addFlags(cmd)
	cmd.Flags().StringVar(&list, "kernels", "", "a file that lists kernels, with a line of arguments for each")
	cmd.Flags().StringVar(&cache, "cache", "warm", "state of the caches before the launch: warm, cold or both")
	cmd.Flags().StringVar(&device, "device", "", "the device: an index or part of a name, of the devices of CUDA")
	cmd.Flags().StringVarP(&to, "output", "o", "", "the samples file to add the counts to")
	cmd.Flags().StringVar(&recorded, "recorded", "", "a samples file that counters has written, instead of running anything")
	return cmd
}

// countedKernels say which kernels are counted.
type countedKernels struct {
	sizes         []string
	folder, match string
	point         pointOptions
}

func (k *countedKernels) addFlags(cmd *cobra.Command) {
	addSizes(cmd, &k.sizes)
	addGenerators(cmd, &k.folder)
	addMatch(cmd, &k.match)
	k.point.addFlags(cmd)
}

// listedWorks reads a list of kernels.
func listedWorks(cmd *cobra.Command, path string) ([]counters.Work, error) {
	text, err := bounded.ReadFile(path, 1<<20)
	if err != nil {
		return nil, err
	}
	defer rareCollections()()
	type entry struct {
		kind, line string
		works      []counters.Work
		err        error
	}
	var entries []entry
	kind := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, "#"); is {
			kind = strings.TrimSpace(name)
		} else if line != "" {
			entries = append(entries, entry{kind: kind, line: line})
		}
	}
	parallel.For(len(entries), func(i int) {
		e := &entries[i]
		own, one := &cobra.Command{}, countedKernels{}
		one.addFlags(own)
		own.SetContext(cmd.Context())
		if e.err = own.ParseFlags(strings.Fields(e.line)); e.err == nil {
			e.works, e.err = one.works(own, own.Flags().Args())
		}
	})
	var all []counters.Work
	for _, e := range entries {
		if e.err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, e.line, e.err)
		}
		for _, w := range e.works {
			w.Kind = e.kind
			all = append(all, w)
		}
	}
	return all, nil
}

func (k *countedKernels) works(cmd *cobra.Command, args []string) (all []counters.Work, err error) {
	switch {
	case campaign.AreLaunches(args, ""):
		at, err := parseSizes(k.sizes)
		if err != nil {
			return nil, err
		}
		launches, err := campaign.LoadLaunches(args, "", at)
		if err != nil {
			return nil, err
		}
		for _, job := range launches.Jobs() {
			all = append(all, counters.Work{Kernel: job.Identity.Source, Job: job})
		}
		return all, nil
	case filepath.Ext(args[0]) == ".lift":
		w, err := k.variant(args[0])
		return []counters.Work{w}, err
	}
	cases, err := measureCases(cmd, args, k.sizes, k.folder, k.match)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		w, err := counters.Of(c.Program(), c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		all = append(all, w)
	}
	return all, nil
}

// variant is a design point of a functional program.
func (k *countedKernels) variant(path string) (counters.Work, error) {
	if k.point.variant == "" {
		return counters.Work{}, usagef("%s has many variants: name one by --variant (perf lift derive lists them)", path)
	}
	s, err := k.point.open(path, &device.Info{Fingerprint: samples.Fingerprint{Interface: samples.CUDA}})
	if err != nil {
		return counters.Work{}, err
	}
	p, err := k.point.named(s)
	if err == nil {
		err = k.point.place(p)
	}
	if err != nil {
		return counters.Work{}, err
	}
	s.Prepare([]*explore.Point{p}, launch.Options{})
	job, err := s.Job(p, device.Policy{})
	if err != nil {
		return counters.Work{}, err
	}
	program, err := s.Case(p)
	if err != nil {
		return counters.Work{}, err
	}
	name := job.Identity
	name.Sizes = nil
	return counters.Work{Kernel: name.String(), Job: job, Cases: program.Cases()}, nil
}
