package main

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/internal/campaign"
	"gpuperf/internal/counters"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/workload"
)

func countersCommand() *cobra.Command {
	var one countedKernels
	var list, cache, device, to, recorded string
	cmd := &cobra.Command{
		Use:   "counters KERNEL -p n=2048 | TAG... | PROG.lift -p n=4096 --variant ID | LAUNCH.yaml",
		Short: "Compare counts with the hardware's counters",
		Long: `counters runs one launch of each kernel under NVIDIA's Nsight Compute (ncu), through CUDA, and prints what the hardware has counted beside
what is counted from the kernel, and their ratio: operations, barriers, sectors of global memory, wavefronts of local memory; then the traffic
of L1, L2 and DRAM, instructions by pipe, occupancy and why sub-groups waited ("stalled": how many wait for a reason, on average, whenever one
issues an instruction). What the compiler has merged, hoisted or vectorized shows as a ratio above 1. With --json there are all metrics, and
the machine code with how often each instruction was executed.

The counts of the hardware are kept in a samples file by -o, FILE.jsonl, and the machine code beside it in FILE.code.jsonl; --recorded prints
them again where there is no GPU. Many kernels are counted together by --kernels FILE, a line for the arguments of each; a line such as
"# stencils" names the kind of those below it.` + measuringRuns,
		Example: `  perf counters examples/matmul/matmul_prefetch.star -p n=1024 \
      --recorded testdata/h200/counters.jsonl.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			modes := throw.Get((&measureFlags{cache: cache}).modes())
			var works []counters.Work
			var err error
			switch {
			case (list != "") == (len(args) > 0):
				return usagef("give a kernel script, tags, a program, launch files, or --kernels with a list of them")
			case list != "":
				works, err = counters.ReadList(list, func(args []string) ([]counters.Work, error) { return listedWorks(cmd, args) })
			default:
				works, err = one.works(cmd, args)
			}
			if err != nil {
				return err
			}
			source := throw.Get(counters.Open(recorded, device, to, func(format string, args ...any) { note(cmd, format, args...) }))
			defer source.Close()
			all, err := counters.Run(cmd.Context(), source, works, modes)
			if missing := new(counters.NotRecorded); errors.As(err, &missing) {
				return usage(err)
			}
			return errors.Join(show(cmd, kernelsJSON(all), func(w io.Writer) error { return counters.Write(w, all) }), err)
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
	chosenKernels
	point pointOptions
}

func (k *countedKernels) addFlags(cmd *cobra.Command) {
	k.add(cmd)
	k.point.addVariant(cmd)
}

// parse reads the sizes, which are also those of a functional program.
func (k *countedKernels) parse() error {
	k.point.sizes = k.sizes
	return k.chosenKernels.parse()
}

// listedWorks are the works of a line of arguments.
func listedWorks(cmd *cobra.Command, args []string) ([]counters.Work, error) {
	own, one := &cobra.Command{}, countedKernels{}
	one.addFlags(own)
	own.SetContext(cmd.Context())
	if err := own.ParseFlags(args); err != nil {
		return nil, err
	}
	return one.works(own, own.Flags().Args())
}

func (k *countedKernels) works(cmd *cobra.Command, args []string) (_ []counters.Work, err error) {
	defer throw.Catch(&err)
	throw.If(k.parse())
	switch {
	case campaign.AreLaunches(args, ""):
		files, uncounted, _ := campaign.SplitLaunches(cmd.Context(), k.Files, args)
		launches, err := campaign.LoadLaunches(cmd.Context(), uncounted, "", k.Sizes)
		if err == nil && launches.Any() && launches.Interface != samples.CUDA {
			err = usagef("%s runs under %s: only CUDA's compiler gives machine code", uncounted[0], launches.Interface)
		}
		if err != nil || len(files) == 0 {
			return counters.OfJobs(launches.Jobs()), err
		}
		cases := throw.Get(campaign.Cases(cmd.Context(), k.Files, files, k.Sizes))
		works, err := worksOf(cases)
		return append(works, counters.OfJobs(launches.Jobs())...), err
	case filepath.Ext(args[0]) == ".lift":
		k.point.local, k.point.global = k.Files.Local, k.Files.Global
		return k.variant(args[0]), nil
	}
	cases := throw.Get(k.Cases(cmd.Context(), args))
	return worksOf(cases)
}

// worksOf are the works of cases, which CUDA must be able to run.
func worksOf(cases []*workload.Case) ([]counters.Work, error) {
	for _, c := range cases {
		if err := c.CheckInterface(samples.CUDA); err != nil {
			return nil, usagef("%w: only CUDA's compiler gives machine code", err)
		}
	}
	return counters.OfCases(cases, samples.CUDA)
}

// variant is a design point of a functional program.
func (k *countedKernels) variant(path string) []counters.Work {
	s, p := throw.Get2(k.point.point(path, &device.Info{Fingerprint: samples.Fingerprint{Interface: samples.CUDA}}))
	job, cases, err := s.Launch(p)
	throw.If(err)
	return []counters.Work{{Kernel: s.Source + "#" + p.Variant.ID, Job: job, Cases: cases}}
}
