package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpuperf/kernel"
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
	"opencl": func(k *workload.Kernel) (string, error) {
		source, err := k.Source(false)
		if err != nil {
			return "", err
		}
		return source.Text, nil
	},
}

func showCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "show KERNEL.star [--as nest|ir|opencl]",
		Short: "Print the loop nest of a kernel, or its generated source",
		Long: `show prints each kernel of a script: as the program of loops, guards and barriers that is derived from it (nest),
as the domain, statements and arrays that the transformations work on (ir), or as OpenCL C (opencl).
KERNEL.star#name shows one kernel of a script that defines several.`,
		Args: exactArgs(1, "one kernel script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			variants, err := loadScript(cmd, args[0])
			if err != nil {
				return err
			}
			all := make([]shownKernel, len(variants))
			for i, v := range variants {
				all[i] = shownKernel{v.Name, v.Kernel, func(err error) error { return v.Error(err) }}
			}
			return showKernels(cmd, as, all)
		},
	}
	addViewFlag(cmd, &as)
	return cmd
}

func addViewFlag(cmd *cobra.Command, as *string) {
	cmd.Flags().StringVar(as, "as", "nest", "what to print: nest, ir or opencl")
}

// shownKernel is a kernel under the name that the user knows it by.
type shownKernel struct {
	name string
	ir   *kernel.Kernel
	// place says where an error about the kernel belongs.
	place func(error) error
}

// showKernels prints kernels in one of the views, each under its name where there are several.
func showKernels(cmd *cobra.Command, as string, kernels []shownKernel) error {
	view, ok := views[as]
	if !ok {
		return usagef("--as %s: a kernel is shown as nest, ir or opencl", as)
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
			return k.place(err)
		}
		all = append(all, shown{k.name, as, text})
	}
	if wantJSON(cmd) {
		if len(all) == 1 {
			return printJSON(cmd.OutOrStdout(), all[0])
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"kernels": all})
	}
	for i, s := range all {
		if len(all) > 1 {
			if i > 0 {
				fmt.Fprintln(cmd.OutOrStdout())
			}
			fmt.Fprintf(cmd.OutOrStdout(), "// %s\n", s.Kernel)
		}
		fmt.Fprint(cmd.OutOrStdout(), s.Text)
	}
	return nil
}
