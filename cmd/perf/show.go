package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/workload"
)

// views are the forms in which show prints a kernel.
var views = map[string]func(*workload.Kernel) (string, error){
	"ir": func(k *workload.Kernel) (string, error) { return k.IR.String(), nil },
	"nest": func(k *workload.Kernel) (string, error) {
		nest, err := k.Nest()
		if err != nil {
			return "", err
		}
		return nest.String(), nil
	},
	"opencl": sourceView(emit.OpenCLC),
	"cuda":   sourceView(emit.CUDAC),
}

func sourceView(language emit.Language) func(*workload.Kernel) (string, error) {
	return func(k *workload.Kernel) (string, error) {
		source, err := k.Source(emit.Options{Language: language})
		if err != nil {
			return "", err
		}
		return source.Text, nil
	}
}

func showCommand() *cobra.Command {
	var as string
	var files frontend.Options
	cmd := &cobra.Command{
		Use:   "show KERNEL [--as nest|ir|opencl|cuda]",
		Short: "Print the loop nest of a kernel, or its generated source",
		Long: `show prints each kernel of a file: as the program of loops, guards and barriers that is derived from it (nest),
as the domain, statements and arrays that the transformations work on (ir), as OpenCL C
(opencl), or as CUDA C (cuda).`,
		Example: `  perf show examples/matmul/matmul.star
  perf show examples/matmul/matmul_prefetch.star --as opencl`,
		Args: exactArgs(1, "one file with kernels"),
		RunE: func(cmd *cobra.Command, args []string) error {
			variants := throw.Get(files.Load(cmd.Context(), args[0]))
			all := make([]shownKernel, len(variants))
			for i, v := range variants {
				if v.Unsized != nil {
					return v.Unsized
				}
				all[i] = shownKernel{v.Name, v.Kernel, func(err error) error { return v.Error(err) }}
			}
			showKernels(cmd, as, all)
			return nil
		},
	}
	cmd.Flags().StringVar(&as, "as", "nest", "what to print: nest, ir, opencl or cuda")
	addFiles(cmd, &files)
	return cmd
}

// shownKernel is a kernel under the name that the user knows it by.
type shownKernel struct {
	name  string
	ir    *kernel.Kernel
	place func(error) error // says where an error about the kernel belongs
}

// showKernels prints kernels in one of the views, each under its name where there are several.
func showKernels(cmd *cobra.Command, as string, kernels []shownKernel) {
	view, ok := views[as]
	if !ok {
		panic(throw.Of(usagef("--as %s: a kernel is shown as nest, ir, opencl or cuda", as)))
	}
	type shown struct {
		Kernel string `json:"kernel"`
		As     string `json:"as"`
		Text   string `json:"text"`
	}
	var all []shown
	for _, k := range kernels {
		text, err := view(workload.NewKernel(k.ir))
		if err != nil {
			throw.If(k.place(err))
			return
		}
		all = append(all, shown{k.name, as, text})
	}
	throw.If(showCode(cmd, kernelsJSON(all), func(w io.Writer) error {
		for i, s := range all {
			if len(all) > 1 {
				s.Text = strings.Repeat("\n", min(i, 1)) + "// " + s.Kernel + "\n" + s.Text
			}
			fmt.Fprint(w, s.Text)
		}
		return nil
	}))
}
